// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The build id of an ELF file: what tells one build of a program from the next.

#ifndef BUILD_ID_H
#define BUILD_ID_H

enum { BUILD_ID_MAX = 64 }; // bytes; linkers make 8, 16 or 20

enum build_id { BUILD_ID_FOUND, BUILD_ID_NONE, BUILD_ID_NOT_ELF, BUILD_ID_UNREADABLE };

// Writes the id in hexadecimal. With BUILD_ID_UNREADABLE errno says why.
enum build_id build_id_read(const char *path, char hex[2 * BUILD_ID_MAX + 1]);

#endif
