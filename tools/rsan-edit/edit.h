// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From rules to changed texts, and from those to outputs and sources.

#ifndef EDIT_H
#define EDIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "built.h"
#include "edits.h"
#include "rule.h"

struct arguments {
  const char *rules, *database, *yaml, *output, *overlay;
  const char
      *relative; // folder that the diff's names begin in; NULL: the repository's, or this one
  char *const *flags;
  const char **binaries; // NULL at their end
  size_t binary_count;
  const char **kept; // folders whose sources are not edited, as given; NULL at their end
  size_t kept_count;
  bool write, judge;
};

// A source that the rules change.
struct edited {
  char *path, *text, *changed;
  struct edits edits;
};

struct editing {
  const struct arguments *arguments;
  struct rules rules;
  struct built built;
  struct edited *files;
  size_t count;
};

// "FILE:LINE:COLUMN: RULE: ", the beginning of what is said of a rule.
void edit_print_place(FILE *to, const struct rule *rule);

// Finds the changes for all rules: files. What a rule is refused for is noted in it.
void edit_all(struct editing *editing);

// The diff, and what else was asked for. False after a message.
bool write_outputs(const struct editing *editing);

// Exit statuses, of main too.
enum {
  EDIT_DONE,
  EDIT_REFUSED, // some rules are not in the diff, and no source was changed
  EDIT_FAILED,  // usage, or something could not be read or written: no source was changed
  EDIT_PARTLY,  // sources were changed that could not be put back, as said
};

// Changes the sources, all or none; says so.
int write_sources(const struct editing *editing);

void edit_free(struct editing *editing);

#endif
