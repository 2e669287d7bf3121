// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "target.h"

static bool replace(const struct file_target *target, const char *text, size_t size) {
  char beside[FILE_BESIDE];
  sigset_t before;
  file_hold_signals(&before);
  bool fine = file_target_beside(target, text, size, beside);
  if (fine && rename(beside, target->path) != 0) {
    int error = errno;
    unlink(beside);
    errno = error;
    fine = false;
  }
  int error = errno;
  file_release_signals(&before);
  errno = error;
  return fine;
}

// A descriptor is not opened anew, so that the text goes where the stream stands.
static bool write_through(const struct file_target *target, const char *text, size_t size) {
  int to = target->descriptor >= 0 ? fcntl(target->descriptor, F_DUPFD_CLOEXEC, 0)
                                   : open(target->path, O_WRONLY | O_TRUNC | O_CLOEXEC | O_NOCTTY);
  if (to < 0)
    return false;
  bool fine = file_write_all(to, text, size);
  int error = errno;
  if (close(to) != 0 && fine)
    return false;
  errno = error;
  return fine;
}

bool file_output(const char *name, const char *text, size_t size) {
  struct file_target target;
  if (!file_target_find(name, &target))
    return false;
  fflush(stdout); // which may be the same file
  return target.replaced ? replace(&target, text, size) : write_through(&target, text, size);
}

bool file_output_check(const char *name) {
  struct file_target target;
  char folder[PATH_MAX];
  if (!file_target_find(name, &target))
    return false;
  if (!target.replaced)
    return true;
  const char *slash = strrchr(target.path, '/');
  int length = !slash ? 1 : slash == target.path ? 1 : (int)(slash - target.path);
  snprintf(folder, sizeof folder, "%.*s", length, slash ? target.path : ".");
  return faccessat(AT_FDCWD, folder, W_OK | X_OK, AT_EACCESS) == 0;
}

bool file_output_is_regular(const char *name) {
  struct file_target target;
  return file_target_find(name, &target) && target.replaced;
}
