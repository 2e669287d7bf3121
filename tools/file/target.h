// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a name that the user gave for an output stands for, and how it is written.

#ifndef FILE_TARGET_H
#define FILE_TARGET_H

#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

struct file_target {
  char path[PATH_MAX]; // with symbolic links followed, also one that leads to no file yet
  bool replaced;       // a regular file, or none yet: the new one is renamed to its place
  bool exists;         // STATUS is known
  int descriptor;      // of this process, which /dev/stdout or /dev/fd/N stands for; else -1
  struct stat status;
};

// Room for the name of a file beside the target.
enum { FILE_BESIDE = PATH_MAX + 16 };

// False with errno set if there can be no such file. A file that exists must be writable.
bool file_target_find(const char *name, struct file_target *target);

// Makes a new file beside the target, which can then be renamed to the target's name. The file gets
// the target's owner and mode, or the usual ones if the target does not exist. Returns a descriptor
// for writing, or -1 with errno set.
int file_target_make_beside(const struct file_target *target, char beside[FILE_BESIDE]);

// Writes the text to such a file. Returns false with errno set if that fails, and leaves no file.
bool file_target_beside(const struct file_target *target, const char *text, size_t size,
                        char beside[FILE_BESIDE]);

// Writes all of it. False with errno set.
bool file_write_all(int to, const char *text, size_t size);

// Signals that end a process wait until the file beside its target is renamed or removed.
void file_hold_signals(sigset_t *before);
void file_release_signals(const sigset_t *before);

#endif
