// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Temporary folders. A folder is removed with all that is in it when the process ends, and by
// SIGINT, SIGTERM and SIGHUP unless the process blocks or handles them, because users cannot know
// of a folder that no output names. A command keeps the folder before it prints its name.

#ifndef FILE_TEMPORARY_H
#define FILE_TEMPORARY_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

// Makes a folder NAME-XXXXXX in TMPDIR, or in /tmp if TMPDIR is not set or its path has more than
// LONGEST bytes (0: always in /tmp). PATH gets its name. A process has up to four such folders.
// False with errno set.
bool file_temporary_make(const char *name, size_t longest, char path[PATH_MAX]);

// The child, which writes in the folders, is ended by SIGTERM before a signal has them removed. 0:
// there is none any more.
void file_temporary_written_by(pid_t child);

// The folder stays when the process ends. PATH is the name that file_temporary_make() has given, or
// its absolute path; any other folder is ignored.
void file_temporary_keep(const char *path);

// Removes a folder and all that is in it.
void file_remove_tree(const char *folder);

#endif
