// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "archive.h"

#include <archive.h>
#include <archive_entry.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct writer {
  struct archive *archive;
  const char *folder;
};

static bool begin_file(const struct writer *writer, const char *name, long long size) {
  struct archive_entry *entry = archive_entry_new();
  archive_entry_set_pathname(entry, name);
  archive_entry_set_size(entry, size);
  archive_entry_set_filetype(entry, AE_IFREG);
  archive_entry_set_perm(entry, 0644);
  bool fine = archive_write_header(writer->archive, entry) == ARCHIVE_OK;
  archive_entry_free(entry);
  return fine;
}

static bool add_text(const struct writer *writer, const char *name, const char *text) {
  size_t size = strlen(text);
  return begin_file(writer, name, (long long)size) &&
         archive_write_data(writer->archive, text, size) == (la_ssize_t)size;
}

// A file that grows meanwhile, as something that the run has left still writes to it, is cut off.
static bool add_content(const struct writer *writer, const char *name, int from, long long left) {
  static char block[1 << 16];
  if (!begin_file(writer, name, left))
    return false;
  while (left > 0) {
    ssize_t got = read(from, block, left < (long long)sizeof block ? (size_t)left : sizeof block);
    if (got < 0)
      archive_set_error(writer->archive, errno, "%s", strerror(errno));
    if (got < 0 || archive_write_data(writer->archive, block, (size_t)got) != got)
      return false;
    if (got == 0)
      break; // it has become shorter; libarchive fills it up
    left -= got;
  }
  return true;
}

static bool add_file(const struct writer *writer, const char *name) {
  char path[PATH_MAX + NAME_MAX];
  struct stat status;
  snprintf(path, sizeof path, "%s/%s", writer->folder, name);
  int from = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (from < 0 && errno == ENOENT)
    return true;
  bool fine = from >= 0 && fstat(from, &status) == 0;
  if (!fine)
    archive_set_error(writer->archive, errno, "%s: %s", path, strerror(errno));
  else if (S_ISREG(status.st_mode))
    fine = add_content(writer, name, from, status.st_size);
  if (from >= 0)
    close(from);
  return fine;
}

static bool add_folder(const struct writer *writer, const char *name) {
  char path[PATH_MAX + NAME_MAX], file[2 * NAME_MAX];
  struct dirent *entry;
  bool fine = true;
  snprintf(path, sizeof path, "%s/%s", writer->folder, name);
  DIR *list = opendir(path);
  while (fine && list && (entry = readdir(list)))
    if (entry->d_name[0] != '.') {
      snprintf(file, sizeof file, "%s/%s", name, entry->d_name);
      fine = add_file(writer, file);
    }
  if (list)
    closedir(list);
  return fine;
}

static bool add_all(const struct writer *writer, const char *manifest) {
  static const char *const files[] = {"runs.jsonl", "reports.jsonl", "reports.txt"};
  struct dirent *entry;
  bool fine = add_text(writer, "manifest.json", manifest);
  for (size_t i = 0; fine && i < sizeof files / sizeof *files; i++)
    fine = add_file(writer, files[i]);
  DIR *list = opendir(writer->folder);
  while (fine && list && (entry = readdir(list)))
    if (strncmp(entry->d_name, "run-", 4) == 0)
      fine = add_folder(writer, entry->d_name);
  if (list)
    closedir(list);
  return fine;
}

static bool write_to(int descriptor, const char *folder, const char *manifest, char *reason,
                     size_t size) {
  struct writer writer = {.archive = archive_write_new(), .folder = folder};
  if (!writer.archive)
    abort();
  archive_write_set_format_pax_restricted(writer.archive);
  archive_write_add_filter_gzip(writer.archive);
  bool fine = archive_write_open_fd(writer.archive, descriptor) == ARCHIVE_OK &&
              add_all(&writer, manifest) && archive_write_close(writer.archive) == ARCHIVE_OK;
  const char *why = archive_error_string(writer.archive);
  if (!fine)
    snprintf(reason, size, "%s", why ? why : "the archive cannot be written");
  archive_write_free(writer.archive);
  return fine;
}

bool archive_write(const char *folder, const char *manifest, const char *output, char *reason,
                   size_t size) {
  char beside[PATH_MAX + 32];
  if (strcmp(output, "-") == 0)
    return write_to(STDOUT_FILENO, folder, manifest, reason, size);
  snprintf(beside, sizeof beside, "%s.%d~", output, (int)getpid());
  int to = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  bool fine = to >= 0 && write_to(to, folder, manifest, reason, size);
  if (to < 0)
    snprintf(reason, size, "%s", strerror(errno));
  // A full disk may be known only when what was written goes there.
  if (fine && (fsync(to) != 0 || rename(beside, output) != 0)) {
    snprintf(reason, size, "%s", strerror(errno));
    fine = false;
  }
  if (to >= 0) {
    close(to);
    if (!fine)
      unlink(beside);
  }
  return fine;
}
