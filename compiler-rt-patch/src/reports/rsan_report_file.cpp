// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program may close descriptors that are not its own, and a file that it opens then may get the
// number of the report's: the file is known by its inode, not by the number of its descriptor.
//
// Where no descriptor is free, a child process writes the report: it has a table of descriptors of
// its own, in which it closes one. It shares no memory, and makes system calls alone. It ends
// without a signal, and only a wait that asks for such children (__WALL) finds it.

#include "reports/rsan_report_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "rsan_system.h"
#include "sanitizer_common/sanitizer_common.h"
#include "sanitizer_common/sanitizer_libc.h"
#include "sanitizer_common/sanitizer_posix.h"

namespace __sanitizer {

// The file that is open as the report.
static struct {
  u64 device, inode;
} opened;

static fd_t Open(const char *path, int *error) {
  const uptr fd = internal_open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0660);
  return internal_iserror(fd, error) ? kInvalidFd : static_cast<fd_t>(fd);
}

static bool WriteAll(fd_t fd, const char *text, uptr length, int *error) {
  while (length) {
    const uptr written = internal_write(fd, text, length);
    if (internal_iserror(written, error)) {
      if (*error == EINTR)
        continue;
      return false;
    }
    text += written;
    length -= written;
  }
  return true;
}

fd_t RsanOpenReport(const char *path) {
  int error = 0;
  struct stat file = {};
  const fd_t fd = Open(path, &error);
  if (fd != kInvalidFd && !internal_iserror(internal_fstat(fd, &file)))
    opened = {file.st_dev, file.st_ino};
  return fd;
}

static bool IsReport(fd_t fd) {
  struct stat file = {};
  return fd != kInvalidFd && !internal_iserror(internal_fstat(fd, &file)) &&
         file.st_dev == opened.device && file.st_ino == opened.inode;
}

void RsanCloseReport(fd_t fd) {
  if (IsReport(fd))
    internal_close(fd);
}

// The child's exit status is the number of the error.
static bool WriteInChild(const char *path, const char *text, uptr length, int *error) {
  const uptr child = RsanCloneQuietly();
  if (internal_iserror(child, error))
    return false;
  if (!child) {
    internal_close(kStdinFd);
    const fd_t fd = Open(path, error);
    internal__exit(fd != kInvalidFd && WriteAll(fd, text, length, error) ? 0 : *error);
  }
  int status = 0;
  while (internal_iserror(RsanWaitForQuiet(child, &status), error))
    if (*error != EINTR)
      return false;
  *error = WIFEXITED(status) ? WEXITSTATUS(status) : ECHILD;
  return !*error;
}

static bool WriteAnew(const char *path, const char *text, uptr length, int *error) {
  const fd_t fd = Open(path, error);
  if (fd == kInvalidFd)
    return *error == EMFILE && WriteInChild(path, text, length, error);
  const bool fine = WriteAll(fd, text, length, error);
  internal_close(fd);
  return fine;
}

void RsanWriteReport(fd_t fd, const char *path, const char *text, uptr length) {
  static bool said;
  int error = 0;
  if (fd == kStdoutFd || fd == kStderrFd) {
    WriteAll(fd, text, length, &error);
    return;
  }
  if (IsReport(fd) ? WriteAll(fd, text, length, &error) : WriteAnew(path, text, length, &error))
    return;
  if (!said) {
    char line[kMaxPathLength + 100];
    internal_snprintf(line, sizeof line,
                      "ThreadSanitizer: cannot write to %s (errno %d): its reports are here\n",
                      path, error);
    WriteAll(kStderrFd, line, internal_strlen(line), &error);
    said = true;
  }
  WriteAll(kStderrFd, text, length, &error);
}

} // namespace __sanitizer
