// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Changes of a text, gathered in any order. Those at one place come out as one replacement.

#ifndef EDITS_H
#define EDITS_H

#include <stdbool.h>
#include <stddef.h>

// The order of insertions at one place.
enum edit_class {
  EDIT_CLOSE, // behind what ends there; of several the innermost first
  EDIT_OPEN,  // an opening brace before what begins there
  EDIT_BEFORE,
};

struct edit {
  unsigned offset, length;
  enum edit_class class;
  unsigned begin; // of EDIT_CLOSE: where the statement begins that ends there
  char *text;
};

struct edits {
  struct edit *at;
  size_t count;
};

// The same change twice is one change. False if it would overlap another replacement.
bool edits_add(struct edits *edits, unsigned offset, unsigned length, enum edit_class class,
               unsigned begin, const char *text);

// The replacement of exactly this stretch that was added before; NULL: there is none.
struct edit *edits_replacement(const struct edits *edits, unsigned offset, unsigned length);
void edit_set_text(struct edit *edit, const char *text);

// Sorts them and joins those at one place.
void edits_merge(struct edits *edits);

// The text with the merged edits in it.
char *edits_apply(const struct edits *edits, const char *text);

void edits_free(struct edits *edits);

#endif
