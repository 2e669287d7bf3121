// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef FILE_REGULAR_H
#define FILE_REGULAR_H

#include <stdio.h>

// Opens a regular file to read it, with more FLAGS of open(2) if need be. A FIFO or a device does
// not make the caller wait. Returns NULL with errno on failure; EINVAL: not a regular file. The
// caller closes it.
FILE *file_open_regular(const char *path, int flags);

#endif
