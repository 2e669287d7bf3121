// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the runtime asks of the system, where sanitizer_common's own way does harm.

#ifndef RSAN_SYSTEM_H
#define RSAN_SYSTEM_H

#include "port/rsan_common.h"

namespace __sanitizer {

// Writes at most `length` bytes, as write(2) does. If nobody reads the pipe any more, or the file
// may grow no further (RLIMIT_FSIZE), the write fails, and no SIGPIPE or SIGXFSZ ends the program.
// Returns false if it fails; *error is then an errno value.
bool RsanWriteQuietly(fd_t file, const char *text, uptr length, uptr *written, int *error);

// The file that the kernel has started, as an absolute name. False: it is not known. For a process
// that has not changed its folder yet.
bool RsanReadBinaryName(char *name, uptr room, uptr *length);

// Returns the value that the environment variable had when the process started, or null if it was
// not set then. Later calls of setenv do not change the result.
const char *RsanGetEnv(const char *name);

// Returns whether the process may have more rights than its caller: it is setuid or setgid, or has
// capabilities (AT_SECURE).
bool RsanHasForeignRights();

// Returns whether the options in this environment variable must be ignored, because the process has
// such rights; prints a warning if so. A null name stands for options of the program itself, which
// are never ignored.
bool RsanIgnoresVariable(const char *name);

// Returns whether the runtime must not see this environment variable, because the process has such
// rights: TSAN_SYMBOLIZER_PATH names a program to run, TMPDIR and PATH folders. The runtime
// sees only variables for which RsanIgnoresVariable prints a warning.
bool RsanHidesVariable(const char *name);

// The bounds of the main thread's stack, for a process that cannot read its maps. Both are 0 in
// another thread.
void RsanFindMainStack(uptr *top, uptr *bottom);

// Raises the limits of memory that shadow memory would exceed. If it may not, says what to do and
// ends the process. Must be called before shadow memory is mapped.
void RsanRaiseLimits();

// Creates a child process with a copy of the memory and of the descriptors. Its end sends no
// signal, and the program's own calls of wait do not return it. Returns the child's number in the
// parent, 0 in the child, or an error (see internal_iserror). The child must only make system
// calls.
uptr RsanCloneQuietly();

// Waits for the end of a child of RsanCloneQuietly. Returns its number, or an error such as EINTR.
uptr RsanWaitForQuiet(uptr child, int *status);

// Is it such a limit (RLIMIT_DATA or RLIMIT_AS), by its number, and of which name? Null: it is not.
const char *RsanNameOfLimit(int limit);

} // namespace __sanitizer

#endif
