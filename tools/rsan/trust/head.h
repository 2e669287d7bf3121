// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The head of a recorded schedule: its first lines, which say which program it is of.

#ifndef REPLAY_HEAD_H
#define REPLAY_HEAD_H

#include <stdbool.h>
#include <stddef.h>

// The texts of the lines `build`, `arguments` and `options`; NULL: no such line.
struct schedule_head {
  char *build, *arguments, *options;
};

// Reads the head of a regular file, and whether the file is a schedule at all. Returns false, with
// errno, if the file cannot be read; EINVAL: not a regular file. The caller frees the head.
bool schedule_head_read(const char *file, struct schedule_head *head, bool *is_schedule);
// The words of the head's line of arguments, which is changed, behind FIRST free places. NULL is at
// the end. The caller frees the array, and the line after it.
char **schedule_words(char *line, size_t first);

void schedule_head_free(struct schedule_head *head);

// The command that replays the schedule, or the report with the token in a file of reports, quoted
// for a shell. TOKEN may be NULL. The caller frees it.
char *replay_line(const char *file, const char *token);

#endif
