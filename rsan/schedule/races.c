// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "races.h"

#include "../host.h"
#include "nodes.h"

// A clock says of each thread how many of its steps happen before a step, with itself.
#define THREADS RSAN_DPOR_THREADS

// The run, whose states and clocks are in `d`.
struct run {
  struct rsan_dpor *d;
  const struct rsan_dpor_step *step;
};

static bool is_step(const struct run *r, uint32_t i) {
  return !r->step[i].choices;
}

static uint32_t thread_of(const struct run *r, uint32_t i) {
  return r->step[i].thread;
}

static uint32_t *clock_of(const struct run *r, uint32_t i) {
  return &r->d->clock[(uint64_t)i * THREADS];
}

// Does step i happen before what the clock is of?
static bool knows(const struct run *r, const uint32_t *clock, uint32_t i) {
  return clock[thread_of(r, i)] >= r->d->place[i];
}

static void join(uint32_t *clock, const uint32_t *other) {
  for (uint32_t t = 0; t < THREADS; t++)
    if (clock[t] < other[t])
      clock[t] = other[t];
}

// What orders the thread's next step whatever it is about, in `clock`: program order, and what made
// it possible.
static void begin_clock(const struct run *r, uint32_t i, const struct rsan_dpor_step *step,
                        uint32_t *clock) {
  for (uint32_t t = 0; t < THREADS; t++)
    clock[t] = 0;
  for (uint32_t k = i; k-- > 0;)
    if (is_step(r, k) && thread_of(r, k) == step->thread) {
      join(clock, clock_of(r, k));
      break;
    }
  if (!step->op.after || step->op.after > i)
    return;
  uint32_t by = step->op.after;
  while (by && !is_step(r, by - 1)) // what it has chosen made the step possible
    by--;
  if (by) // (else it has chosen before the first step)
    join(clock, clock_of(r, by - 1));
}

// The initials of what happens at node e if the step i is made before it: the first steps, of which
// none needs another, of those that do not happen after e. `clock` is that of step i.
static uint64_t initials(const struct run *r, uint32_t e, uint32_t i, uint32_t thread,
                         const uint32_t *clock) {
  uint32_t first[THREADS]; // step of each thread in `seen`
  uint64_t seen = 0, initial = 0;
  for (uint32_t k = e + 1; k <= i; k++) {
    bool last = k == i;
    if (!last && (!is_step(r, k) || knows(r, clock_of(r, k), e)))
      continue;
    uint32_t who = last ? thread : thread_of(r, k);
    if (seen >> who & 1)
      continue;
    const uint32_t *its = last ? clock : clock_of(r, k);
    bool needs = false;
    for (uint64_t left = seen; left; left &= left - 1)
      needs |= knows(r, its, first[__builtin_ctzll(left)]);
    first[who] = k;
    seen |= (uint64_t)1 << who;
    initial |= needs ? 0 : (uint64_t)1 << who;
  }
  return initial;
}

static void reverse(const struct run *r, uint32_t e, uint32_t i, uint32_t thread,
                    const uint32_t *clock) {
  struct rsan_dpor_node *node = r->d->path[e];
  uint64_t initial = initials(r, e, i, thread, clock);
  rsan_dpor_demand(r->d, node, initial, (uint64_t)1 << thread);
}

// Could the step have been made just before step e? What ends the program is its last step, so then
// it was about to be made there.
static bool was_enabled(const struct run *r, uint32_t e, const struct rsan_dpor_step *step) {
  const struct rsan_dpor_step *earlier = &r->step[e];
  return earlier->op.ends ? earlier->enabled >> step->thread & 1
                          : rsan_op_was_enabled(&step->op, &earlier->op);
}

// Fills in the clock of the step `step` at place i, and reverses its races if `races`.
static void look_at(const struct run *r, uint32_t i, const struct rsan_dpor_step *step,
                    uint32_t *clock, bool races) {
  uint32_t before[THREADS];
  uint64_t found = 0;
  begin_clock(r, i, step, before);
  rsan_host_memcpy(clock, before, sizeof before);
  // From the newest to the oldest, so that what lies between two steps is known.
  for (uint32_t e = i; e-- > 0;) {
    if (!is_step(r, e) || thread_of(r, e) == step->thread)
      continue;
    const struct rsan_op *op = &r->step[e].op;
    if (knows(r, clock, e) && !(races && step->op.blocks && !knows(r, before, e)))
      continue;
    if (!rsan_ops_depend(op, &step->op))
      continue;
    if (races && was_enabled(r, e, step)) {
      found++;
      r->d->place[r->d->room + found - 1] = e;
    }
    join(clock, clock_of(r, e));
  }
  for (uint64_t f = 0; f < found; f++)
    reverse(r, r->d->place[r->d->room + f], i, step->thread, clock);
}

static void make_room_for_clocks(struct rsan_dpor *d) {
  if (d->clock_room >= d->room)
    return;
  rsan_host_free(d->clock);
  rsan_host_free(d->place);
  d->clock_room = d->room;
  d->clock = rsan_host_alloc((size_t)d->room * THREADS * sizeof *d->clock);
  // The places, and behind them room for a list of races.
  d->place = rsan_host_alloc((size_t)d->room * 2 * sizeof *d->place);
}

void rsan_dpor_reverse(struct rsan_dpor *d, uint32_t first, const struct rsan_dpor_trace *trace) {
  const struct run run = {d, trace->step};
  uint32_t steps[THREADS] = {0}, pending[THREADS];
  make_room_for_clocks(d);
  for (uint32_t i = 0; i < trace->count; i++) {
    if (!is_step(&run, i)) {
      d->place[i] = 0;
      continue;
    }
    uint32_t thread = thread_of(&run, i);
    d->place[i] = steps[thread] + 1;
    look_at(&run, i, &trace->step[i], clock_of(&run, i), i >= first);
    clock_of(&run, i)[thread] = ++steps[thread];
  }
  for (uint32_t i = 0; i < trace->pending_count; i++)
    look_at(&run, trace->count, &trace->pending[i], pending, true);
}
