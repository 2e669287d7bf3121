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

#include "file/output.h"

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

// libarchive's text need not have the system's error in it ("Write error").
static void tell(struct archive *archive, char *reason, size_t size) {
  const char *text = archive_error_string(archive);
  const char *error = archive_errno(archive) > 0 ? strerror(archive_errno(archive)) : "";
  if (!text)
    snprintf(reason, size, "the archive cannot be written");
  else if (!*error || strstr(text, error))
    snprintf(reason, size, "%s", text);
  else
    snprintf(reason, size, "%s: %s", text, error);
}

static bool write_to(int descriptor, const char *folder, const char *manifest, char *reason,
                     size_t size) {
  struct writer writer = {.archive = archive_write_new(), .folder = folder};
  if (!writer.archive)
    abort();
  archive_write_set_format_pax_restricted(writer.archive);
  archive_write_add_filter_gzip(writer.archive);
  archive_write_set_bytes_in_last_block(writer.archive, 1); // a FIFO gets no zeros behind it
  bool fine = archive_write_open_fd(writer.archive, descriptor) == ARCHIVE_OK &&
              add_all(&writer, manifest) && archive_write_close(writer.archive) == ARCHIVE_OK;
  if (!fine)
    tell(writer.archive, reason, size);
  archive_write_free(writer.archive);
  return fine;
}

struct job {
  const char *folder, *manifest;
  char *reason; // "" if the system's error says it
  size_t size;
};

static bool write_job(int to, void *context) {
  struct job *job = context;
  if (!write_to(to, job->folder, job->manifest, job->reason, job->size))
    return false;
  // A full disk may be known only when what was written goes there. A FIFO has no disk.
  return fsync(to) == 0 || errno == EINVAL || errno == ENOTSUP;
}

bool archive_write(const char *folder, const char *manifest, const char *output, char *reason,
                   size_t size) {
  struct job job = {folder, manifest, reason, size};
  *reason = 0;
  bool fine = strcmp(output, "-") == 0 ? write_job(STDOUT_FILENO, &job)
                                       : file_output_by(output, write_job, &job);
  if (!fine && !*reason)
    snprintf(reason, size, "%s", strerror(errno));
  return fine;
}
