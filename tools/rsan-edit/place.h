// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns a rule into changes of the source. All of these return false, with the reason noted in the
// rule, where that cannot be done without changing what the program does.

#ifndef PLACE_H
#define PLACE_H

#include "edits.h"
#include "rule.h"
#include "unit.h"

// How a fence is written: as a call without the semicolon.
const char *place_fence(const struct unit *unit, bool builtin);

bool place_rule(const struct unit *unit, struct rule *rule, const char *fence, struct edits *edits);

// -- the kinds of rules --

// The fence before or after the access at TOKEN.
bool fence_place(const struct unit *unit, struct rule *rule, size_t token, const char *fence,
                 struct edits *edits);

// A stronger order for the access at TOKEN.
bool order_place(const struct unit *unit, struct rule *rule, size_t token, struct edits *edits);

// Does an argument of the call at TOKEN name an order?
bool order_is_argument(const struct unit *unit, size_t token);

// -- text around statements (layout.c) --

struct statement;

// The blanks that the line of this token begins with.
void layout_indent(const struct unit *unit, size_t token, char *indent, size_t size);

// Insert the text (whole statements) before or after the statement, or at the beginning of the
// block at the token OPEN. A body without braces gets some.
bool layout_before(const struct unit *unit, const struct statement *statement, const char *text,
                   struct edits *edits);
bool layout_after(const struct unit *unit, const struct statement *statement, const char *text,
                  struct edits *edits);
bool layout_in_block(const struct unit *unit, size_t open, const char *text, struct edits *edits);

// Gives the statement braces, if it is a body without.
bool layout_braces(const struct unit *unit, const struct statement *statement, struct edits *edits);

// Adds a second branch to the IF.
bool layout_else(const struct unit *unit, const struct statement *statement, const char *text,
                 struct edits *edits);

#endif
