// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#define _POSIX_C_SOURCE 200809L
#include "explore.h"

#include <stdlib.h>
#include <string.h>

#include "schedule/dpor_save.h"
#include "schedule/dpor_shares.h"
#include "schedule/threads.h"
#include "scheduled.h"

enum { VALUE = 1000, MUTEX = 2000, VARIABLE = 3000 };

static struct rsan_value number(uint64_t value) {
  return (struct rsan_value){.low = value};
}

static struct rsan_op on_mutex(const struct state *s, uint32_t mutex, enum rsan_kind kind) {
  bool locks = kind == RSAN_KIND_LOCK;
  return (struct rsan_op){.object = MUTEX + mutex,
                          .kind = kind,
                          .writes = kind != RSAN_KIND_TRY_LOCK || !s->owner[mutex],
                          .before = number(s->owner[mutex] != 0),
                          .until = rsan_equals(number(0)),
                          .blocks = locks};
}

static struct rsan_op on_value(const struct state *s, const struct running *r,
                               const struct instruction *i) {
  struct rsan_op op = {.object = VALUE + i->object, .before = number(s->value[i->object])};
  op.kind = i->op == I_LOAD                             ? RSAN_KIND_LOAD
            : i->op == I_STORE || i->op == I_STORE_NEXT ? RSAN_KIND_STORE
            : i->op == I_WAIT || i->op == I_WAIT_OWN    ? RSAN_KIND_SPIN
                                                        : RSAN_KIND_RMW;
  op.writes = i->op != I_LOAD && op.kind != RSAN_KIND_SPIN &&
              (i->op != I_CAS || s->value[i->object] == i->expected);
  op.blocks = op.kind == RSAN_KIND_SPIN || i->op == I_BCAS;
  op.until = rsan_equals(number(i->op == I_WAIT_OWN ? r->last : i->expected));
  return op;
}

static struct rsan_op at_instruction(const struct dpor_program *p, const struct state *s,
                                     uint32_t thread) {
  const struct running *r = &s->thread[thread];
  const struct instruction *i = program_at(p, s, thread);
  struct rsan_op op;
  if (!i)
    return (struct rsan_op){.kind = r->phase == P_START ? RSAN_KIND_START : RSAN_KIND_END};
  if (r->phase == P_WOKEN)
    return on_mutex(s, i->value, RSAN_KIND_LOCK);
  switch (i->op) {
  case I_LOCK:
    return on_mutex(s, i->object, RSAN_KIND_LOCK);
  case I_TRY_LOCK:
    return on_mutex(s, i->object, RSAN_KIND_TRY_LOCK);
  case I_UNLOCK:
    return on_mutex(s, i->object, RSAN_KIND_UNLOCK);
  case I_SLEEP:
    op = on_mutex(s, i->value, RSAN_KIND_COND_WAIT);
    op.also = VARIABLE + i->object;
    return op;
  case I_SIGNAL:
  case I_BROADCAST:
    return (struct rsan_op){
        .object = VARIABLE + i->object, .kind = RSAN_KIND_COND_SIGNAL, .writes = true};
  case I_FENCE:
    return (struct rsan_op){.kind = RSAN_KIND_FENCE, .commutes = p->commute};
  case I_JOIN:
    return (struct rsan_op){.kind = RSAN_KIND_JOIN};
  case I_CHOOSE:
    return (struct rsan_op){.kind = RSAN_KIND_CALL};
  case I_EXIT:
    return (struct rsan_op){.kind = RSAN_KIND_CALL, .ends = true};
  default:
    return on_value(s, r, i);
  }
}

struct rsan_op program_op(const struct dpor_program *p, const struct state *s, uint32_t thread) {
  struct rsan_op op = at_instruction(p, s, thread);
  const struct instruction *i = program_at(p, s, thread);
  op.after = s->thread[thread].after;
  if (op.kind == RSAN_KIND_JOIN && s->thread[i->object].phase == P_ENDED)
    op.after = s->thread[i->object].end;
  op.point = 100 * thread + s->thread[thread].pc;
  return op;
}

struct exploring {
  const struct dpor_program *p;
  struct rsan_dpor *d;
  struct rsan_dpor_node *node; // the run is along a new step from here
  uint32_t prefix;
  struct rsan_dpor_sleep sleep;
  struct rsan_dpor_step step[MOST_STEPS], pending[MOST_THREADS];
  struct run run;
  uint32_t preemptions;
};

static uint64_t enabled(const struct exploring *x) {
  uint64_t set = 0;
  for (uint32_t t = 0; t < x->p->threads; t++)
    set |= (uint64_t)program_enabled(x->p, &x->run.end, t) << t;
  return set;
}

static void note(struct exploring *x, const struct rsan_dpor_step *step) {
  if (x->run.count == MOST_STEPS) {
    fputs("a run is too long\n", stderr);
    abort();
  }
  // The sleep set of the prefix's last node, as it was before its step.
  if (x->run.count + 1 == x->prefix)
    rsan_sleep_copy(&x->sleep, &x->node->sleep);
  rsan_sleep_step(&x->sleep, step);
  x->run.entry[x->run.count] =
      (struct run_entry){(uint8_t)step->thread, (uint8_t)step->choice, step->choices != 0};
  x->step[x->run.count++] = *step;
}

static void choose_value(struct exploring *x) {
  struct state *s = &x->run.end;
  struct rsan_dpor_step step = {.thread = s->chooser, .choices = s->choices};
  if (x->run.count < x->prefix)
    step.choice = x->step[x->run.count].choice;
  program_choose(x->p, s, step.choice);
  note(x, &step);
}

static void make(struct exploring *x, uint32_t thread, uint64_t can) {
  struct state *s = &x->run.end;
  struct rsan_dpor_step step = {program_op(x->p, s, thread), can, thread, 0, 0};
  program_step(x->p, s, thread);
  note(x, &step);
}

// False: nobody goes on.
static bool go_on(struct exploring *x, uint32_t *last) {
  uint64_t can = enabled(x);
  if (x->run.end.choices) {
    choose_value(x);
    return true;
  }
  uint32_t thread;
  if (x->run.count < x->prefix) {
    thread = x->step[x->run.count].thread;
  } else {
    thread = rsan_dpor_choose(can, x->sleep.set, *last);
    if (thread == RSAN_NO_THREAD) {
      x->run.ended = can ? RSAN_DPOR_ASLEEP : RSAN_DPOR_ENDED;
      return false;
    }
    bool preempts = *last != RSAN_NO_THREAD && *last != thread && can >> *last & 1;
    if (preempts && x->preemptions >= x->d->bound) {
      x->run.ended = RSAN_DPOR_CUT;
      return false;
    }
  }
  x->preemptions += *last != RSAN_NO_THREAD && *last != thread && can >> *last & 1;
  make(x, thread, can);
  *last = thread;
  return true;
}

static void run_once(struct exploring *x) {
  x->run.count = x->preemptions = 0;
  x->prefix = rsan_dpor_prefix(x->node, x->step);
  x->sleep.count = 0;
  x->sleep.set = 0;
  program_begin(x->p, &x->run.end, NULL);
  uint32_t last = RSAN_NO_THREAD;
  while (go_on(x, &last)) {
  }
}

static bool take_back(struct exploring *x, const struct way *way) {
  if (way->scheduled)
    return scheduled_take_back(x->d, x->node);
  struct rsan_dpor_trace trace = {x->step, x->run.count, x->pending, 0, x->run.ended};
  const struct state *s = &x->run.end;
  for (uint32_t t = 0; t < x->p->threads; t++) {
    uint8_t phase = s->thread[t].phase;
    if (phase == P_NONE || phase == P_ENDED || phase == P_SLEEPS || program_stopped(x->p, s, t))
      continue;
    x->pending[trace.pending_count++] =
        (struct rsan_dpor_step){.op = program_op(x->p, s, t), .thread = t};
  }
  return rsan_dpor_executed(x->d, x->node, &trace);
}

// Makes runs until as many as may be under way are, or none is asked for. How many are.
static uint32_t start(struct exploring *under_way, uint32_t count, const struct way *way) {
  const struct exploring *any = &under_way[0];
  struct rsan_dpor_node *node;
  while (count < way->jobs && (node = rsan_dpor_next(any->d))) {
    struct exploring *x = &under_way[count++];
    x->node = node;
    if (way->scheduled)
      scheduled_run(x->p, x->d, node, &x->run);
    else
      run_once(x);
  }
  return count;
}

static void put(void *context, const void *bytes, size_t size) {
  if (size && fwrite(bytes, size, 1, context) != 1)
    abort();
}

static bool get(void *context, void *bytes, size_t size) {
  return fread(bytes, size, 1, context) == 1;
}

static uint64_t stay(void *context, uint64_t object) {
  (void)context;
  return object;
}

struct saved {
  char *text;
  size_t size;
};

// All of it, or a part of what was cut.
static struct saved save(struct rsan_dpor *d, uint32_t part) {
  struct saved saved;
  FILE *to = open_memstream(&saved.text, &saved.size);
  if (part)
    rsan_dpor_save_part(d, part, put, to);
  else
    rsan_dpor_save(d, put, to);
  fclose(to);
  return saved;
}

static void restore(struct rsan_dpor *d, struct saved *saved) {
  FILE *from = fmemopen(saved->text, saved->size, "r");
  if (!rsan_dpor_restore(d, get, stay, from) || fgetc(from) != EOF) {
    fputs("what was saved makes no sense\n", stderr);
    abort();
  }
  fclose(from);
  free(saved->text);
}

// As if another process went on with it. What was under way is made again.
static void save_and_restore(struct rsan_dpor *d) {
  struct saved saved = save(d, 0);
  rsan_dpor_clear(d);
  restore(d, &saved);
}

// The visitor of the runs, and what is run.
struct seeing {
  const struct dpor_program *p;
  const struct way *way;
  run_visitor visit;
  void *context;
};

// Makes at most so many runs; 0: all. False: no more are wanted.
static bool explore_some(const struct seeing *seeing, struct rsan_dpor *d, uint64_t most) {
  static struct exploring under_way[MOST_JOBS];
  const struct way *way = seeing->way;
  const uint64_t before = d->executions;
  for (uint32_t i = 0; i < way->jobs; i++) {
    under_way[i].p = seeing->p;
    under_way[i].d = d;
  }
  uint32_t count = 0;
  bool goes_on = true;
  while (goes_on && (!most || d->executions - before < most) &&
         (count = start(under_way, count, way))) {
    take_back(&under_way[0], way);
    goes_on = seeing->visit(seeing->context, seeing->p, &under_way[0].run);
    struct exploring oldest = under_way[0];
    memmove(&under_way[0], &under_way[1], --count * sizeof oldest);
    under_way[count] = oldest; // its memory is used again
    if (count && d->executions % 3 == 0)
      rsan_dpor_withdraw(d, under_way[--count].node);
    if (!way->saves || d->executions % way->saves)
      continue;
    save_and_restore(d);
    count = 0;
  }
  while (count)
    rsan_dpor_withdraw(d, under_way[--count].node);
  for (uint32_t i = 0; i < way->jobs; i++)
    rsan_sleep_clear(&under_way[i].sleep);
  return goes_on;
}

// One part, as if another process explored it. It comes back twice.
static bool explore_part(const struct seeing *seeing, struct rsan_dpor *d,
                         const struct rsan_dpor_cut_nodes *nodes, struct saved *saved,
                         uint64_t most) {
  struct rsan_dpor part;
  restore(&part, saved);
  bool goes_on = explore_some(seeing, &part, most);
  save_and_restore(&part);
  if (!rsan_dpor_join(d, nodes, &part) || (part.executions && rsan_dpor_join(d, nodes, &part))) {
    fputs("a part cannot be joined, or twice\n", stderr);
    abort();
  }
  rsan_dpor_clear(&part);
  return goes_on;
}

static bool explore_parts(const struct seeing *seeing, struct rsan_dpor *d, uint64_t round) {
  struct rsan_dpor_cut_nodes nodes;
  struct saved saved[MOST_PARTS];
  bool goes_on = true;
  uint32_t count = rsan_dpor_cut(d, seeing->way->parts);
  for (uint32_t i = 0; i < count; i++)
    saved[i] = save(d, i + 1);
  rsan_dpor_make_whole(d);
  save_and_restore(d);
  rsan_dpor_begin_joining(d, &nodes);
  for (uint32_t i = 0; i < count; i++) {
    if (!goes_on || (round + i) % 5 == 4)
      free(saved[i].text); // it is lost
    else
      goes_on = explore_part(seeing, d, &nodes, &saved[i], 1 + (7 * round + i) % 6);
  }
  rsan_dpor_end_joining(d, &nodes);
  return goes_on;
}

void explore(const struct dpor_program *p, const struct way *way, run_visitor visit, void *context,
             struct rsan_dpor *d) {
  const struct seeing seeing = {p, way, visit, context};
  rsan_dpor_init(d, way->preemptions);
  uint64_t round = 0;
  while (explore_some(&seeing, d, way->parts ? 1 + round % 2 : 0) && way->parts && d->oldest &&
         explore_parts(&seeing, d, round))
    round++;
}
