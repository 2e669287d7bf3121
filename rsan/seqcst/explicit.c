// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "explicit.h"

#include "../host.h"

typedef struct rsan_clock s_explicit_clocks[RSAN_FAMILIES];

static void s_explicit_join(s_explicit_clocks into, const s_explicit_clocks from) {
  for (unsigned family = 0; family < RSAN_FAMILIES; family++)
    rsan_clock_join(&into[family], &from[family]);
}

static void s_explicit_assign(s_explicit_clocks into, const s_explicit_clocks from) {
  for (unsigned family = 0; family < RSAN_FAMILIES; family++)
    rsan_clock_assign(&into[family], &from[family]);
}

static void s_explicit_clear(s_explicit_clocks of) {
  for (unsigned family = 0; family < RSAN_FAMILIES; family++)
    rsan_clock_clear(&of[family]);
}

static void s_explicit_join_flows(struct rsan_seqcst_explicit_flows *into,
                                  const struct rsan_seqcst_explicit_flows *from) {
  for (unsigned flow = 0; flow < RSAN_S_FLOWS; flow++)
    s_explicit_join(into->of[flow], from->of[flow]);
}

static void s_explicit_assign_flows(struct rsan_seqcst_explicit_flows *into,
                                    const struct rsan_seqcst_explicit_flows *from) {
  for (unsigned flow = 0; flow < RSAN_S_FLOWS; flow++)
    s_explicit_assign(into->of[flow], from->of[flow]);
}

static uint64_t s_explicit_max(uint64_t a, uint64_t b) {
  return a > b ? a : b;
}

void rsan_seqcst_explicit_known(const struct rsan_seqcst_explicit_thread *thread, uint32_t x,
                                bool seq_cst, uint64_t known[RSAN_FAMILIES]) {
  for (unsigned family = 0; family < RSAN_FAMILIES; family++) {
    known[family] =
        s_explicit_max(known[family], rsan_clock_get(&thread->c.of[RSAN_S_F][family], x));
    if (!seq_cst)
      continue;
    known[family] = s_explicit_max(known[family], rsan_clock_get(&thread->st[family], x));
    known[family] =
        s_explicit_max(known[family], rsan_clock_get(&thread->c.of[RSAN_S_H][family], x));
  }
}

// The thread's next event: whatever it did before is po-before that, and what follows from there.
static void s_explicit_move_on(struct rsan_seqcst_explicit_thread *thread) {
  s_explicit_join(thread->c.of[RSAN_S_H], thread->st);
}

void rsan_seqcst_explicit_access(struct rsan_seqcst_explicit_thread *thread,
                                 struct rsan_seqcst_explicit_location *location,
                                 const struct rsan_explicit_thread *hb, uint32_t x,
                                 const struct rsan_access *access) {
  bool reads = access->kind != RSAN_WRITE, writes = access->kind != RSAN_READ;
  bool acquires = rsan_order_acquires(access->order), releases = rsan_order_releases(access->order);
  struct rsan_clock *brings = writes ? location->sm : location->sw;
  const struct rsan_clock *leaves = thread->c.of[RSAN_S_F];
  s_explicit_move_on(thread);
  if (access->order == RSAN_SEQ_CST) {
    s_explicit_join(thread->st, thread->c.of[RSAN_S_H]);
    s_explicit_join(thread->st, brings);
    for (unsigned family = 0; family < RSAN_FAMILIES; family++)
      rsan_clock_set(&thread->st[family], x, rsan_clock_get(&hb->c[family], x));
    s_explicit_join(thread->c.of[RSAN_S_P], thread->st);
    leaves = thread->st;
  }
  s_explicit_join(thread->c.of[RSAN_S_P], brings);
  s_explicit_join(location->sm, leaves);
  if (writes)
    s_explicit_assign(location->sw, location->sm);
  const struct rsan_seqcst_explicit_flows *published = releases ? &thread->c : &thread->r;
  if (reads)
    s_explicit_join_flows(acquires ? &thread->c : &thread->a, &location->w);
  if (reads && writes)
    s_explicit_join_flows(&location->w, published);
  else if (writes)
    s_explicit_assign_flows(&location->w, published);
}

// The SC fence as an event of S: it is S-after all that H and P say, and knows what happened
// before.
static void s_explicit_take_place(struct rsan_seqcst_explicit_thread *thread,
                                  struct rsan_seqcst_explicit_flows *f,
                                  const struct rsan_explicit_thread *hb) {
  s_explicit_join_flows(&thread->c, f);
  s_explicit_join(thread->st, thread->c.of[RSAN_S_H]);
  s_explicit_join(thread->st, thread->c.of[RSAN_S_P]);
  s_explicit_join(thread->st, hb->c);
  for (unsigned flow = 0; flow < RSAN_S_FLOWS; flow++)
    s_explicit_join(thread->c.of[flow], thread->st);
  s_explicit_join_flows(f, &thread->c);
}

void rsan_seqcst_explicit_fence(struct rsan_seqcst_explicit_thread *thread,
                                struct rsan_seqcst_explicit_flows *f,
                                const struct rsan_explicit_thread *hb, enum rsan_order order) {
  s_explicit_move_on(thread);
  if (rsan_order_acquires(order))
    s_explicit_join_flows(&thread->c, &thread->a);
  if (order == RSAN_SEQ_CST)
    s_explicit_take_place(thread, f, hb);
  if (rsan_order_releases(order))
    s_explicit_assign_flows(&thread->r, &thread->c);
}

void rsan_seqcst_explicit_release(struct rsan_seqcst_explicit_thread *thread,
                                  struct rsan_seqcst_explicit_flows *object) {
  s_explicit_move_on(thread);
  s_explicit_join_flows(object, &thread->c);
}

void rsan_seqcst_explicit_acquire(struct rsan_seqcst_explicit_thread *thread,
                                  const struct rsan_seqcst_explicit_flows *object) {
  s_explicit_move_on(thread);
  s_explicit_join_flows(&thread->c, object);
}

void rsan_seqcst_explicit_write_after(struct rsan_seqcst_explicit_location *location,
                                      const struct rsan_seqcst_explicit_flows *object) {
  s_explicit_join_flows(&location->w, object);
}

void rsan_seqcst_explicit_pass(struct rsan_seqcst_explicit_thread *thread,
                               struct rsan_seqcst_explicit_location *location) {
  s_explicit_move_on(thread);
  s_explicit_join(thread->st, thread->c.of[RSAN_S_H]);
  s_explicit_join(thread->st, location->sm);
  s_explicit_join(thread->c.of[RSAN_S_P], thread->st);
  s_explicit_join(location->sm, thread->st);
  s_explicit_assign(location->sw, location->sm);
  s_explicit_join_flows(&thread->c, &location->w);
  s_explicit_join_flows(&location->w, &thread->c);
}

void rsan_seqcst_explicit_merge(struct rsan_seqcst_explicit_location *into,
                                const struct rsan_seqcst_explicit_location *from) {
  s_explicit_join(into->sm, from->sm);
  s_explicit_assign(into->sw, into->sm);
  s_explicit_join_flows(&into->w, &from->w);
}

void rsan_seqcst_explicit_flows_clear(struct rsan_seqcst_explicit_flows *flows) {
  for (unsigned flow = 0; flow < RSAN_S_FLOWS; flow++)
    s_explicit_clear(flows->of[flow]);
}

void rsan_seqcst_explicit_thread_clear(struct rsan_seqcst_explicit_thread *thread) {
  s_explicit_clear(thread->st);
  rsan_seqcst_explicit_flows_clear(&thread->c);
  rsan_seqcst_explicit_flows_clear(&thread->a);
  rsan_seqcst_explicit_flows_clear(&thread->r);
}

void rsan_seqcst_explicit_location_clear(struct rsan_seqcst_explicit_location *location) {
  s_explicit_clear(location->sm);
  s_explicit_clear(location->sw);
  rsan_seqcst_explicit_flows_clear(&location->w);
}
