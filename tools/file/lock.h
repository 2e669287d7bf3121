// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Locks on the folders of files that are to be changed, held by flock(2) until the process ends.
// The folder, not the file: a file that is replaced leaves its locks behind. A folder that has a
// file which is never replaced is locked by that file, as network file systems lock files alone.

#ifndef FILE_LOCK_H
#define FILE_LOCK_H

#include <stdbool.h>
#include <stddef.h>

struct file_locks {
  int *at; // descriptors
  size_t count;
};

// Locks the folder that the file is in. False, with who holds it in REASON, if another process has
// it. A file system without locks locks nothing.
bool file_lock_folder(struct file_locks *locks, const char *file, char *reason, size_t size);

// Locks the file FILE of FOLDER, and makes it if it is not there. False, with who holds it or what
// has failed in REASON.
bool file_lock(struct file_locks *locks, const char *file, const char *folder, char *reason,
               size_t size);

void file_unlock(struct file_locks *locks);

#endif
