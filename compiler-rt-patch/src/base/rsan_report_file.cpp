// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program may close the descriptor of the report file, and the next file that it opens may get
// the same number. So the inode is compared before each write: a report never gets into that file.
//
// If no descriptor is free, a child process writes the report. The child has its own copy of the
// table of descriptors, and closes one of them to open the file. It only makes system calls. Its
// end sends no SIGCHLD to the program, and the program's own calls of wait do not return it.

#include "base/rsan_report_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/rsan_system.h"
#include "port/rsan_common.h"

namespace __sanitizer {

// The report file that RsanOpenReport has opened. Any other descriptor is stdout, stderr, or the
// caller's of __sanitizer_set_report_fd.
static struct {
  fd_t fd;
  u64 device, inode;
} opened = {kInvalidFd, 0, 0};

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
    opened = {fd, file.st_dev, file.st_ino};
  else
    opened = {fd, 0, 0};
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

// The child tells its parent by its exit status: 0, or the errno value of the call that failed.
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
  if (fd != opened.fd) {
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
