// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rules of a repair, in the runtime's own form (simulate=FILE), one a line:
//   fence-before FILE:LINE[:COLUMN]    fence-after FILE:LINE[:COLUMN]
//   order acquire|release|acq_rel|seq_cst FILE:LINE[:COLUMN]
// Blank lines and what follows a '#' are skipped.

#ifndef RULE_H
#define RULE_H

#include <stdbool.h>
#include <stddef.h>

enum rule_kind { RULE_FENCE_BEFORE, RULE_FENCE_AFTER, RULE_ORDER };
enum rule_order { ORDER_RELAXED, ORDER_ACQUIRE, ORDER_RELEASE, ORDER_ACQ_REL, ORDER_SEQ_CST };

struct rule {
  enum rule_kind kind;
  enum rule_order order; // of RULE_ORDER
  char *given, *file;    // as in the rule; with links resolved
  unsigned line, column; // column 0: the only access in the line
  char reason[1024];     // why the source was not edited, "" if it was
};

struct rules {
  struct rule *at;
  size_t count;
};

// False after a message on standard error, "PATH:LINE: reason".
bool rules_read(const char *path, struct rules *rules);

void rules_free(struct rules *rules);

// "fence after", "fence before", "order acq_rel"
const char *rule_text(const struct rule *rule);

// Notes why the rule's place is not edited; the first reason stays. Returns false.
__attribute__((format(printf, 2, 3))) bool rule_refuse(struct rule *rule, const char *format, ...);

#endif
