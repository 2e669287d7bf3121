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

// Reads the file. If that fails or a line has another form, prints a message and returns false. The
// caller must call baseline_clear in both cases.
bool baseline_read(struct baseline *baseline, const char *path);
void baseline_clear(struct baseline *baseline);

// Adds a finding, and copies the texts. Call baseline_sort after the last one.
void baseline_add(struct baseline *baseline, const char *token, const char *text);
void baseline_sort(struct baseline *baseline);

// Returns the finding with that token, or NULL.
struct known_finding *baseline_find(const struct baseline *baseline, const char *token);

// Returns whether the finding is known, and notes that it was seen. A null BASELINE knows none.
bool baseline_see(struct baseline *baseline, const char *token);

void baseline_write(const struct baseline *baseline, FILE *out);

// Writes the number of findings that were not seen, and a line for each of them. WHERE ends the
// first line, as "in 100 runs". Writes nothing if all were seen.
void baseline_write_gone(const struct baseline *baseline, const char *where, FILE *out);

#endif
