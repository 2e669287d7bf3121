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
  x->count = x->preempted = x->sleepers = x->prefix = 0;
  x->given_up = RSAN_GIVEN_UP_NOT;
  x->finished = x->stuck = x->spins = x->yielded = x->assumed = false;
  x->expired = x->changes = 0;
  x->last = RSAN_NO_THREAD;
  x->sleep = (struct rsan_dpor_sleep){.sleeper = x->asleep, .room = RSAN_DPOR_THREADS};
  rsan_host_memset(x->thread, 0, sizeof x->thread);
  rsan_host_memset(x->number, 0, sizeof x->number);
}

static uint32_t number_of(struct rsan_explored *x, uint32_t creator) {
  struct rsan_explored_names *names = &x->names;
  uint32_t ordinal = creator == RSAN_NO_THREAD ? 0 : x->thread[creator].created++;
  for (uint32_t i = 0; i < names->count; i++)
    if (names->name[i].creator == creator && names->name[i].ordinal == ordinal)
      return i;
  if (names->count == RSAN_DPOR_THREADS)
    return RSAN_NO_THREAD;
  names->name[names->count].creator = creator;
  names->name[names->count].ordinal = ordinal;
  return names->count++;
}

void rsan_explored_add(struct rsan_explored *x, uint32_t id, uint32_t creator) {
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

static struct rsan_op op_of(const struct rsan_pending *pending, bool describes) {
  struct rsan_op op = {.point = pending->point, .kind = pending->kind, .ends = pending->ends};
  if (!has_object(pending))
    return op;
  op.object = pending->object;
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

void rsan_explored_hand_in(struct rsan_explored *x, uint32_t id,
                           const struct rsan_pending *pending) {
  if (x->given_up)
    return;
  struct rsan_explored_thread *thread = &x->thread[x->number[id]];
  thread->pending = op_of(pending, false);
  thread->pending.after = thread->after;
  if (pending->until == RSAN_UNTIL_END)
    thread->pending.after = x->thread[x->number[pending->object]].end;
  thread->pends = pending->until != RSAN_UNTIL_WOKEN;
}

void rsan_explored_woken(struct rsan_explored *x, uint32_t id) {
  if (x->given_up)
    return;
  struct rsan_explored_thread *thread = &x->thread[x->number[id]];
  thread->after = thread->pending.after = x->count;
  thread->pends = true;
}

// Who sleeps is about to make the step that it made in another run: of the same object, or a step
// of that object would not wake it.
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

static void forget_visits(struct rsan_explored_thread *thread) {
  for (uint32_t i = 0; i < RSAN_EXPLORED_POINTS; i++)
    thread->visits[i] = (struct rsan_explored_visits){0};
}

static bool changes(const struct rsan_op *op) {
  return op->writes || op->kind == RSAN_KIND_START || op->kind == RSAN_KIND_END;
}

// Counts the step, if it changes nothing. Returns NULL if it does.
static struct rsan_explored_visits *
visit(struct rsan_explored *x, struct rsan_explored_thread *thread, const struct rsan_op *op) {
  x->changes += changes(op);
  if (changes(op)) {
    forget_visits(thread);
    return NULL;
  }
  struct rsan_explored_visits *at = &thread->visits[0];
  for (uint32_t i = 0; i < RSAN_EXPLORED_POINTS; i++) {
    struct rsan_explored_visits *other = &thread->visits[i];
    if (other->count && other->point == op->point) {
      at = other;
      break;
    }
    if (other->count < at->count)
      at = other;
  }
  if (!at->count || at->point != op->point)
    *at = (struct rsan_explored_visits){.point = op->point};
  at->count++;
  if (!at->again || at->changes != x->changes)
    *at = (struct rsan_explored_visits){op->point, op->object, x->changes, at->count, 0};
  at->again += at->object == op->object;
  return at;
}

// Is there a thread that goes on without anybody's help: its time will be over, or it is outside?
// (A wait that spins has no time limit: it is looked at again if nobody else can go on.)
static bool somebody_comes(const struct rsan_threads *t) {
  for (uint32_t i = 0; i < t->count; i++) {
    const struct rsan_scheduled *thread = &t->thread[i];
    if (thread->state == RSAN_THREAD_PENDING && thread->place == RSAN_NO_THREAD &&
        thread->pending.timed && thread->pending.kind != RSAN_KIND_SPIN)
      return true;
  }
  return t->outside > 0;
}

// Is the run to be given up, as the thread makes turns of a loop that changes nothing? If others
// can go on, after --loop turns. Who is alone goes on, for there is nothing else to explore, until
// it has found the same in the same object so often that it will find nothing else.
static bool turns_too_often(struct rsan_explored *x, const struct rsan_threads *t,
                            const struct rsan_explored_visits *visits, bool alone) {
  if (!visits || visits->count <= x->loop)
    return false;
  bool spins = alone && visits->again > x->loop + RSAN_EXPLORED_SPINS;
  x->spins = spins && !somebody_comes(t);
  return !alone || spins;
}

static uint64_t can_go_on(const struct rsan_explored *x, const struct rsan_threads *t) {
  uint64_t set = 0;
  for (uint32_t i = 0; i < t->ready_count; i++)
    set |= bit_of(x->number[t->ready[i]]);
  return set;
}

static uint32_t id_of(const struct rsan_explored *x, const struct rsan_threads *t,
                      uint32_t number) {
  for (uint32_t i = 0; i < t->ready_count; i++)
    if (x->number[t->ready[i]] == number)
      return t->ready[i];
  return RSAN_NO_THREAD;
}

// Who goes on where the prefix does not say it. (Who has yielded lets others go first.)
static uint32_t choose(struct rsan_explored *x, uint64_t enabled) {
  uint64_t others = x->last == RSAN_NO_THREAD ? enabled : enabled & ~bit_of(x->last);
  uint32_t number = x->yielded && others & ~x->sleep.set
                        ? rsan_dpor_choose(others, x->sleep.set, RSAN_NO_THREAD)
                        : rsan_dpor_choose(enabled, x->sleep.set, x->last);
  if (number == RSAN_NO_THREAD)
    give_up(x, RSAN_GIVEN_UP_ASLEEP);
  return number;
}

static void make(struct rsan_explored *x, const struct rsan_threads *t, uint32_t number,
                 uint64_t enabled) {
  const struct rsan_scheduled *chosen = &t->thread[id_of(x, t, number)];
  struct rsan_explored_thread *thread = &x->thread[number];
  struct rsan_dpor_step step = {op_of(&chosen->pending, true), enabled, number, 0, 0};
  step.op.after = thread->after;
  if (chosen->pending.until == RSAN_UNTIL_END)
    step.op.after = x->thread[x->number[chosen->pending.object]].end;
  x->expired += chosen->expired;
  if (turns_too_often(x, t, visit(x, thread, &step.op), enabled == bit_of(number))) {
    if (x->spins)
      rsan_explored_spins(x);
    else
      give_up(x, RSAN_GIVEN_UP_LOOP);
    return;
  }
  thread->pends = false;
  note(x, &step);
  if (step.op.kind == RSAN_KIND_END)
    thread->end = x->count;
  x->last = number;
  x->yielded = rsan_pending_yields(&chosen->pending);
}

void rsan_explored_spins(struct rsan_explored *x) {
  // (Who waits for a thread that has stopped waits for nothing.)
  x->spins = !x->assumed && (x->spins || !x->given_up);
  give_up(x, x->assumed ? RSAN_GIVEN_UP_ASSUMED : RSAN_GIVEN_UP_LOOP);
}

uint32_t rsan_explored_next(struct rsan_explored *x, const struct rsan_threads *t) {
  uint64_t enabled = x->given_up ? 0 : can_go_on(x, t);
  if (!enabled && x->assumed)
    give_up(x, RSAN_GIVEN_UP_ASSUMED);
  if (!enabled)
    return RSAN_NO_THREAD;
  uint32_t number;
  if (x->count < x->prefix) {
    const struct rsan_dpor_step *asked = &x->step[x->count];
    number = asked->thread;
    if (asked->choices || number >= RSAN_DPOR_THREADS || !(enabled & bit_of(number)))
      give_up(x, RSAN_GIVEN_UP_DIVERGED);
  } else {
    number = choose(x, enabled);
  }
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

void rsan_explored_assumed(struct rsan_explored *x) {
  x->assumed = true;
}
