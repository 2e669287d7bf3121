// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct shape shapes[] = {
    {"SB", "st 0 ? 1; ld 1 ? | st 1 ? 1; ld 0 ?", 65, 64, 64},
    {"2+2W", "st 0 ? 1; st 1 ? 2 | st 1 ? 1; st 0 ? 2", 65, 64, 64},
    {"R", "st 0 ? 1; st 1 ? 1 | st 1 ? 2; ld 0 ?", 65, 64, 64},
    {"MP", "st 0 ? 1; st 1 ? 1 | ld 1 ?; ld 0 ?", 65, 33, 33},
    {"S", "st 0 ? 2; st 1 ? 1 | ld 1 ?; st 0 ? 1", 65, 33, 33},
    {"LB", "ld 0 ?; st 1 ? 1 | ld 1 ?; st 0 ? 1", 65, 0, 0},
    {"IRIW", "st 0 < 1 | st 1 > 1 | ld 0 ?; ld 1 ? | ld 1 ?; ld 0 ?", 438, 432, 437},
    {"WRC", "st 0 ? 1 | ld 0 ?; st 1 ? 1 | ld 1 ?; ld 0 ?", 211, 111, 111},
    {"RWC", "st 0 ? 1 | ld 0 ?; ld 1 ? | st 1 ? 1; ld 0 ?", 211, 208, 210},
    {"W+RWC", "st 0 ? 1; st 1 ? 1 | ld 1 ?; ld 2 ? | st 2 ? 1; ld 0 ?", 665, 661, 661},
    {"Z6.U", "st 0 ? 1; st 1 ? 1 | fa 1 ? 1; ld 1 ? | st 1 ? 3; ld 0 ?", 1087, 1072, 1072},
};
const uint32_t shape_count = sizeof shapes / sizeof *shapes;

enum { ACCESSES_MAX = 8, TEXT_MAX = 256 };

// One by one all orders that an access may have, from relaxed to seq_cst.
static bool next_order(struct trace_event *access) {
  unsigned allowed = trace_op_orders(access->op);
  for (int order = access->order + 1; order < TRACE_ORDER_COUNT; order++)
    if (allowed >> order & 1) {
      access->order = (enum trace_order)order;
      return true;
    }
  access->order = TRACE_RLX;
  return false;
}

void shape_mixes(const struct shape *shape, shape_visitor *visit, void *context) {
  char text[TEXT_MAX], *out = text;
  struct trace_event *access[ACCESSES_MAX], *weaker = NULL, *stronger = NULL;
  struct program program;
  const char *reason;
  for (const char *in = shape->program; *in; in++)
    out += sprintf(out, strchr("?<>", *in) ? "rlx" : "%c", *in);
  if (!program_parse(text, &program, &reason))
    abort();
  uint32_t count = 0;
  const char *order = shape->program;
  for (uint32_t t = 0; t < program.threads; t++)
    for (uint32_t i = 0; i < program.length[t]; i++, order++) {
      order += strcspn(order, "?<>");
      access[count++] = &program.ops[t][i];
      if (*order == '<')
        weaker = access[count - 1];
      if (*order == '>')
        stronger = access[count - 1];
    }
  for (uint32_t at = 0; at < count;) {
    bool sc = false;
    for (uint32_t i = 0; i < count; i++)
      sc |= access[i]->order == TRACE_SC;
    if (sc && (!weaker || weaker->order <= stronger->order))
      visit(context, &program);
    for (at = 0; at < count && !next_order(access[at]); at++)
      continue;
  }
}
