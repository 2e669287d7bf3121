// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "explored.h"

#include "../host.h"
#include "dpor.h"

static uint64_t bit_of(uint32_t number) {
  return (uint64_t)1 << number;
}

static void give_up(struct rsan_explored *x, enum rsan_given_up why) {
  if (!x->given_up)
    x->given_up = (uint8_t)why;
}

void rsan_explored_begin(struct rsan_explored *x) {
  x->count = x->preempted = x->failed = x->departed = x->sleepers = x->prefix = 0;
  x->given_up = RSAN_GIVEN_UP_NOT;
  x->finished = x->stuck = x->stopped = x->spins = x->yielded = x->assumed = false;
  x->unrolled = x->order_asked = false;
  x->spared = x->retained = false;
  x->beyond.began = false;
  x->expired = x->fencers = 0;
  x->threads = 0;
  x->last = RSAN_NO_THREAD;
  x->sleep = (struct rsan_dpor_sleep){.sleeper = x->asleep, .room = RSAN_DPOR_THREADS};
  rsan_host_memset(x->thread, 0, sizeof x->thread);
  rsan_host_memset(x->number, 0, sizeof x->number);
}

void rsan_explored_ask(struct rsan_explored *x, const struct rsan_dpor_node *node) {
  rsan_explored_begin(x);
  x->prefix = rsan_dpor_prefix(node, x->step);
  for (uint32_t i = 0; x->prefix && i < node->sleep.count && i < RSAN_DPOR_THREADS; i++)
    x->sleeper[x->sleepers++] = node->sleep.sleeper[i];
}

// Has the run nothing more to show? (A thread whose assumption does not hold, or that would turn
// too often, had come to its end.)
static bool is_whole(const struct rsan_explored *x) {
  return !x->given_up || x->given_up == RSAN_GIVEN_UP_ASSUMED || x->given_up == RSAN_GIVEN_UP_LOOP;
}

struct rsan_dpor_trace rsan_explored_trace(const struct rsan_explored *x,
                                           struct rsan_dpor_step *pending) {
  struct rsan_dpor_trace trace = {x->step, x->count, pending, 0, RSAN_DPOR_ENDED};
  for (uint32_t number = 0; number < x->names.count; number++)
    if (x->thread[number].pends)
      pending[trace.pending_count++] =
          (struct rsan_dpor_step){.op = x->thread[number].pending, .thread = number};
  if (!is_whole(x))
    trace.end = x->given_up == RSAN_GIVEN_UP_ASLEEP ? RSAN_DPOR_ASLEEP : RSAN_DPOR_CUT;
  return trace;
}

enum rsan_given_up rsan_explored_reason(const struct rsan_explored *x, bool followed) {
  if (!followed && (is_whole(x) || x->given_up == RSAN_GIVEN_UP_ASLEEP))
    return RSAN_GIVEN_UP_DIVERGED;
  // (It may have ended by exit() while a thread was stopped.)
  return x->given_up || !(x->stopped || x->unrolled) ? (enum rsan_given_up)x->given_up
                                                     : RSAN_GIVEN_UP_LOOP;
}

// Returns the number of the thread with that name, or names->count if there is none.
static uint32_t find_name(const struct rsan_explored_names *names, uint32_t creator,
                          uint32_t ordinal) {
  uint32_t i = 0;
  while (i < names->count &&
         (names->name[i].creator != creator || names->name[i].ordinal != ordinal))
    i++;
  return i;
}

uint32_t rsan_explored_next_number(const struct rsan_explored *x, uint32_t creator) {
  uint32_t number = x->number[creator];
  return find_name(&x->names, number, x->thread[number].created);
}

static uint32_t number_of(struct rsan_explored *x, uint32_t creator) {
  struct rsan_explored_names *names = &x->names;
  uint32_t ordinal = creator == RSAN_NO_THREAD ? 0 : x->thread[creator].created++;
  uint32_t found = find_name(names, creator, ordinal);
  if (found < names->count)
    return found;
  if (names->count == RSAN_DPOR_THREADS)
    return RSAN_NO_THREAD;
  names->name[names->count].creator = creator;
  names->name[names->count].ordinal = ordinal;
  return names->count++;
}

void rsan_explored_add(struct rsan_explored *x, uint32_t id, uint32_t creator) {
  if (x->beyond.began) {
    give_up(x, RSAN_GIVEN_UP_LOOP);
    return;
  }
  x->threads++;
  uint32_t number = id < RSAN_DPOR_THREADS
                        ? number_of(x, creator == RSAN_NO_THREAD ? creator : x->number[creator])
                        : RSAN_NO_THREAD;
  if (number == RSAN_NO_THREAD) {
    give_up(x, RSAN_GIVEN_UP_THREADS);
    return;
  }
  x->number[id] = number;
  struct rsan_explored_thread *thread = &x->thread[number];
  thread->after = x->count;
  if (x->unroll != RSAN_LEVEL_UNROLL_NONE)
    rsan_host_memset(&x->writes[number], 0, sizeof x->writes[number]);
  thread->pending = (struct rsan_op){.kind = RSAN_KIND_START};
  thread->pends = true;
}

// What is ordered by who made it possible alone has no object.
static bool has_object(const struct rsan_pending *pending) {
  switch (pending->kind) {
  case RSAN_KIND_START:
  case RSAN_KIND_END:
  case RSAN_KIND_CREATE:
  case RSAN_KIND_JOIN:
  case RSAN_KIND_YIELD:
  case RSAN_KIND_SLEEP:
  case RSAN_KIND_CALL:
  case RSAN_KIND_EXIT:
    return false;
  default:
    return pending->until != RSAN_UNTIL_WOKEN;
  }
}

static struct rsan_op op_of(const struct rsan_explored *x, const struct rsan_pending *pending,
                            bool describes) {
  struct rsan_op op = {.point = pending->point, .kind = pending->kind, .ends = pending->ends};
  op.commutes = x->fences_commute && pending->kind == RSAN_KIND_FENCE && !pending->object;
  if (!has_object(pending))
    return op;
  op.object = pending->object;
  op.bytes = pending->bytes;
  op.also = pending->also;
  op.writes = pending->writes;
  op.blocks = pending->until == RSAN_UNTIL_HOLDS;
  op.unknown = !pending->describe;
  if (pending->describe)
    pending->describe(pending->described, &op);
  if (!describes)
    op.writes = pending->writes;
  return op;
}

// The thread has turned as often as the bound says, and would do so once more. (Other threads'
// steps do not count here: turns.h. A thread that has joined all others is the only one left, so
// there is nothing else to explore.)
static bool stops(const struct rsan_explored *x, const struct rsan_explored_thread *thread,
                  const struct rsan_pending *pending) {
  if (pending->until == RSAN_UNTIL_WOKEN || pending->until == RSAN_UNTIL_END)
    return false;
  uint32_t most = x->loop + (thread->joined + 1 == x->threads ? RSAN_EXPLORED_ALONE : 0);
  return rsan_turns_made(&thread->turns, &thread->pending) >= most;
}

// How often the thread has written where it is about to write. NULL: that is not counted.
static uint32_t *writes_at(struct rsan_explored *x, uint32_t number,
                           const struct rsan_pending *pending) {
  struct rsan_explored_writes *writes = &x->writes[number];
  uint64_t place = pending->point ^ pending->calls * 0x9E3779B97F4A7C15u;
  if (x->unroll == RSAN_LEVEL_UNROLL_NONE || !has_object(pending))
    return NULL;
  for (uint32_t i = 0; i < RSAN_EXPLORED_PLACES; i++) {
    if (!writes->at[i].count)
      writes->at[i].place = place;
    if (writes->at[i].place == place)
      return &writes->at[i].count;
  }
  return NULL;
}

static bool is_unrolled(struct rsan_explored *x, uint32_t number,
                        const struct rsan_pending *pending) {
  const uint32_t *writes = pending->writes ? writes_at(x, number, pending) : NULL;
  return writes && *writes >= x->unroll;
}

void rsan_explored_hand_in(struct rsan_explored *x, uint32_t id,
                           const struct rsan_pending *pending) {
  if (x->given_up || x->beyond.began)
    return;
  struct rsan_explored_thread *thread = &x->thread[x->number[id]];
  thread->pending = op_of(x, pending, false);
  thread->pending.after = thread->after;
  if (pending->until == RSAN_UNTIL_END)
    thread->pending.after = x->thread[x->number[pending->object]].end;
  bool turned = stops(x, thread, pending);
  bool unrolled = is_unrolled(x, x->number[id], pending);
  x->stopped |= turned;
  x->unrolled |= unrolled;
  thread->stopped = turned || unrolled;
  thread->pends = pending->until != RSAN_UNTIL_WOKEN && !thread->stopped;
}

void rsan_explored_woken(struct rsan_explored *x, uint32_t id) {
  if (x->beyond.began)
    give_up(x, RSAN_GIVEN_UP_LOOP);
  if (x->given_up)
    return;
  struct rsan_explored_thread *thread = &x->thread[x->number[id]];
  thread->after = thread->pending.after = x->count;
  thread->pends = true;
}

// A sleeping thread is about to make the step that it made in another run. It must be of the same
// object, as only a step of that object wakes the thread.
static void put_to_sleep(struct rsan_explored *x, const struct rsan_dpor_sleeper *sleeper) {
  const struct rsan_op *was = &sleeper->op, *is = &x->thread[sleeper->thread].pending;
  if (is->kind != was->kind || is->object != was->object || is->point != was->point)
    give_up(x, RSAN_GIVEN_UP_DIVERGED);
  rsan_sleep_add(&x->sleep, sleeper->thread, was);
}

static void note(struct rsan_explored *x, const struct rsan_dpor_step *step) {
  uint32_t at = x->count;
  if (at + 1 == RSAN_EXPLORED_STEPS) {
    give_up(x, RSAN_GIVEN_UP_STEPS);
    return;
  }
  // (No sleeper is of interest before the prefix's last step.)
  for (uint32_t i = 0; i < x->sleepers && at + 1 == x->prefix; i++)
    put_to_sleep(x, &x->sleeper[i]);
  rsan_sleep_step(&x->sleep, step);
  x->step[x->count++] = *step;
}

static uint64_t can_go_on(const struct rsan_explored *x, const struct rsan_threads *t) {
  uint64_t set = 0;
  for (uint32_t i = 0; i < t->ready_count; i++)
    if (!x->thread[x->number[t->ready[i]]].stopped)
      set |= bit_of(x->number[t->ready[i]]);
  return set;
}

bool rsan_explored_goes_on(const struct rsan_explored *x, const struct rsan_threads *t) {
  return x->given_up ? t->ready_count != 0 : can_go_on(x, t) != 0;
}

static uint32_t id_of(const struct rsan_explored *x, const struct rsan_threads *t,
                      uint32_t number) {
  for (uint32_t i = 0; i < t->ready_count; i++)
    if (x->number[t->ready[i]] == number)
      return t->ready[i];
  return RSAN_NO_THREAD;
}

// Chooses the next thread behind the prefix. (A thread that has yielded lets others go first.)
static uint32_t choose(struct rsan_explored *x, uint64_t enabled) {
  uint64_t others = x->last == RSAN_NO_THREAD ? enabled : enabled & ~bit_of(x->last);
  uint32_t number = x->yielded && others & ~x->sleep.set
                        ? rsan_dpor_choose(others, x->sleep.set, RSAN_NO_THREAD)
                        : rsan_dpor_choose(enabled, x->sleep.set, x->last);
  if (number == RSAN_NO_THREAD)
    give_up(x, RSAN_GIVEN_UP_ASLEEP);
  return number;
}

// The step is one of the thread's turns, or has made it get further: somebody else has.
static void turn(struct rsan_explored_thread *thread, const struct rsan_scheduled *chosen,
                 const struct rsan_op *op) {
  if (chosen->pending.until == RSAN_UNTIL_WOKEN && !chosen->expired && !chosen->retries)
    rsan_turns_forget(&thread->turns);
  else
    rsan_turns_make(&thread->turns, op);
}

static void make(struct rsan_explored *x, const struct rsan_threads *t, uint32_t number,
                 uint64_t enabled) {
  const struct rsan_scheduled *chosen = &t->thread[id_of(x, t, number)];
  struct rsan_explored_thread *thread = &x->thread[number];
  struct rsan_dpor_step step = {op_of(x, &chosen->pending, true), enabled, number, 0, 0};
  step.op.after = thread->after;
  if (chosen->pending.until == RSAN_UNTIL_END) {
    const struct rsan_explored_thread *joined = &x->thread[x->number[chosen->pending.object]];
    step.op.after = joined->end;
    thread->joined += 1 + joined->joined;
  }
  uint32_t *writes = step.op.writes ? writes_at(x, number, &chosen->pending) : NULL;
  if (writes)
    ++*writes;
  x->expired += chosen->expired;
  if (step.op.commutes)
    x->fencers |= bit_of(number);
  turn(thread, chosen, &step.op);
  thread->pends = false;
  note(x, &step);
  if (step.op.kind == RSAN_KIND_END)
    thread->end = x->count;
  x->last = number;
  x->yielded = rsan_pending_yields(&chosen->pending);
}

void rsan_explored_spins(struct rsan_explored *x) {
  if (x->given_up)
    return;
  // (A thread that waits for one that has stopped at an assumption is no livelock.)
  x->spins = !x->assumed;
  give_up(x, x->assumed ? RSAN_GIVEN_UP_ASSUMED : RSAN_GIVEN_UP_LOOP);
}

static uint64_t ready(const struct rsan_explored *x, const struct rsan_threads *t) {
  uint64_t set = 0;
  for (uint32_t i = 0; i < t->ready_count; i++)
    set |= bit_of(x->number[t->ready[i]]);
  return set;
}

// The only threads that could go on have stopped at a bound. Chooses one of them to go on all the
// same (beyond.h), or ends the run. (If the bound of writes stopped one, it ends the run:
// further writes may change what the others wait for.)
static uint32_t next_beyond(struct rsan_explored *x, const struct rsan_threads *t) {
  if (x->unrolled) {
    give_up(x, RSAN_GIVEN_UP_LOOP);
    return RSAN_NO_THREAD;
  }
  if (!x->beyond.began)
    rsan_beyond_begin(&x->beyond, ready(x, t));
  uint32_t number = rsan_beyond_next(&x->beyond, ready(x, t));
  if (number != RSAN_NO_THREAD) {
    uint32_t id = id_of(x, t, number);
    const struct rsan_op op = op_of(x, &t->thread[id].pending, true);
    if (rsan_beyond_make(&x->beyond, &op))
      return id;
  }
  x->spins = rsan_beyond_is_livelock(&x->beyond);
  give_up(x, RSAN_GIVEN_UP_LOOP);
  return RSAN_NO_THREAD;
}

// Picks the next of the threads that can go on. RSAN_NO_THREAD: the run is given up.
static uint32_t pick(struct rsan_explored *x, uint64_t enabled) {
  if (x->count >= x->prefix)
    return choose(x, enabled);
  const struct rsan_dpor_step *asked = &x->step[x->count];
  uint32_t number = asked->thread;
  if (asked->choices || number >= RSAN_DPOR_THREADS || !(enabled & bit_of(number)))
    give_up(x, RSAN_GIVEN_UP_DIVERGED);
  return number;
}

uint32_t rsan_explored_next(struct rsan_explored *x, const struct rsan_threads *t) {
  uint64_t enabled = x->given_up ? 0 : can_go_on(x, t);
  if (!enabled && x->assumed)
    give_up(x, RSAN_GIVEN_UP_ASSUMED);
  if (!enabled && t->ready_count && x->count < x->prefix)
    give_up(x, RSAN_GIVEN_UP_DIVERGED);
  if (!enabled)
    return t->ready_count && !x->given_up ? next_beyond(x, t) : RSAN_NO_THREAD;
  uint32_t number = pick(x, enabled);
  if (x->given_up)
    return RSAN_NO_THREAD;
  bool preempts =
      x->last != RSAN_NO_THREAD && x->last != number && enabled & bit_of(x->last) && !x->yielded;
  if (preempts && x->count >= x->prefix && x->preempted >= x->preemptions) {
    give_up(x, RSAN_GIVEN_UP_PREEMPTIONS);
    return RSAN_NO_THREAD;
  }
  x->preempted += preempts;
  make(x, t, number, enabled);
  return x->given_up ? RSAN_NO_THREAD : id_of(x, t, number);
}

uint32_t rsan_explored_choose(struct rsan_explored *x, uint32_t count) {
  if (x->beyond.began) {
    give_up(x, RSAN_GIVEN_UP_LOOP);
    return 0;
  }
  struct rsan_dpor_step step = {.thread = x->last == RSAN_NO_THREAD ? 0 : x->last,
                                .choices = count};
  if (x->count < x->prefix) {
    step.choice = x->step[x->count].choice;
    if (x->step[x->count].choices != count)
      give_up(x, RSAN_GIVEN_UP_DIVERGED);
  }
  note(x, &step);
  return step.choice < count ? step.choice : 0;
}

bool rsan_explored_fails(struct rsan_explored *x) {
  if (x->failed == x->spurious) {
    x->spared = true;
    return false;
  }
  bool fails = rsan_explored_choose(x, 2);
  x->failed += fails;
  return fails;
}

// (Beyond the bound of turns nothing is chosen: it is asked whether threads turn for ever.)
bool rsan_explored_may_depart(struct rsan_explored *x) {
  if (x->beyond.began)
    return false;
  x->retained |= x->departed == x->departures;
  return x->departed < x->departures;
}

// What it has read before it may not read again.
void rsan_explored_departs(struct rsan_explored *x) {
  x->departed++;
  if (x->last != RSAN_NO_THREAD)
    rsan_turns_forget(&x->thread[x->last].turns);
}

void rsan_explored_assumed(struct rsan_explored *x) {
  if (x->beyond.began)
    give_up(x, RSAN_GIVEN_UP_LOOP);
  else
    x->assumed = true;
}
