// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which rules of simulate=FILE no process of many has come to. Each process says so of its own run.

#ifndef UNMATCHED_H
#define UNMATCHED_H

#include <stdbool.h>
#include <stdio.h>

enum { UNMATCHED_MAX = 8192 }; // lines of FILE that are told apart

struct unmatched {
  bool known; // some process has said which
  char *file;
  bool lines[UNMATCHED_MAX]; // of all processes so far
};

// Is the line of a log such a statement? It is taken in.
bool unmatched_read(struct unmatched *unmatched, const char *line);

// A process has come to all of them.
void unmatched_none(struct unmatched *unmatched);

// One line if there are any.
void unmatched_print(const struct unmatched *unmatched, FILE *to);

#endif
