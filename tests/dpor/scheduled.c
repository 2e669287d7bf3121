// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "scheduled.h"

#include <stdlib.h>

#include "schedule/schedule.h"

static struct rsan_explored explored;
static struct rsan_schedule schedule;

// What a pending operation asks: of a thread, in a state. (What stops a thread for its turns is not
// the program's in these runs.)
struct asked {
  const struct dpor_program *p;
  const struct state *s;
  uint32_t thread;
};

static bool holds(void *argument) {
  const struct asked *asked = argument;
  return program_enabled(asked->p, asked->s, asked->thread);
}

static void describe(void *described, struct rsan_op *op) {
  const struct asked *asked = described;
  const struct rsan_op here = program_op(asked->p, asked->s, asked->thread);
  op->before = here.before;
  op->until = here.until;
  op->writes = here.writes;
}

static struct rsan_pending pending_of(struct asked *asked) {
  const struct rsan_op op = program_op(asked->p, asked->s, asked->thread);
  struct rsan_pending pending = {.object = op.object,
                                 .point = op.point,
                                 .kind = op.kind,
                                 .holds = holds,
                                 .argument = asked,
                                 .describe = describe,
                                 .described = asked};
  pending.writes = op.object && op.kind != RSAN_KIND_LOAD && op.kind != RSAN_KIND_SPIN;
  pending.until = op.blocks ? RSAN_UNTIL_HOLDS : RSAN_UNTIL_NOTHING;
  pending.timed = op.kind == RSAN_KIND_SPIN; // as a loop that is recognised
  return pending;
}

// A run that is under way. Threads have the schedule's numbers in the order of their creation.
struct going {
  struct dpor_program p; // without the bound
  struct state s;
  struct asked asked[MOST_THREADS]; // by the program's threads
  uint32_t of[MOST_THREADS];        // the program's thread, by the schedule's
};

static void add(struct going *g, uint32_t thread, uint32_t creator) {
  const uint32_t id = rsan_schedule_add(&schedule, creator);
  g->of[id] = thread;
  g->asked[thread] = (struct asked){&g->p, &g->s, thread};
}

static void add_created(struct going *g, uint32_t creator) {
  for (uint32_t t = 0; t < g->p.threads; t++)
    if (g->s.thread[t].phase != P_NONE && !g->asked[t].p)
      add(g, t, creator);
}

// The thread makes its step, and hands in the next one.
static void step(struct going *g, uint32_t id, struct run *run) {
  const uint32_t thread = g->of[id];
  if (run->count + 2 > MOST_STEPS) {
    fputs("a run is too long\n", stderr);
    abort();
  }
  program_step(&g->p, &g->s, thread);
  run->entry[run->count++] = (struct run_entry){(uint8_t)thread, 0, false};
  if (g->s.choices) {
    const uint32_t value = rsan_schedule_choose_value(&schedule, g->s.choices);
    program_choose(&g->p, &g->s, value);
    run->entry[run->count++] = (struct run_entry){(uint8_t)thread, (uint8_t)value, true};
  }
  add_created(g, id);
  if (g->s.thread[thread].phase == P_ENDED) {
    rsan_schedule_end(&schedule, id);
    return;
  }
  const struct rsan_pending pending = pending_of(&g->asked[thread]);
  rsan_schedule_hand_in(&schedule, id, &pending);
}

// Does nobody get out of its loop, or to a step that writes? (Nobody else writes, so each of them
// goes on alone.)
static bool is_livelock(const struct going *g) {
  enum { TURNS = 200 };
  bool any = false;
  for (uint32_t t = 0; t < g->p.threads; t++) {
    struct state s = g->s;
    if (!program_enabled(&g->p, &s, t))
      continue;
    any = true;
    for (int i = 0; i < TURNS; i++) {
      if (!program_enabled(&g->p, &s, t))
        return false;
      const struct rsan_op op = program_op(&g->p, &s, t);
      if (op.writes || op.kind == RSAN_KIND_END)
        return false;
      program_step(&g->p, &s, t);
      if (s.choices)
        return false;
    }
  }
  return any;
}

// Steps beyond the bound of turns are no part of the run.
static void go_beyond(struct going *g, uint32_t id) {
  struct run unnoted = {.count = 0};
  step(g, id, &unnoted);
}

static void end_run(const struct going *g, struct run *run) {
  run->end = g->s;
  run->ended = explored.given_up == RSAN_GIVEN_UP_ASLEEP ? RSAN_DPOR_ASLEEP : RSAN_DPOR_ENDED;
  if (explored.beyond.began && explored.spins != is_livelock(g)) {
    printf("a livelock is %sone: ", explored.spins ? "said to be " : "not said to be ");
    dpor_program_print(stdout, &g->p);
    putchar('\n');
    exit(1);
  }
}

void scheduled_run(const struct dpor_program *p, const struct rsan_dpor *d,
                   const struct rsan_dpor_node *node, struct run *run) {
  const struct rsan_policy_options options = {.name = RSAN_POLICY_RANDOM};
  static struct going g;
  g = (struct going){.p = *p};
  g.p.loop = 0;
  run->count = 0;
  rsan_schedule_init(&schedule, &options);
  if (!d->executions)
    explored.names.count = 0;
  rsan_explored_ask(&explored, node);
  explored.preemptions = d->bound;
  explored.fences_commute = p->commute;
  explored.loop = p->loop ? p->loop : UINT32_MAX / 2;
  schedule.explored = &explored;
  program_begin(&g.p, &g.s, NULL);
  add(&g, 0, RSAN_NO_THREAD);
  add_created(&g, 0);
  struct state end = g.s;
  struct rsan_choice choice;
  while ((choice = rsan_schedule_choose(&schedule)).outcome == RSAN_CHOSE_RUN) {
    if (explored.beyond.began) {
      go_beyond(&g, choice.thread);
      continue;
    }
    step(&g, choice.thread, run);
    end = g.s;
  }
  g.s = end;
  end_run(&g, run);
  rsan_schedule_clear(&schedule);
}

bool scheduled_take_back(struct rsan_dpor *d, struct rsan_dpor_node *node) {
  static struct rsan_dpor_step pending[RSAN_DPOR_THREADS];
  const struct rsan_dpor_trace trace = rsan_explored_trace(&explored, pending);
  return rsan_dpor_executed(d, node, &trace);
}
