// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes files for the user without harm to the program. See rsan_own_file.h.

#include "base/rsan_own_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/rsan_system.h"

namespace __sanitizer {

static bool Identify(fd_t fd, u64 *device, u64 *inode) {
  struct stat file = {};
  if (fd == kInvalidFd || internal_iserror(internal_fstat(fd, &file)))
    return false;
  *device = file.st_dev;
  *inode = file.st_ino;
  return true;
}

static fd_t Open(const char *path, int flags, int *error) {
  const uptr fd = internal_open(path, O_WRONLY | O_CLOEXEC | flags, 0660);
  return internal_iserror(fd, error) ? kInvalidFd : static_cast<fd_t>(fd);
}

bool RsanOpenOwnFile(RsanOwnFile *file, const char *path, int flags, int *error) {
  *file = kRsanNoFile;
  file->fd = Open(path, flags, error);
  return Identify(file->fd, &file->device, &file->inode);
}

bool RsanIsOpen(const RsanOwnFile &file) {
  u64 device, inode;
  return Identify(file.fd, &device, &inode) && device == file.device && inode == file.inode;
}

bool RsanWriteAll(fd_t fd, const char *text, uptr length, int *error) {
  while (length) {
    uptr written = 0;
    if (!RsanWriteQuietly(fd, text, length, &written, error)) {
      if (*error == EINTR)
        continue;
      return false;
    }
    text += written;
    length -= written;
  }
  return true;
}

// Opens the file again, unless another file has its name by now.
static bool Reopen(RsanOwnFile *file, const char *path, int *error) {
  RsanOwnFile again = kRsanNoFile;
  if (!RsanOpenOwnFile(&again, path, O_APPEND, error))
    return false;
  if (again.device != file->device || again.inode != file->inode) {
    internal_close(again.fd);
    *error = ESTALE;
    return false;
  }
  file->fd = again.fd;
  return true;
}

void RsanWriteOwnFile(RsanOwnFile *file, const char *option, const char *path, const char *text,
                      uptr length) {
  int error = 0;
  if (file->is_lost || ((RsanIsOpen(*file) || Reopen(file, path, &error)) &&
                        RsanWriteAll(file->fd, text, length, &error)))
    return;
  file->is_lost = true;
  Printf("WARNING: ThreadSanitizer: %s=%s in RSAN_OPTIONS: writing failed (errno %d), what follows "
         "is not in the file\n",
         option, Printable(path), error);
}

void RsanCloseOwnFile(RsanOwnFile *file) {
  if (RsanIsOpen(*file))
    internal_close(file->fd);
  *file = kRsanNoFile;
}

} // namespace __sanitizer
