// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "checked.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "compiler-rt-patch/src/common/rsan_checked_file.h"
#include "file/output.h"
#include "printable.h"

enum { ALL = (1 << RSAN_CHECKED_PROCESS) | (1 << RSAN_CHECKED_CODE) | (1 << RSAN_CHECKED_ATOMICS) };

bool checked_take_option(int key, bool *allowed) {
  if (key != KEY_ALLOW_EMPTY)
    return false;
  *allowed = true;
  return true;
}

static int open_file(const char *folder, int flags) {
  char path[PATH_MAX + 16];
  snprintf(path, sizeof path, "%s/checked", folder);
  return open(path, flags | O_CLOEXEC, 0666);
}

// Writes zeros rather than a hole: a process that fills a hole may find no room on the disk.
static bool make(const char *folder, bool anew) {
  static const char zeros[RSAN_CHECKED_SIZE];
  int file = open_file(folder, O_RDWR | O_CREAT);
  if (file < 0)
    return false;
  bool made = (!anew && lseek(file, 0, SEEK_END) >= RSAN_CHECKED_SIZE) ||
              pwrite(file, zeros, sizeof zeros, 0) == sizeof zeros;
  return file_close_after(file, made);
}

bool checked_make(const char *folder) {
  return make(folder, false);
}

bool checked_clear(const char *folder) {
  return make(folder, true);
}

unsigned checked_read(const char *folder) {
  char bytes[RSAN_CHECKED_COUNT] = {0};
  unsigned facts = 0;
  int file = open_file(folder, O_RDONLY);
  if (file < 0)
    return 0;
  if (pread(file, bytes, sizeof bytes, 0) == sizeof bytes)
    for (unsigned i = 0; i < RSAN_CHECKED_COUNT; i++)
      facts |= bytes[i] ? 1U << i : 0;
  file_close_after(file, true);
  return facts;
}

bool checked_add(const char *folder, unsigned facts) {
  bool added = checked_make(folder);
  int file = added ? open_file(folder, O_WRONLY) : -1;
  if (file < 0)
    return false;
  for (unsigned i = 0; i < RSAN_CHECKED_COUNT; i++)
    if (facts >> i & 1)
      added &= pwrite(file, "\1", 1, i) == 1;
  return file_close_after(file, added);
}

void checked_remove(const char *folder) {
  char path[PATH_MAX + 16];
  snprintf(path, sizeof path, "%s/checked", folder);
  unlink(path);
}

// A runtime of another version notes nothing: there the statistics in its log say that it was
// there, and no more. A process that reported something has checked it.
static unsigned facts_of(const struct records *records) {
  bool silent = records->runtime_seen && !(records->checked >> RSAN_CHECKED_PROCESS & 1);
  return silent || records_reports(records) ? ALL : records->checked;
}

bool checked_code(const struct records *records) {
  return facts_of(records) >> RSAN_CHECKED_CODE & 1;
}

const char *checked_lack(const struct records *records) {
  unsigned facts = facts_of(records);
  if (facts >> RSAN_CHECKED_ATOMICS & 1)
    return NULL;
  if (facts >> RSAN_CHECKED_CODE & 1)
    return "robustness was not checked: no process made an atomic access in instrumented code; "
           "data races were looked for";
  if (facts >> RSAN_CHECKED_PROCESS & 1)
    return "nothing was checked: processes have RSan's runtime, but no instrumented code: compile "
           "with -fsanitize=robustness, too (`rsan doctor PROGRAM' names what is not instrumented)";
  if (facts >> RSAN_CHECKED_ELSEWHERE & 1)
    return "nothing was checked: the processes write their reports elsewhere, as a log_path in "
           "their own RSAN_OPTIONS asks for; have them keep the RSAN_OPTIONS that they are given";
  return "nothing was checked: no process with RSan's runtime was seen: build with rsan-clang "
         "-fsanitize=robustness (`rsan doctor PROGRAM' tells what a program has), and have "
         "processes keep the RSAN_OPTIONS that they are given";
}

// Why the runtime ended a process before the program began, as its log says; NULL: it did not.
static const char *refusal_of(const struct records *records) {
  bool refused = facts_of(records) >> RSAN_CHECKED_REFUSAL & 1;
  return refused && records->remark_count ? records->remarks[records->remark_count - 1] : NULL;
}

bool checked_print(const struct records *records, const char *name, bool allowed, FILE *to) {
  const char *lack = checked_lack(records), *refusal = refusal_of(records);
  const char *separator = *name ? ": " : "", *hint = allowed ? "" : "; --allow-empty allows it";
  if (lack && refusal)
    print_line(to, "%s%snothing was checked: RSan's runtime ended the program before it began: %s",
               name, separator, refusal);
  else if (lack)
    print_line(to, "%s%s%s%s", name, separator, lack, hint);
  return lack;
}

int checked_status(const struct records *records, bool allowed, int status) {
  return !status && !allowed && checked_lack(records) ? EXIT_EMPTY : status;
}
