// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory orders of traces, which know nothing of the core, as the core has them.

#ifndef CORE_ORDER_H
#define CORE_ORDER_H

#include "memorder.h"
#include "trace.h"

static inline enum rsan_order core_order(enum trace_order order) {
  static const enum rsan_order orders[TRACE_ORDER_COUNT] = {[TRACE_RLX] = RSAN_RELAXED,
                                                            [TRACE_ACQ] = RSAN_ACQUIRE,
                                                            [TRACE_REL] = RSAN_RELEASE,
                                                            [TRACE_AR] = RSAN_ACQ_REL,
                                                            [TRACE_SC] = RSAN_SEQ_CST};
  return orders[order];
}

#endif
