// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the runtime asks of the system, where sanitizer_common's own way does harm.

#ifndef RSAN_SYSTEM_H
#define RSAN_SYSTEM_H

#include "sanitizer_common/sanitizer_file.h"

namespace __sanitizer {

// Writes to a pipe. If nobody reads there any more, the write fails, and no SIGPIPE ends the
// program.
bool RsanWriteToPipe(fd_t pipe, const char *text, uptr length, uptr *written);

// The file that the kernel has started, as an absolute name. False: it is not known. For a process
// that has not changed its folder yet.
bool RsanReadBinaryName(char *name, uptr room, uptr *length);

// The value of the environment's variable, as the process was started. Null: there is none.
const char *RsanGetEnv(const char *name);

// The bounds of the main thread's stack, for a process that cannot read its maps. Both are 0 in
// another thread.
void RsanFindMainStack(uptr *top, uptr *bottom);

// Of the limits of memory that shadow memory would exceed, raises those that it may. Ends the
// process, and says what to do, if it may not. To be called before shadow memory is mapped.
void RsanRaiseLimits();

// A child with a copy of the memory and of the descriptors, whose end sends no signal and which the
// program's own waits do not find. 0: this is the child, which must make system calls alone. Errors
// are as internal_iserror has them.
uptr RsanCloneQuietly();

// Waits for such a child. Returns its number, or an error, as EINTR.
uptr RsanWaitForQuiet(uptr child, int *status);

// Is it such a limit (RLIMIT_DATA or RLIMIT_AS), by its number, and of which name? Null: it is not.
const char *RsanNameOfLimit(int limit);

} // namespace __sanitizer

#endif
