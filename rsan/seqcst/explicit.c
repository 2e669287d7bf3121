// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "explicit.h"

#include "../host.h"

typedef struct rsan_clock clocks[RSAN_FAMILIES];

static void join(clocks into, const clocks from) {
  for (unsigned family = 0; family < RSAN_FAMILIES; family++)
    rsan_clock_join(&into[family], &from[family]);
}

static void assign(clocks into, const clocks from) {
  for (unsigned family = 0; family < RSAN_FAMILIES; family++)
    rsan_clock_assign(&into[family], &from[family]);
}

static void clear(clocks of) {
  for (unsigned family = 0; family < RSAN_FAMILIES; family++)
    rsan_clock_clear(&of[family]);
}

static void join_flows(struct rsan_seqcst_explicit_flows *into,
                       const struct rsan_seqcst_explicit_flows *from) {
  for (unsigned flow = 0; flow < RSAN_S_FLOWS; flow++)
    join(into->of[flow], from->of[flow]);
}

static void assign_flows(struct rsan_seqcst_explicit_flows *into,
                         const struct rsan_seqcst_explicit_flows *from) {
  for (unsigned flow = 0; flow < RSAN_S_FLOWS; flow++)
    assign(into->of[flow], from->of[flow]);
}

static uint64_t max(uint64_t a, uint64_t b) {
  return a > b ? a : b;
}

void rsan_seqcst_explicit_known(const struct rsan_seqcst_explicit_thread *thread, uint32_t x,
                                bool seq_cst, uint64_t known[RSAN_FAMILIES]) {
  for (unsigned family = 0; family < RSAN_FAMILIES; family++) {
    known[family] = max(known[family], rsan_clock_get(&thread->c.of[RSAN_S_F][family], x));
    if (!seq_cst)
      continue;
    known[family] = max(known[family], rsan_clock_get(&thread->st[family], x));
    known[family] = max(known[family], rsan_clock_get(&thread->c.of[RSAN_S_H][family], x));
  }
}

// The thread's next event: whatever it did before is po-before that, and what follows from there.
static void move_on(struct rsan_seqcst_explicit_thread *thread) {
  join(thread->c.of[RSAN_S_H], thread->st);
}

void rsan_seqcst_explicit_access(struct rsan_seqcst_explicit_thread *thread,
                                 struct rsan_seqcst_explicit_location *location,
                                 const struct rsan_explicit_thread *hb, uint32_t x,
                                 const struct rsan_access *access) {
  bool reads = access->kind != RSAN_WRITE, writes = access->kind != RSAN_READ;
  bool acquires = rsan_order_acquires(access->order), releases = rsan_order_releases(access->order);
  struct rsan_clock *brings = writes ? location->sm : location->sw;
  const struct rsan_clock *leaves = thread->c.of[RSAN_S_F];
  move_on(thread);
  if (access->order == RSAN_SEQ_CST) {
    join(thread->st, thread->c.of[RSAN_S_H]);
    join(thread->st, brings);
    for (unsigned family = 0; family < RSAN_FAMILIES; family++)
      rsan_clock_set(&thread->st[family], x, rsan_clock_get(&hb->c[family], x));
    join(thread->c.of[RSAN_S_P], thread->st);
    leaves = thread->st;
  }
  join(thread->c.of[RSAN_S_P], brings);
  join(location->sm, leaves);
  if (writes)
    assign(location->sw, location->sm);
  const struct rsan_seqcst_explicit_flows *published = releases ? &thread->c : &thread->r;
  if (reads)
    join_flows(acquires ? &thread->c : &thread->a, &location->w);
  if (reads && writes)
    join_flows(&location->w, published);
  else if (writes)
    assign_flows(&location->w, published);
}

// The SC fence as an event of S: it is S-after all that H and P say, and knows what happened before.
static void take_place(struct rsan_seqcst_explicit_thread *thread,
                       struct rsan_seqcst_explicit_flows *f,
                       const struct rsan_explicit_thread *hb) {
  join_flows(&thread->c, f);
  join(thread->st, thread->c.of[RSAN_S_H]);
  join(thread->st, thread->c.of[RSAN_S_P]);
  join(thread->st, hb->c);
  for (unsigned flow = 0; flow < RSAN_S_FLOWS; flow++)
    join(thread->c.of[flow], thread->st);
  join_flows(f, &thread->c);
}

void rsan_seqcst_explicit_fence(struct rsan_seqcst_explicit_thread *thread,
                                struct rsan_seqcst_explicit_flows *f,
                                const struct rsan_explicit_thread *hb, enum rsan_order order) {
  move_on(thread);
  if (rsan_order_acquires(order))
    join_flows(&thread->c, &thread->a);
  if (order == RSAN_SEQ_CST)
    take_place(thread, f, hb);
  if (rsan_order_releases(order))
    assign_flows(&thread->r, &thread->c);
}

void rsan_seqcst_explicit_release(struct rsan_seqcst_explicit_thread *thread,
                                  struct rsan_seqcst_explicit_flows *object) {
  move_on(thread);
  join_flows(object, &thread->c);
}

void rsan_seqcst_explicit_acquire(struct rsan_seqcst_explicit_thread *thread,
                                  const struct rsan_seqcst_explicit_flows *object) {
  move_on(thread);
  join_flows(&thread->c, object);
}

void rsan_seqcst_explicit_pass(struct rsan_seqcst_explicit_thread *thread,
                               struct rsan_seqcst_explicit_location *location) {
  move_on(thread);
  join(thread->st, thread->c.of[RSAN_S_H]);
  join(thread->st, location->sm);
  join(thread->c.of[RSAN_S_P], thread->st);
  join(location->sm, thread->st);
  assign(location->sw, location->sm);
  join_flows(&thread->c, &location->w);
  join_flows(&location->w, &thread->c);
}

void rsan_seqcst_explicit_merge(struct rsan_seqcst_explicit_location *into,
                                const struct rsan_seqcst_explicit_location *from) {
  join(into->sm, from->sm);
  assign(into->sw, into->sm);
  join_flows(&into->w, &from->w);
}

void rsan_seqcst_explicit_flows_clear(struct rsan_seqcst_explicit_flows *flows) {
  for (unsigned flow = 0; flow < RSAN_S_FLOWS; flow++)
    clear(flows->of[flow]);
}

void rsan_seqcst_explicit_thread_clear(struct rsan_seqcst_explicit_thread *thread) {
  clear(thread->st);
  rsan_seqcst_explicit_flows_clear(&thread->c);
  rsan_seqcst_explicit_flows_clear(&thread->a);
  rsan_seqcst_explicit_flows_clear(&thread->r);
}

void rsan_seqcst_explicit_location_clear(struct rsan_seqcst_explicit_location *location) {
  clear(location->sm);
  clear(location->sw);
  rsan_seqcst_explicit_flows_clear(&location->w);
}
