// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The identity of a place in the source, as the runtime makes it (docs/guide/FORMATS.md).

#ifndef IDENTITY_H
#define IDENTITY_H

#include <stdint.h>

// The identity of the place in FILE, a path, at LINE and COLUMN (0: not known), in the function of
// that name (NULL: not known), read from the file as it is now. 0: it is no regular file, cannot be
// read, or has no such line. Keeps the last file's text and the last answers: not thread-safe.
uint64_t source_identity(const char *file, unsigned line, unsigned column, const char *function);

#endif
