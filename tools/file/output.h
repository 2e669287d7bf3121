// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An output that the user has named. A regular file is written beside its place and renamed when it
// is whole, so that what was there stays if something fails; its owner and mode stay; a symbolic
// link stays, and what it leads to is replaced. A device, a FIFO, /dev/stdout and the like are
// written to, and so is a regular file of another user, whose owner could not be kept.

#ifndef FILE_OUTPUT_H
#define FILE_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

// False with errno set.
bool file_output(const char *name, const char *text, size_t size);

// Closes a file after its contents were written. Returns `fine`, whether that succeeded, or false
// if the file cannot be closed. If it returns false, errno is from the first failure.
bool file_close_after(int file, bool fine);

// Makes a file of what `write` writes to the descriptor. `write` returns false with errno set if it
// fails; so does file_output_by.
typedef bool file_writer(int to, void *context);
bool file_output_by(const char *name, file_writer *write, void *context);

// Before much work is done: can the file be written, as far as can be told? False with errno set.
bool file_output_check(const char *name);

// Is it a regular file, or none yet? Others have no files beside them.
bool file_output_is_regular(const char *name);

#endif
