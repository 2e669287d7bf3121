// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files that the runtime writes into while the program runs. The program may close every descriptor
// that it does not know (closefrom), and the next file that it opens may get the same number. So
// the inode is compared before each write: what the runtime writes never gets into that file.
// No write of these sends the program a signal: not SIGPIPE, and not SIGXFSZ.

#ifndef RSAN_OWN_FILE_H
#define RSAN_OWN_FILE_H

#include "port/rsan_common.h"

namespace __sanitizer {

struct RsanOwnFile {
  fd_t fd;           // kInvalidFd: it is not open
  u64 device, inode; // of the file that was opened
  bool is_lost;      // a write has failed, and the user was told
};

const RsanOwnFile kRsanNoFile = {kInvalidFd, 0, 0, false};

// Opens a file to write to; `flags`: O_CREAT, O_APPEND, O_TRUNC, or several. A new file is closed
// to users other than its owner and group. Returns false if it cannot; *error is then an errno
// value.
bool RsanOpenOwnFile(RsanOwnFile *file, const char *path, int flags, int *error);

// Returns whether the descriptor is still that of the file that was opened.
bool RsanIsOpen(const RsanOwnFile &file);

// Writes all of the text to a descriptor. Returns false if it cannot; *error is then an errno
// value.
bool RsanWriteAll(fd_t fd, const char *text, uptr length, int *error);

// Writes all of the text to the file that `option` names. If the program has closed the descriptor,
// opens the file again, and appends. The first write that fails prints a warning that says why, and
// writes nothing more: a file with a gap would be read as if it were whole. The caller holds a
// lock.
void RsanWriteOwnFile(RsanOwnFile *file, const char *option, const char *path, const char *text,
                      uptr length);

// Closes the descriptor, unless the program has done so.
void RsanCloseOwnFile(RsanOwnFile *file);

} // namespace __sanitizer

#endif
