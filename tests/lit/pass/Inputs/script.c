// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Entry points that find one value of a script after the other, and see whether the program's loop
// ends on those, and only those, that the condition given holds for.

#include "calls.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

extern const uint64_t script[];
extern const unsigned script_length;
unsigned script_position, script_wrong;
bool script_ended; // the last value should have ended the loop

static bool holds(int relation, uint64_t f, uint64_t v, int64_t sf, int64_t sv) {
  switch (relation & 15) { // 16: the value serves nothing but the condition
  case 0:
    return f == v;
  case 1:
    return f != v;
  case 2:
    return f < v;
  case 3:
    return f <= v;
  case 4:
    return f > v;
  case 5:
    return f >= v;
  case 6:
    return sf < sv;
  case 7:
    return sf <= sv;
  case 8:
    return sf > sv;
  case 9:
    return sf >= sv;
  default:
    abort();
  }
}

#define SIZE(n, type, stype)                                                                       \
  type __rsan_atomic##n##_wait_load(type *a, int order, int relation, type mask, type value) {     \
    if (*a != 0 || order != 2)                                                                     \
      abort();                                                                                     \
    script_wrong += script_ended;                                                                  \
    type found = (type)script[script_position++ % script_length];                                  \
    type seen = mask ? found & mask : found; /* as the runtime does */                             \
    script_ended = holds(relation, seen, value, (stype)seen, (stype)value);                        \
    return found;                                                                                  \
  }

SIZE(8, uint8_t, int8_t)
SIZE(16, uint16_t, int16_t)
SIZE(32, uint32_t, int32_t)
SIZE(64, uint64_t, int64_t)
