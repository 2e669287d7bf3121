// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The expression that makes an atomic access, and the other calls in its statement: whatever is
// called may access memory as well, and a fence must not end up on the wrong side of it.

#ifndef ACCESS_H
#define ACCESS_H

#include "unit.h"

struct access {
  size_t begin, end;  // tokens
  size_t open, close; // its parentheses, 0 if it is no call
  size_t name;
};

// The access that begins at TOKEN, where the compiler says it is.
struct access access_at(const struct unit *unit, size_t token);

struct neighbours {
  bool before, inside; // calls that come before it, or are among its arguments
  bool around, after;  // calls it is an argument of, or that come behind it
  size_t next;         // the name of the first call behind it
  bool sequenced;      // && or || stands between it and that
};

// Finds the neighbours of ACCESS among the tokens BEGIN..END.
struct neighbours access_neighbours(const struct unit *unit, const struct access *access,
                                    size_t begin, size_t end);

#endif
