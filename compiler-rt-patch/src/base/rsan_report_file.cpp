// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The report file is one of the runtime's own (rsan_own_file.h): a report never gets into a file of
// the program that has the same descriptor.
//
// If no descriptor is free, a child process writes the report. The child has its own copy of the
// table of descriptors, and closes one of them to open the file. It only makes system calls. Its
// end sends no SIGCHLD to the program, and the program's own calls of wait do not return it.

#include "base/rsan_report_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/wait.h>

#include "base/rsan_own_file.h"
#include "base/rsan_system.h"
#include "port/rsan_common.h"

namespace __sanitizer {

// The report file that RsanOpenReport has opened. Any other descriptor is stdout, stderr, or the
// caller's of __sanitizer_set_report_fd.
static RsanOwnFile opened = kRsanNoFile;

static const int kFlags = O_CREAT | O_APPEND;

fd_t RsanOpenReport(const char *path) {
  int error;
  RsanOpenOwnFile(&opened, path, kFlags, &error);
  return opened.fd;
}

static bool IsReport(fd_t fd) {
  return fd == opened.fd && RsanIsOpen(opened);
}

void RsanCloseReport(fd_t fd) {
  if (IsReport(fd))
    internal_close(fd);
}

static bool WriteAnew(const char *path, const char *text, uptr length, int *error) {
  RsanOwnFile file;
  if (!RsanOpenOwnFile(&file, path, kFlags, error))
    return false;
  const bool fine = RsanWriteAll(file.fd, text, length, error);
  internal_close(file.fd);
  return fine;
}

// The child tells its parent by its exit status: 0, or the errno value of the call that failed.
static bool WriteInChild(const char *path, const char *text, uptr length, int *error) {
  const uptr child = RsanCloneQuietly();
  if (internal_iserror(child, error))
    return false;
  if (!child) {
    internal_close(kStdinFd);
    internal__exit(WriteAnew(path, text, length, error) ? 0 : *error);
  }
  int status = 0;
  while (internal_iserror(RsanWaitForQuiet(child, &status), error))
    if (*error != EINTR)
      return false;
  *error = WIFEXITED(status) ? WEXITSTATUS(status) : ECHILD;
  return !*error;
}

static bool WriteToReport(fd_t fd, const char *path, const char *text, uptr length, int *error) {
  if (IsReport(fd))
    return RsanWriteAll(fd, text, length, error);
  return WriteAnew(path, text, length, error) ||
         (*error == EMFILE && WriteInChild(path, text, length, error));
}

void RsanWriteReport(fd_t fd, const char *path, const char *text, uptr length) {
  static bool said;
  int error = 0;
  if (fd != opened.fd) {
    RsanWriteAll(fd, text, length, &error);
    return;
  }
  if (WriteToReport(fd, path, text, length, &error))
    return;
  if (!said) {
    char line[kMaxPathLength + 100];
    internal_snprintf(line, sizeof line,
                      "ThreadSanitizer: cannot write to %s (errno %d): its reports are here\n",
                      path, error);
    RsanWriteAll(kStderrFd, line, internal_strlen(line), &error);
    said = true;
  }
  RsanWriteAll(kStderrFd, text, length, &error);
}

} // namespace __sanitizer
