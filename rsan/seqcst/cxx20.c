// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rules are those of seqcst/explicit.c, but that no fence hands anything on to another one.

#include "cxx20.h"

#include "../host.h"

static uint32_t cxx20_number_of(uint32_t id) {
  return 2 * id;
}

static uint32_t cxx20_beside(uint32_t id) {
  return 2 * id + 1;
}

static void cxx20_raise_entry(struct rsan_clock *clock, uint32_t index, uint64_t value) {
  if (rsan_clock_get(clock, index) < value)
    rsan_clock_set(clock, index, value);
}

void rsan_cxx20_begin(struct rsan_cxx20_views *thread, uint32_t id) {
  rsan_clock_tick(&thread->c.hb, cxx20_number_of(id));
}

void rsan_cxx20_mark(struct rsan_cxx20_views *thread, uint32_t slot, uint64_t number) {
  cxx20_raise_entry(&thread->c.hb, cxx20_beside(slot), number);
}

bool rsan_cxx20_has_mark(const struct rsan_cxx20_views *thread, uint32_t slot, uint64_t number) {
  return rsan_clock_get(&thread->c.hb, cxx20_beside(slot)) >= number;
}

// Is what the record says known by that view of S?
static bool cxx20_view_has(const struct rsan_clock *view, const struct rsan_cxx20_record *record) {
  uint32_t entry =
      record->is_event ? cxx20_number_of(record->thread) : cxx20_beside(record->thread);
  return rsan_clock_get(view, entry) >= record->number;
}

static bool cxx20_is_known(const struct rsan_cxx20_views *thread,
                           const struct rsan_cxx20_record *record, bool by_s, bool seq_cst) {
  if (!record->is_event &&
      rsan_clock_get(&thread->c.hb, cxx20_number_of(record->thread)) >= record->number)
    return true;
  if (!by_s)
    return false;
  return cxx20_view_has(&thread->c.f, record) ||
         (seq_cst && (cxx20_view_has(&thread->st, record) || cxx20_view_has(&thread->c.h, record)));
}

uint64_t rsan_cxx20_known(const struct rsan_cxx20_views *thread,
                          const struct rsan_cxx20_there *there, bool by_s, bool seq_cst) {
  for (uint32_t i = there->count; i-- > 0;)
    if (cxx20_is_known(thread, &there->records[i], by_s, seq_cst))
      return there->records[i].version;
  return there->base;
}

static void cxx20_note(struct rsan_cxx20_there *there, uint32_t thread, bool is_event,
                       uint64_t number, uint64_t version) {
  for (uint32_t i = there->count; i-- > 0 && there->records[i].version == version;)
    if (there->records[i].thread == thread && there->records[i].is_event == is_event)
      return; // an earlier number, which whoever has this one has, too
  if (there->count == there->room)
    there->records = rsan_grow(there->records, &there->room, sizeof *there->records, 128);
  there->records[there->count++] = (struct rsan_cxx20_record){number, version, thread, is_event};
}

// The thread's next event: whatever it did before is po-before that, and what follows from there.
static void cxx20_move_on(struct rsan_cxx20_views *thread) {
  rsan_clock_join(&thread->c.h, &thread->st);
}

static uint64_t cxx20_epoch_of(const struct rsan_cxx20_views *thread, uint32_t id) {
  return rsan_clock_get(&thread->c.hb, cxx20_number_of(id));
}

// What was released is of the epoch that ends.
static void cxx20_end_epoch(struct rsan_cxx20_views *thread, uint32_t id) {
  rsan_clock_tick(&thread->c.hb, cxx20_number_of(id));
}

static const struct rsan_clock *cxx20_brings(const struct rsan_cxx20_there *there,
                                             const struct rsan_access *access) {
  return access->kind != RSAN_READ ? &there->sm : &there->sw;
}

// A seq_cst access as an event of S.
static void cxx20_take_place(struct rsan_cxx20_views *thread, uint32_t id,
                             struct rsan_cxx20_there *there, uint32_t count,
                             const struct rsan_access *access, uint64_t newest) {
  rsan_clock_join(&thread->st, &thread->c.h);
  for (uint32_t i = 0; i < count; i++)
    rsan_clock_join(&thread->st, cxx20_brings(&there[i], access));
  rsan_clock_tick(&thread->st, cxx20_number_of(id));
  rsan_clock_join(&thread->c.p, &thread->st);
  for (uint32_t i = 0; i < count; i++)
    cxx20_note(&there[i], id, true, rsan_clock_get(&thread->st, cxx20_number_of(id)), newest);
}

// A read-modify-write continues the release sequences of all that it reads.
static void cxx20_join_sequences(struct rsan_cxx20_there *there, uint32_t count) {
  for (uint32_t i = 1; i < count; i++)
    RSAN_CLOCKS_JOIN(&there->w, &there[i].w);
  for (uint32_t i = 1; i < count; i++)
    RSAN_CLOCKS_ASSIGN(&there[i].w, &there->w);
}

static void cxx20_flow(struct rsan_cxx20_views *thread, uint32_t id, struct rsan_cxx20_there *there,
                       uint32_t count, const struct rsan_access *access) {
  bool reads = access->kind != RSAN_WRITE, writes = access->kind != RSAN_READ;
  bool releases = rsan_order_releases(access->order);
  const struct rsan_cxx20_flows *released = releases ? &thread->c : &thread->r;
  for (uint32_t i = 0; reads && i < count; i++)
    RSAN_CLOCKS_JOIN(rsan_order_acquires(access->order) ? &thread->c : &thread->a, &there[i].w);
  if (!writes)
    return;
  if (reads)
    cxx20_join_sequences(there, count);
  for (uint32_t i = 0; i < count; i++)
    if (reads)
      RSAN_CLOCKS_JOIN(&there[i].w, released);
    else
      RSAN_CLOCKS_ASSIGN(&there[i].w, released);
  if (releases)
    cxx20_end_epoch(thread, id);
}

void rsan_cxx20_access(struct rsan_cxx20_views *thread, uint32_t id, struct rsan_cxx20_there *there,
                       uint32_t count, const struct rsan_access *access, uint64_t newest) {
  bool writes = access->kind != RSAN_READ, seq_cst = access->order == RSAN_SEQ_CST;
  cxx20_move_on(thread);
  if (seq_cst)
    cxx20_take_place(thread, id, there, count, access, newest);
  for (uint32_t i = 0; i < count; i++)
    rsan_clock_join(&thread->c.p, cxx20_brings(&there[i], access));
  for (uint32_t i = 0; i < count; i++) {
    rsan_clock_join(&there[i].sm, seq_cst ? &thread->st : &thread->c.f);
    if (writes)
      rsan_clock_assign(&there[i].sw, &there[i].sm);
    cxx20_note(&there[i], id, false, cxx20_epoch_of(thread, id), newest);
  }
  cxx20_flow(thread, id, there, count, access);
}

// The SC fence as an event of S is S-after all that H and P say, and knows what happened before.
static void cxx20_pass_sc(struct rsan_cxx20_views *thread, uint32_t id) {
  struct rsan_clock *st = &thread->st;
  rsan_clock_join(st, &thread->c.h);
  rsan_clock_join(st, &thread->c.p);
  rsan_clock_tick(st, cxx20_number_of(id));
  for (uint32_t i = 0; cxx20_number_of(i) < thread->c.hb.size; i++)
    cxx20_raise_entry(st, cxx20_beside(i), rsan_clock_get(&thread->c.hb, cxx20_number_of(i)));
  rsan_clock_join(&thread->c.f, st);
  rsan_clock_join(&thread->c.h, st);
  rsan_clock_join(&thread->c.p, st);
}

void rsan_cxx20_fence(struct rsan_cxx20_views *thread, uint32_t id, enum rsan_order order) {
  cxx20_move_on(thread);
  if (rsan_order_acquires(order))
    RSAN_CLOCKS_JOIN(&thread->c, &thread->a);
  if (order == RSAN_SEQ_CST)
    cxx20_pass_sc(thread, id);
  if (!rsan_order_releases(order))
    return;
  RSAN_CLOCKS_ASSIGN(&thread->r, &thread->c);
  cxx20_end_epoch(thread, id);
}

void rsan_cxx20_release(struct rsan_cxx20_views *thread, uint32_t id,
                        struct rsan_cxx20_flows *object) {
  cxx20_move_on(thread);
  RSAN_CLOCKS_JOIN(object, &thread->c);
  cxx20_end_epoch(thread, id);
}

void rsan_cxx20_acquire(struct rsan_cxx20_views *thread, const struct rsan_cxx20_flows *object) {
  cxx20_move_on(thread);
  RSAN_CLOCKS_JOIN(&thread->c, object);
}

void rsan_cxx20_acquire_there(struct rsan_cxx20_views *thread, uint32_t id,
                              struct rsan_cxx20_there *there, uint64_t newest) {
  cxx20_note(there, id, false, cxx20_epoch_of(thread, id), newest);
  rsan_cxx20_acquire(thread, &there->w);
}

void rsan_cxx20_pass(struct rsan_cxx20_views *thread, uint32_t id, struct rsan_cxx20_there *there) {
  cxx20_move_on(thread);
  rsan_clock_join(&thread->st, &thread->c.h);
  rsan_clock_join(&thread->st, &there->sm);
  rsan_clock_join(&thread->c.p, &thread->st);
  rsan_clock_join(&there->sm, &thread->st);
  rsan_clock_assign(&there->sw, &there->sm);
  RSAN_CLOCKS_JOIN(&thread->c, &there->w);
  RSAN_CLOCKS_JOIN(&there->w, &thread->c);
  cxx20_end_epoch(thread, id);
}

void rsan_cxx20_merge(struct rsan_cxx20_there *into, const struct rsan_cxx20_there *from) {
  rsan_clock_join(&into->sm, &from->sm);
  rsan_clock_assign(&into->sw, &into->sm);
  RSAN_CLOCKS_JOIN(&into->w, &from->w);
}

void rsan_cxx20_copy(struct rsan_cxx20_there *into, const struct rsan_cxx20_there *from) {
  rsan_cxx20_merge(into, from);
  rsan_clock_assign(&into->sw, &from->sw);
  into->base = from->base;
  for (uint32_t i = 0; i < from->count; i++)
    cxx20_note(into, from->records[i].thread, from->records[i].is_event, from->records[i].number,
               from->records[i].version);
}

void rsan_cxx20_forget_below(struct rsan_cxx20_there *there, uint64_t version) {
  uint32_t gone = 0;
  while (gone < there->count && there->records[gone].version <= version)
    gone++;
  there->count -= gone;
  if (gone && there->count)
    rsan_host_memmove(there->records, there->records + gone, there->count * sizeof *there->records);
  there->base = rsan_max(there->base, version);
}

void rsan_cxx20_restart(struct rsan_cxx20_there *there, uint64_t version) {
  there->count = 0;
  there->base = version;
}

void rsan_cxx20_clear(struct rsan_cxx20_there *there) {
  RSAN_CLOCKS_CLEAR(&there->w);
  rsan_clock_clear(&there->sm);
  rsan_clock_clear(&there->sw);
  rsan_host_free(there->records);
  *there = (struct rsan_cxx20_there){0};
}
