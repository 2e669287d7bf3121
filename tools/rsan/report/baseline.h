// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Baselines: files of the findings that are known, by their tokens (docs/guide/BASELINE.md). A
// line `token:DIGITS` is a finding, and the comment before it says in words which one.

#ifndef BASELINE_H
#define BASELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct known_finding {
  char *token, *text; // owned; text: "" if the file does not say it
  bool seen;
};

struct baseline {
  struct known_finding *at; // sorted by token, each once
  size_t count;
};

// Reads the file. False after a message: it cannot be read, or has a line of another kind. The
// caller clears it in either case.
bool baseline_read(struct baseline *baseline, const char *path);
void baseline_clear(struct baseline *baseline);

// Copies the texts. To be followed by baseline_sort.
void baseline_add(struct baseline *baseline, const char *token, const char *text);
void baseline_sort(struct baseline *baseline);

// NULL: there is none of that token.
struct known_finding *baseline_find(const struct baseline *baseline, const char *token);

// Is the finding known? Notes that it was seen. BASELINE may be NULL: no.
bool baseline_see(struct baseline *baseline, const char *token);

void baseline_write(const struct baseline *baseline, FILE *out);

// Writes a line for each finding that was not seen, and one before them with their number. WHERE
// ends that: "in 100 runs". Nothing if all were seen.
void baseline_write_gone(const struct baseline *baseline, const char *where, FILE *out);

#endif
