// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "explicit.h"

#include "../host.h"

static void raise_known(uint64_t known[RSAN_FAMILIES], const rsan_family *by, uint32_t x) {
  for (unsigned family = 0; family < RSAN_FAMILIES; family++)
    if (known[family] < rsan_clock_get(&(*by)[family], x))
      known[family] = rsan_clock_get(&(*by)[family], x);
}

void rsan_seqcst_explicit_known(const struct rsan_seqcst_explicit_thread *thread, uint32_t x,
                                bool seq_cst, uint64_t known[RSAN_FAMILIES]) {
  raise_known(known, &thread->c.f, x);
  if (!seq_cst)
    return;
  raise_known(known, &thread->st, x);
  raise_known(known, &thread->c.h, x);
}

// The thread's next event: whatever it did before is po-before that, and what follows from there.
static void s_explicit_move_on(struct rsan_seqcst_explicit_thread *thread) {
  RSAN_CLOCKS_JOIN(&thread->c.h, &thread->st);
}

void rsan_seqcst_explicit_access(struct rsan_seqcst_explicit_thread *thread,
                                 struct rsan_seqcst_explicit_location *location,
                                 const struct rsan_explicit_thread *hb, uint32_t x,
                                 const struct rsan_access *access) {
  bool reads = access->kind != RSAN_WRITE, writes = access->kind != RSAN_READ;
  bool acquires = rsan_order_acquires(access->order), releases = rsan_order_releases(access->order);
  const rsan_family *brings = writes ? &location->sm : &location->sw, *leaves = &thread->c.f;
  s_explicit_move_on(thread);
  if (access->order == RSAN_SEQ_CST) {
    RSAN_CLOCKS_JOIN(&thread->st, &thread->c.h);
    RSAN_CLOCKS_JOIN(&thread->st, brings);
    for (unsigned family = 0; family < RSAN_FAMILIES; family++)
      rsan_clock_set(&thread->st[family], x, rsan_clock_get(&hb->c[family], x));
    RSAN_CLOCKS_JOIN(&thread->c.p, &thread->st);
    leaves = &thread->st;
  }
  RSAN_CLOCKS_JOIN(&thread->c.p, brings);
  RSAN_CLOCKS_JOIN(&location->sm, leaves);
  if (writes)
    RSAN_CLOCKS_ASSIGN(&location->sw, &location->sm);
  const struct rsan_seqcst_explicit_flows *released = releases ? &thread->c : &thread->r;
  if (reads)
    RSAN_CLOCKS_JOIN(acquires ? &thread->c : &thread->a, &location->w);
  if (reads && writes)
    RSAN_CLOCKS_JOIN(&location->w, released);
  else if (writes)
    RSAN_CLOCKS_ASSIGN(&location->w, released);
}

// The SC fence as an event of S is S-after all that H and P say, and knows what happened before.
static void s_explicit_take_place(struct rsan_seqcst_explicit_thread *thread,
                                  struct rsan_seqcst_explicit_flows *f,
                                  const struct rsan_explicit_thread *hb) {
  if (f)
    RSAN_CLOCKS_JOIN(&thread->c, f);
  RSAN_CLOCKS_JOIN(&thread->st, &thread->c.h);
  RSAN_CLOCKS_JOIN(&thread->st, &thread->c.p);
  RSAN_CLOCKS_JOIN(&thread->st, &hb->c);
  RSAN_CLOCKS_JOIN(&thread->c.f, &thread->st);
  RSAN_CLOCKS_JOIN(&thread->c.h, &thread->st);
  RSAN_CLOCKS_JOIN(&thread->c.p, &thread->st);
  if (f)
    RSAN_CLOCKS_JOIN(f, &thread->c);
}

void rsan_seqcst_explicit_fence(struct rsan_seqcst_explicit_thread *thread,
                                struct rsan_seqcst_explicit_flows *f,
                                const struct rsan_explicit_thread *hb, enum rsan_order order) {
  s_explicit_move_on(thread);
  if (rsan_order_acquires(order))
    RSAN_CLOCKS_JOIN(&thread->c, &thread->a);
  if (order == RSAN_SEQ_CST)
    s_explicit_take_place(thread, f, hb);
  if (rsan_order_releases(order))
    RSAN_CLOCKS_ASSIGN(&thread->r, &thread->c);
}

void rsan_seqcst_explicit_release(struct rsan_seqcst_explicit_thread *thread,
                                  struct rsan_seqcst_explicit_flows *object) {
  s_explicit_move_on(thread);
  RSAN_CLOCKS_JOIN(object, &thread->c);
}

void rsan_seqcst_explicit_acquire(struct rsan_seqcst_explicit_thread *thread,
                                  const struct rsan_seqcst_explicit_flows *object) {
  s_explicit_move_on(thread);
  RSAN_CLOCKS_JOIN(&thread->c, object);
}

void rsan_seqcst_explicit_pass(struct rsan_seqcst_explicit_thread *thread,
                               struct rsan_seqcst_explicit_location *location) {
  s_explicit_move_on(thread);
  RSAN_CLOCKS_JOIN(&thread->st, &thread->c.h);
  RSAN_CLOCKS_JOIN(&thread->st, &location->sm);
  RSAN_CLOCKS_JOIN(&thread->c.p, &thread->st);
  RSAN_CLOCKS_JOIN(&location->sm, &thread->st);
  RSAN_CLOCKS_ASSIGN(&location->sw, &location->sm);
  RSAN_CLOCKS_JOIN(&thread->c, &location->w);
  RSAN_CLOCKS_JOIN(&location->w, &thread->c);
}

void rsan_seqcst_explicit_merge(struct rsan_seqcst_explicit_location *into,
                                const struct rsan_seqcst_explicit_location *from) {
  RSAN_CLOCKS_JOIN(&into->sm, &from->sm);
  RSAN_CLOCKS_ASSIGN(&into->sw, &into->sm);
  RSAN_CLOCKS_JOIN(&into->w, &from->w);
}
