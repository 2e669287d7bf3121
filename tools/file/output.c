// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "target.h"

bool file_close_after(int file, bool fine) {
  int error = errno;
  if (close(file) != 0 && fine)
    return false;
  errno = error;
  return fine;
}

static bool replace(const struct file_target *target, file_writer *write, void *context) {
  char beside[FILE_BESIDE];
  sigset_t before;
  file_hold_signals(&before);
  int to = file_target_make_beside(target, beside);
  bool fine =
      to >= 0 && file_close_after(to, write(to, context)) && rename(beside, target->path) == 0;
  int error = errno;
  if (to >= 0 && !fine)
    unlink(beside);
  file_release_signals(&before);
  errno = error;
  return fine;
}

// A descriptor is not opened anew, so that the text goes where the stream stands.
static bool write_through(const struct file_target *target, file_writer *write, void *context) {
  int to = target->descriptor >= 0 ? fcntl(target->descriptor, F_DUPFD_CLOEXEC, 0)
                                   : open(target->path, O_WRONLY | O_TRUNC | O_CLOEXEC | O_NOCTTY);
  return to >= 0 && file_close_after(to, write(to, context));
}

bool file_output_by(const char *name, file_writer *write, void *context) {
  struct file_target target;
  if (!file_target_find(name, &target))
    return false;
  fflush(stdout); // which may be the same file
  return target.replaced ? replace(&target, write, context)
                         : write_through(&target, write, context);
}

struct text {
  const char *at;
  size_t size;
};

static bool write_text(int to, void *context) {
  const struct text *text = context;
  return file_write_all(to, text->at, text->size);
}

bool file_output(const char *name, const char *text, size_t size) {
  struct text whole = {text, size};
  return file_output_by(name, write_text, &whole);
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
