// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "program.h"

#include <string.h>

#include "events.h"
#include "rng.h"

const struct instruction *program_at(const struct dpor_program *p, const struct state *s,
                                     uint32_t thread) {
  const struct running *r = &s->thread[thread];
  return r->phase == P_RUNS || r->phase == P_WOKEN ? &p->at[thread][r->pc] : NULL;
}

static void note(struct running *r, uint8_t value) {
  r->last = value;
  r->log = (r->log ^ (value + 1u)) * 0x100000001b3u;
}

static void create(const struct dpor_program *p, struct state *s, uint32_t thread);

// What is no step: until the thread is at a step, or has ended.
static void settle(const struct dpor_program *p, struct state *s, uint32_t thread) {
  struct running *r = &s->thread[thread];
  while (r->phase == P_RUNS) {
    const struct instruction *i = &p->at[thread][r->pc];
    if (r->pc >= p->length[thread]) {
      r->phase = p->bounds ? P_ENDS : P_ENDED;
      r->end = s->steps;
      return;
    }
    if (i->op == I_CREATE && s->thread[i->object].phase == P_NONE) {
      events_add(p, s, thread, i, (struct effect){0});
      create(p, s, i->object);
    } else if (i->op == I_BACK && r->last != i->value)
      r->pc = (uint8_t)(r->pc - i->object - 1);
    else if (i->op == I_READ || i->op == I_WRITE || i->op == I_WEAK_FENCE)
      events_add(p, s, thread, i, (struct effect){0});
    else if (i->op != I_CREATE && i->op != I_BACK)
      return;
    r->pc++;
  }
}

// A step has one other that made it possible, and a join has the end of the thread that is joined.
static bool joins_first(const struct dpor_program *p, uint32_t thread) {
  for (uint32_t k = 0; k < p->length[thread]; k++)
    switch (p->at[thread][k].op) {
    case I_CREATE:
    case I_READ:
    case I_WRITE:
    case I_WEAK_FENCE:
      break;
    default:
      return p->at[thread][k].op == I_JOIN;
    }
  return false;
}

static void create(const struct dpor_program *p, struct state *s, uint32_t thread) {
  struct running *r = &s->thread[thread];
  r->phase = p->bounds || joins_first(p, thread) ? P_START : P_RUNS;
  r->after = s->steps;
  settle(p, s, thread);
}

void program_begin(const struct dpor_program *p, struct state *s, struct events *events) {
  memset(s, 0, sizeof *s);
  s->events = events;
  for (uint32_t t = 0; t < (p->all_run ? p->threads : 1); t++)
    create(p, s, t);
}

bool program_stopped(const struct dpor_program *p, const struct state *s, uint32_t thread) {
  const struct running *r = &s->thread[thread];
  const struct instruction *i = program_at(p, s, thread);
  return p->loop && r->phase == P_RUNS && i && i->op != I_JOIN && r->turns[r->pc] >= p->loop;
}

bool program_enabled(const struct dpor_program *p, const struct state *s, uint32_t thread) {
  const struct running *r = &s->thread[thread];
  if (s->exited || s->choices || r->phase == P_NONE || r->phase == P_ENDED ||
      r->phase == P_SLEEPS || program_stopped(p, s, thread))
    return false;
  const struct instruction *i = program_at(p, s, thread);
  if (!i)
    return true;
  if (r->phase == P_WOKEN)
    return !s->owner[i->value];
  switch (i->op) {
  case I_WAIT:
  case I_BCAS:
    return s->value[i->object] == i->expected;
  case I_WAIT_OWN:
    return s->value[i->object] == r->last;
  case I_LOCK:
    return !s->owner[i->object];
  case I_JOIN:
    return s->thread[i->object].phase == P_ENDED;
  default:
    return true;
  }
}

static void wake(struct state *s, uint32_t thread) {
  s->thread[thread].phase = P_WOKEN;
  s->thread[thread].after = s->steps;
}

static uint32_t sleepers(const struct dpor_program *p, const struct state *s, uint32_t variable,
                         uint32_t *which) {
  uint32_t count = 0;
  for (uint32_t t = 0; t < p->threads; t++)
    if (s->thread[t].phase == P_SLEEPS && p->at[t][s->thread[t].pc].object == variable)
      which[count++] = t;
  return count;
}

static void wake_some(const struct dpor_program *p, struct state *s, uint32_t thread,
                      const struct instruction *i) {
  uint32_t which[MOST_THREADS], count = sleepers(p, s, i->object, which);
  if (i->op == I_SIGNAL && count > 1) {
    s->choices = (uint8_t)count;
    s->chooser = (uint8_t)thread;
    return;
  }
  for (uint32_t w = 0; w < count; w++)
    wake(s, which[w]);
}

static void forget_turns(struct running *r) {
  memset(r->turns, 0, sizeof r->turns);
}

// The thread has only read this, at the instruction that it is at.
static void turn(struct running *r, uint8_t found) {
  if (r->turns[r->pc] && r->found[r->pc] != found)
    forget_turns(r);
  r->turns[r->pc] += r->turns[r->pc] < UINT8_MAX;
  r->found[r->pc] = found;
}

static void step_on_mutex(const struct dpor_program *p, struct state *s, uint32_t thread,
                          const struct instruction *i) {
  struct running *r = &s->thread[thread];
  uint8_t *owner = &s->owner[i->op == I_SLEEP ? i->value : i->object];
  if (*owner == (i->op == I_LOCK || i->op == I_TRY_LOCK ? 0 : thread + 1))
    events_add(p, s, thread, i, (struct effect){0});
  if (i->op == I_TRY_LOCK && *owner)
    turn(r, *owner != 0);
  else
    forget_turns(r);
  if (i->op == I_TRY_LOCK) {
    note(r, !*owner);
    r->pc += *owner != 0;
  }
  if (i->op == I_LOCK || i->op == I_TRY_LOCK)
    *owner = *owner ? *owner : (uint8_t)(thread + 1);
  else if (*owner == thread + 1)
    *owner = 0;
}

static void step_on_value(const struct dpor_program *p, struct state *s, uint32_t thread,
                          const struct instruction *i) {
  struct running *r = &s->thread[thread];
  uint8_t *value = &s->value[i->object], seen = *value;
  if (i->op == I_LOAD || i->op == I_WAIT || i->op == I_WAIT_OWN ||
      (i->op == I_CAS && seen != i->expected))
    turn(r, seen);
  else
    forget_turns(r);
  if (i->op == I_STORE || i->op == I_EXCHANGE || i->op == I_BCAS ||
      (i->op == I_CAS && seen == i->expected))
    *value = i->value;
  if (i->op == I_ADD)
    *value = (uint8_t)(seen + i->value);
  if (i->op == I_STORE_NEXT)
    *value = (uint8_t)(r->last + 1);
  events_add(p, s, thread, i, (struct effect){seen, *value});
  if (i->op != I_STORE_NEXT && i->op != I_STORE)
    note(r, seen);
}

static void step_at(const struct dpor_program *p, struct state *s, uint32_t thread,
                    const struct instruction *i) {
  struct running *r = &s->thread[thread];
  switch (i->op) {
  case I_LOCK:
  case I_TRY_LOCK:
  case I_UNLOCK:
    step_on_mutex(p, s, thread, i);
    break;
  case I_SLEEP:
    step_on_mutex(p, s, thread, i);
    r->phase = P_SLEEPS;
    return;
  case I_SIGNAL:
  case I_BROADCAST:
    forget_turns(r);
    wake_some(p, s, thread, i);
    break;
  case I_CHOOSE:
    turn(r, 0);
    s->choices = i->value;
    s->chooser = (uint8_t)thread;
    break;
  case I_EXIT:
    s->exited = true;
    break;
  case I_FENCE:
    turn(r, 0);
    events_add(p, s, thread, i, (struct effect){0});
    break;
  case I_JOIN:
    forget_turns(r);
    events_add(p, s, thread, i, (struct effect){0});
    break;
  default:
    step_on_value(p, s, thread, i);
  }
  if (!s->choices)
    r->pc++;
}

void program_step(const struct dpor_program *p, struct state *s, uint32_t thread) {
  struct running *r = &s->thread[thread];
  const struct instruction *i = program_at(p, s, thread);
  s->steps++;
  if (r->phase == P_START) {
    r->phase = P_RUNS;
  } else if (r->phase == P_ENDS) {
    r->phase = P_ENDED;
    r->end = s->steps;
  } else if (r->phase == P_WOKEN) {
    events_add(p, s, thread, i, (struct effect){0});
    forget_turns(r);
    s->owner[i->value] = (uint8_t)(thread + 1);
    r->phase = P_RUNS;
    r->pc++;
  } else {
    step_at(p, s, thread, i);
  }
  if (!s->choices)
    settle(p, s, thread);
}

void program_choose(const struct dpor_program *p, struct state *s, uint32_t choice) {
  struct running *r = &s->thread[s->chooser];
  const struct instruction *i = &p->at[s->chooser][r->pc];
  uint32_t which[MOST_THREADS];
  if (i->op == I_SIGNAL) {
    sleepers(p, s, i->object, which);
    wake(s, which[choice]);
  } else {
    note(r, (uint8_t)choice);
  }
  s->choices = 0;
  s->steps++;
  r->pc++;
  settle(p, s, s->chooser);
}

uint64_t program_outcome(const struct state *s) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (uint32_t i = 0; i < OBJECTS; i++)
    hash = (hash ^ (uint64_t)(s->value[i] + 256 * s->owner[i])) * 0x100000001b3u;
  for (uint32_t t = 0; t < MOST_THREADS; t++) {
    const struct running *r = &s->thread[t];
    hash = (hash ^ (uint64_t)(r->phase + 256 * r->pc)) * 0x100000001b3u;
    hash = (hash ^ r->log) * 0x9E3779B97F4A7C15u;
  }
  return hash ^ hash >> 31;
}

void dpor_program_print(FILE *file, const struct dpor_program *p) {
  static const struct {
    const char *text, *operands;
  } names[] = {
#define X(name, text, operands) {text, operands},
      INSTRUCTIONS(X)
#undef X
  };
  for (uint32_t t = 0; t < p->threads; t++) {
    fputs(t ? " | " : "", file);
    for (uint32_t k = 0; k < p->length[t]; k++) {
      const struct instruction *i = &p->at[t][k];
      fprintf(file, "%s%s", k ? "; " : "", names[i->op].text);
      if (i->order || i->failure)
        fprintf(file, ".%s", trace_order_name(i->order));
      if (i->failure)
        fprintf(file, ".%s", trace_order_name(i->failure));
      for (const char *c = names[i->op].operands; *c; c++)
        fprintf(file, " %d", *c == 'o' ? i->object : *c == 'v' ? i->value : i->expected);
    }
  }
}

// What a random program is made of; a program draws which of the groups it has. (`exit` depends on
// all steps, also on those that begin and end a thread.)
static const struct {
  uint8_t op, objects, values;
} drawn[] = {
    {I_LOAD, 2, 2},   {I_LOAD, 2, 2},  {I_STORE, 2, 2},  {I_STORE, 2, 2},    {I_ADD, 2, 2},
    {I_CAS, 2, 2},    {I_CAS, 2, 2},   {I_WAIT, 2, 2},   {I_BCAS, 2, 2},     {I_EXCHANGE, 2, 2},
    {I_FENCE, 1, 1},  {I_LOCK, 2, 1},  {I_UNLOCK, 2, 1}, {I_TRY_LOCK, 2, 1}, {I_LOCK, 2, 1},
    {I_UNLOCK, 2, 1}, {I_SLEEP, 1, 1}, {I_SLEEP, 1, 1},  {I_SIGNAL, 1, 1},   {I_BROADCAST, 1, 1},
    {I_CHOOSE, 1, 2}, {I_JOIN, 0, 1},  {I_EXIT, 1, 1},
};

static struct instruction draw(struct rng *rng, uint32_t groups, const struct dpor_program *p,
                               uint32_t own) {
  for (;;) {
    uint32_t k = rng_below(rng, sizeof drawn / sizeof *drawn);
    uint32_t group = k < 11 ? 0 : k < 16 ? 1 : k < 20 ? 2 : 3;
    if (!(groups >> group & 1) || (drawn[k].op == I_EXIT && (p->bounds || rng_below(rng, 4))))
      continue;
    struct instruction i = {.op = drawn[k].op, .expected = (uint8_t)rng_below(rng, 3)};
    i.object = (uint8_t)rng_below(rng, drawn[k].objects ? drawn[k].objects : p->threads);
    i.value = (uint8_t)(i.op == I_CHOOSE ? 2 : i.op == I_SLEEP ? 0 : 1 + rng_below(rng, 2));
    if (i.op == I_JOIN && i.object == own)
      continue;
    return i;
  }
}

static void insert(struct dpor_program *p, uint32_t thread, uint32_t at, struct instruction i) {
  struct instruction *to = &p->at[thread][at];
  memmove(to + 1, to, (p->length[thread]++ - at) * sizeof *to);
  *to = i;
}

// Loops whose rounds only read, for one value or for another one. (A compare-exchange ends its loop
// if it succeeds.)
static void draw_loops(struct rng *rng, struct dpor_program *p, uint32_t thread) {
  const struct instruction *at = p->at[thread];
  for (uint32_t k = p->length[thread]; k-- > 0;) {
    bool exchanges = at[k].op == I_CAS;
    if ((!exchanges && at[k].op != I_LOAD) || rng_percent(rng, 50) ||
        p->length[thread] > MOST_INSTRUCTIONS - MOST_THREADS)
      continue;
    uint32_t first = k;
    while (first > 0 && (at[first - 1].op == I_LOAD || at[first - 1].op == I_FENCE ||
                         at[first - 1].op == I_WAIT))
      first--;
    first += rng_below(rng, k - first + 1);
    struct instruction back = {.op = I_BACK, .object = (uint8_t)(k + 1 - first)};
    back.value = exchanges ? at[k].expected : (uint8_t)rng_below(rng, 3);
    insert(p, thread, k + 1, back);
  }
}

void program_draw(const struct dpor_params *params, uint64_t seed, struct dpor_program *out) {
  struct rng rng = {seed};
  memset(out, 0, sizeof *out);
  out->loop = (uint8_t)params->loop;
  out->threads = 2 + rng_below(&rng, params->threads - 1);
  out->bounds = params->bounds;
  out->all_run = rng_percent(&rng, 50);
  uint32_t groups = rng_below(&rng, 15) + 1;
  if (params->groups)
    groups = groups & params->groups ? groups & params->groups : params->groups;
  for (uint32_t n = 0; n < params->operations; n++) {
    uint32_t t = rng_below(&rng, out->threads);
    if (out->length[t] < MOST_INSTRUCTIONS - MOST_THREADS)
      out->at[t][out->length[t]++] = draw(&rng, groups, out, t);
  }
  for (uint32_t t = 0; t < out->threads && out->loop; t++)
    draw_loops(&rng, out, t);
  // Each thread is created somewhere in one with a lower number.
  for (uint32_t t = out->threads - 1; t > 0 && !out->all_run; t--) {
    uint32_t by = rng_below(&rng, t), place = rng_below(&rng, out->length[by] / 2 + 1);
    while (place < out->length[by] && out->at[by][place].op == I_BACK)
      place++; // (a loop goes back to a step)
    insert(out, by, place, (struct instruction){.op = I_CREATE, .object = (uint8_t)t});
  }
}
