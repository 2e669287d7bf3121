// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The statement that a token is in, by the grammar of C and C++ as far as statements go. All ends
// are indices of the last token.

#ifndef STATEMENT_H
#define STATEMENT_H

#include "unit.h"

enum statement_kind {
  STATEMENT_PLAIN, // an expression or a declaration
  STATEMENT_RETURN,
  STATEMENT_JUMP, // throw, goto, co_return ...
  STATEMENT_IF,
  STATEMENT_WHILE,
  STATEMENT_DO,
  STATEMENT_FOR,
  STATEMENT_SWITCH,
};

struct statement {
  enum statement_kind kind;
  size_t begin, end;
  size_t head, head_end;     // what is between the parentheses; all of a plain one
  size_t body, body_end;     // of IF the first branch
  size_t orelse, orelse_end; // the second branch, 0 if there is none
  bool nested;               // it is a body without braces
  size_t owner;              // of a nested one: where the statement begins whose body it is
  bool labelled;             // a label stands before it
  bool last;                 // of its block
};

// The statement whose own tokens (the head, not the body) TOKEN is one of, within the block that
// begins with the token BLOCK. False if the text does not look like statements.
bool statement_find(const struct unit *unit, size_t block, size_t token,
                    struct statement *statement);

// The token that closes the bracket at OPEN; unit->count if nothing does.
size_t statement_close(const struct unit *unit, size_t open);

#endif
