// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A place for one message. With -DWEAKENED it is handed over before it is written.

#ifndef MAILBOX_H
#define MAILBOX_H

#include <stdatomic.h>
#include <stdbool.h>

enum { EMPTY, BUSY, FULL };

struct mailbox {
  atomic_int state;
  int message;
};

#ifdef WEAKENED
#define HAND_OVER memory_order_relaxed
#else
#define HAND_OVER memory_order_release
#endif

static bool claim(struct mailbox *m, int state) {
  return atomic_compare_exchange_strong_explicit(&m->state, &state, BUSY, memory_order_acquire,
                                                 memory_order_relaxed);
}

// False: there is one already.
static bool put(struct mailbox *m, int message) {
  if (!claim(m, EMPTY))
    return false;
  m->message = message;
  atomic_store_explicit(&m->state, FULL, HAND_OVER);
  return true;
}

// 0: there is none.
static int take(struct mailbox *m) {
  if (!claim(m, FULL))
    return 0;
  int message = m->message;
  atomic_store_explicit(&m->state, EMPTY, memory_order_release);
  return message;
}

#endif
