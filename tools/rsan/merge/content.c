// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "content.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "run/runs.h"

// Limit of a file that is read into memory: rsan unit writes no larger one.
enum { MOST_BYTES = 128 << 20 };
enum { MOST_MEMBERS = 1000000 };
#define MOST_WHOLE (1LL << 40) // bytes of a file, its holes included

static struct archive *open_archive(const char *path, char *reason, size_t size) {
  struct archive *archive = archive_read_new();
  if (!archive)
    abort();
  archive_read_support_filter_gzip(archive);
  archive_read_support_format_tar(archive);
  if (archive_read_open_filename(archive, path, 1 << 16) == ARCHIVE_OK)
    return archive;
  int error = archive_errno(archive);
  const char *why = error > 0 && error != EILSEQ && error != EINVAL // libarchive's for formats
                        ? strerror(error)
                        : "it is cut off, or no archive of tar and gzip";
  snprintf(reason, size, "%s", why);
  archive_read_free(archive);
  return NULL;
}

static void say_broken(struct archive *archive, char *reason, size_t size) {
  const char *why = archive_error_string(archive);
  snprintf(reason, size, "it is cut off or damaged (%s)", why ? why : "no more is known");
}

// The content of the entry, with a zero at its end. NULL with a line in REASON.
static char *read_text(struct archive *archive, char *reason, size_t size) {
  char *text = malloc(1), *larger;
  size_t used = 0, room = 1;
  for (;;) {
    if (used + 1 >= room) {
      room = room * 2 + (1 << 12);
      larger = realloc(text, room);
      if (!larger)
        abort();
      text = larger;
    }
    la_ssize_t got = archive_read_data(archive, text + used, room - used - 1);
    if (got == 0)
      break;
    if (got < 0)
      say_broken(archive, reason, size);
    else if (used + (size_t)got > MOST_BYTES)
      snprintf(reason, size, "a file in it has more than %d MB", MOST_BYTES >> 20);
    if (got < 0 || used + (size_t)got > MOST_BYTES) {
      free(text);
      return NULL;
    }
    used += (size_t)got;
  }
  text[used] = 0;
  return text;
}

bool content_read_manifest(const char *path, char **manifest, char *reason, size_t size) {
  struct archive_entry *entry;
  *manifest = NULL;
  struct archive *archive = open_archive(path, reason, size);
  if (!archive)
    return false;
  int found = archive_read_next_header(archive, &entry);
  const char *name = found == ARCHIVE_OK ? archive_entry_pathname(entry) : NULL;
  if (name && strcmp(name, "manifest.json") == 0)
    *manifest = read_text(archive, reason, size);
  else if (found < ARCHIVE_WARN)
    say_broken(archive, reason, size);
  else
    snprintf(reason, size, "it is no archive of rsan unit: it does not begin with manifest.json");
  archive_read_free(archive);
  return *manifest;
}

// "run-0007/output": the folder of a run, as run_folder names it, and one name in there.
static bool is_run_file(const char *name, char folder[32]) {
  const char *slash = strchr(name, '/');
  unsigned number;
  if (!slash || slash - name > 20 || sscanf(name, "run-%9u/", &number) != 1 || number > RUN_LAST)
    return false;
  size_t length = (size_t)snprintf(folder, 32, "run-%04u", number);
  return length == (size_t)(slash - name) && strncmp(name, folder, length) == 0 && slash[1] &&
         slash[1] != '.' && !strchr(slash + 1, '/');
}

// How much more of an archive may be read.
struct left {
  uint64_t most, bytes; // of all its files together, without holes: at the start, and now
  unsigned members;
};

static bool take_bytes(struct left *left, uint64_t bytes, char *reason, size_t size) {
  if (bytes > left->bytes) {
    snprintf(reason, size, "its files have more than %" PRIu64 " MB (--max-unpacked)",
             left->most >> 20);
    return false;
  }
  left->bytes -= bytes;
  return true;
}

static bool say_unwritten(char *reason, size_t size) {
  snprintf(reason, size, "a file of it cannot be written: %s", strerror(errno));
  return false;
}

// Writes a file of WHOLE bytes block by block, so that holes stay holes.
static bool write_blocks(struct archive *archive, int64_t whole, int to, struct left *left,
                         char *reason, size_t size) {
  const void *block;
  size_t length;
  la_int64_t offset;
  int found;
  if (whole > MOST_WHOLE) {
    snprintf(reason, size, "a file in it has more than %lld GB", MOST_WHOLE >> 30);
    return false;
  }
  while ((found = archive_read_data_block(archive, &block, &length, &offset)) == ARCHIVE_OK) {
    if (!take_bytes(left, length, reason, size))
      return false;
    bool fits = offset + (la_int64_t)length <= MOST_WHOLE;
    errno = fits ? ENOSPC : EFBIG; // of a short write, of none
    if (!fits || pwrite(to, block, length, offset) != (ssize_t)length)
      return say_unwritten(reason, size);
  }
  if (found != ARCHIVE_EOF) {
    say_broken(archive, reason, size);
    return false;
  }
  return ftruncate(to, whole) == 0 || say_unwritten(reason, size);
}

static bool extract(struct archive *archive, struct archive_entry *entry, const char *folder,
                    const char *stage, struct left *left, char *reason, size_t size) {
  const char *name = archive_entry_pathname(entry);
  char path[PATH_MAX + NAME_MAX];
  snprintf(path, sizeof path, "%s/%s", stage, folder);
  if (mkdir(path, 0777) != 0 && errno != EEXIST) {
    snprintf(reason, size, "%s: %s", path, strerror(errno));
    return false;
  }
  snprintf(path, sizeof path, "%s/%s", stage, name);
  int to = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (to < 0) {
    snprintf(reason, size, "%s: %s", path, strerror(errno));
    return false;
  }
  bool fine = write_blocks(archive, archive_entry_size(entry), to, left, reason, size);
  close(to);
  return fine;
}

static char **find_text(struct content *content, const char *name) {
  return strcmp(name, "manifest.json") == 0   ? &content->manifest
         : strcmp(name, "runs.jsonl") == 0    ? &content->runs
         : strcmp(name, "reports.jsonl") == 0 ? &content->reports
         : strcmp(name, "reports.txt") == 0   ? &content->texts
                                              : NULL;
}

static bool read_entry(struct archive *archive, struct archive_entry *entry, const char *stage,
                       struct content *content, struct left *left, char *reason, size_t size) {
  const char *name = archive_entry_pathname(entry);
  char **text = name ? find_text(content, name) : NULL, folder[32];
  bool is_file = archive_entry_filetype(entry) == AE_IFREG && !archive_entry_hardlink(entry);
  if (!left->members--) {
    snprintf(reason, size, "it has more than %d files", MOST_MEMBERS);
    return false;
  }
  if (is_file && text && !*text) {
    *text = read_text(archive, reason, size);
    return *text && take_bytes(left, strlen(*text), reason, size);
  }
  if (is_file && name && is_run_file(name, folder))
    return extract(archive, entry, folder, stage, left, reason, size);
  snprintf(reason, size, "it has a file that rsan unit does not write: %.200s",
           name ? name : "one without a name");
  return false;
}

bool content_read(const char *path, const char *stage, uint64_t most, struct content *content,
                  char *reason, size_t size) {
  struct archive_entry *entry;
  struct left left = {.most = most, .bytes = most ? most : UINT64_MAX, .members = MOST_MEMBERS};
  int found;
  *content = (struct content){0};
  struct archive *archive = open_archive(path, reason, size);
  if (!archive)
    return false;
  bool fine = true;
  while (fine && (found = archive_read_next_header(archive, &entry)) != ARCHIVE_EOF)
    if (found < ARCHIVE_WARN) {
      say_broken(archive, reason, size);
      fine = false;
    } else {
      fine = read_entry(archive, entry, stage, content, &left, reason, size);
    }
  archive_read_free(archive);
  if (fine && (!content->manifest || !content->runs)) {
    snprintf(reason, size, "it is cut off: %s is missing",
             content->manifest ? "runs.jsonl" : "manifest.json");
    fine = false;
  }
  return fine;
}

void content_free(struct content *content) {
  free(content->manifest);
  free(content->runs);
  free(content->reports);
  free(content->texts);
  *content = (struct content){0};
}
