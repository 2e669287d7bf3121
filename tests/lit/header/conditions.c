// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The header's relations have the runtime's numbers, and its condition holds where the runtime's
// does: for all values of a byte, and for the corners of the other sizes.
//
// RUN: %stock_clang -O1 %strict %s -o %t && %t | FileCheck %s
// CHECK: 0 differences
// Twin: it would see one that compares signed numbers as unsigned.
// RUN: %stock_clang -O1 %strict -DTWIN %s -o %t && not %t | FileCheck %s --check-prefix=TWIN
// TWIN-NOT: {{^0 differences}}

#include <stdio.h>

#include "rsan.h"
#include "rsan/condition.h"

#define SAME(mine, core) _Static_assert((int)mine == (int)core, "another number")
SAME(RSAN_EQ, RSAN_EQUAL);
SAME(RSAN_NE, RSAN_NOT_EQUAL);
SAME(RSAN_LT_U, RSAN_U_LESS);
SAME(RSAN_LE_U, RSAN_U_AT_MOST);
SAME(RSAN_GT_U, RSAN_U_GREATER);
SAME(RSAN_GE_U, RSAN_U_AT_LEAST);
SAME(RSAN_LT_S, RSAN_S_LESS);
SAME(RSAN_LE_S, RSAN_S_AT_MOST);
SAME(RSAN_GT_S, RSAN_S_GREATER);
SAME(RSAN_GE_S, RSAN_S_AT_LEAST);
_Static_assert(RSAN_GE_S + 1 == RSAN_RELATIONS && RSAN_RELATIONS <= RSAN_ALONE_, "not all");

static unsigned long asked, differences;

// As the runtime gets them: cut to the object's size.
static void ask(unsigned size, int relation, uint64_t mask, uint64_t value, uint64_t operand) {
  uint64_t found = rsan_cut_(value, size);
  struct rsan_condition condition = {{rsan_cut_(operand, size), 0},
                                     rsan_cut_(mask, size),
                                     (uint8_t)relation,
                                     (uint8_t)size,
                                     false};
#ifdef TWIN
  if (relation >= RSAN_LT_S)
    relation -= RSAN_LT_S - RSAN_LT_U;
#endif
  bool mine = rsan_holds_(found, size, relation, mask, operand);
  asked++;
  differences += mine != rsan_condition_holds(&condition, (struct rsan_value){found, 0});
}

int main(void) {
  static const uint64_t masks[] = {0, UINT64_MAX, 1, 0xF0, 0x80, 0x8000, 0xFFFFFF00};
  static const uint64_t corners[] = {
      0,      1,          0x7F,       0x80,       0xFF,       0x7FFF,    0x8000,
      0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, UINT64_MAX, INT64_MAX, (uint64_t)INT64_MIN};
  enum { MASKS = sizeof masks / sizeof *masks, CORNERS = sizeof corners / sizeof *corners };
  for (int relation = 0; relation < RSAN_RELATIONS; relation++)
    for (int m = 0; m < MASKS; m++) {
      for (unsigned a = 0; a < 256; a++)
        for (unsigned b = 0; b < 256; b++)
          ask(1, relation, masks[m], a, b);
      for (unsigned size = 2; size <= 8; size *= 2)
        for (int a = 0; a < CORNERS; a++)
          for (int b = 0; b < CORNERS; b++)
            ask(size, relation, masks[m], corners[a], corners[b]);
    }
  printf("%lu differences in %lu\n", differences, asked);
  return differences != 0;
}
