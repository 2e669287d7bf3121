// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "classes.h"

#include <stdlib.h>
#include <string.h>

bool hashes_add(struct hashes *h, uint64_t hash) {
  if (h->count * 2 >= h->room) {
    struct hashes larger = {.room = h->room ? h->room * 2 : 64};
    larger.at = calloc(larger.room, sizeof *larger.at);
    for (uint32_t i = 0; i < h->room; i++)
      if (h->at[i])
        hashes_add(&larger, h->at[i]);
    free(h->at);
    *h = larger;
  }
  hash += !hash;
  uint32_t i = hash & (h->room - 1);
  for (; h->at[i]; i = (i + 1) & (h->room - 1))
    if (h->at[i] == hash)
      return false;
  h->at[i] = hash;
  h->count++;
  return true;
}

bool hashes_equal(const struct hashes *a, const struct hashes *b) {
  if (a->count != b->count)
    return false;
  struct hashes both = {0};
  for (uint32_t i = 0; i < a->room; i++)
    if (a->at[i])
      hashes_add(&both, a->at[i]);
  for (uint32_t i = 0; i < b->room; i++)
    if (b->at[i])
      hashes_add(&both, b->at[i]);
  bool equal = both.count == a->count;
  hashes_free(&both);
  return equal;
}

void hashes_free(struct hashes *h) {
  free(h->at);
  *h = (struct hashes){0};
}

// What a step touches: values, mutexes, condition variables, the order of fences, the process.
struct touched {
  uint32_t reads, writes;
};
enum { MUTEXES = OBJECTS, VARIABLES = 2 * OBJECTS, FENCES = 3 * OBJECTS, PROCESS };

static struct touched touched_by(const struct instruction *i, const struct state *s, bool woken) {
  uint32_t value = 1u << i->object, mutex = 1u << (MUTEXES + i->object);
  uint32_t process = 1u << PROCESS;
  if (woken)
    return (struct touched){process, 1u << (MUTEXES + i->value)};
  switch (i->op) {
  case I_LOAD:
  case I_WAIT:
  case I_WAIT_OWN:
    return (struct touched){process | value, 0};
  case I_CAS:
    if (s->value[i->object] != i->expected)
      return (struct touched){process | value, 0};
    break;
  case I_FENCE:
    return (struct touched){process, 1u << FENCES};
  case I_TRY_LOCK:
    if (s->owner[i->object])
      return (struct touched){process | mutex, 0};
    return (struct touched){process, mutex};
  case I_LOCK:
  case I_UNLOCK:
    return (struct touched){process, mutex};
  case I_SLEEP:
    return (struct touched){process | 1u << (VARIABLES + i->object), 1u << (MUTEXES + i->value)};
  case I_SIGNAL:
  case I_BROADCAST:
    return (struct touched){process, 1u << (VARIABLES + i->object)};
  case I_JOIN:
  case I_CHOOSE:
    return (struct touched){process, 0};
  case I_EXIT:
    return (struct touched){0, process};
  }
  return (struct touched){process, value};
}

struct event {
  struct touched touched;
  uint8_t thread, after, choice, choices;
};

// Runs the entries again; a choice is part of the step before it.
static uint32_t events_of(const struct dpor_program *p, const struct run *run,
                          struct event events[MOST_STEPS]) {
  struct state s;
  uint8_t event_of[MOST_STEPS + 1] = {0};
  uint32_t count = 0;
  program_begin(p, &s, NULL);
  for (uint32_t k = 0; k < run->count; k++) {
    const struct run_entry *entry = &run->entry[k];
    if (entry->is_choice) {
      events[count - 1].choice = entry->choice;
      events[count - 1].choices = s.choices;
      program_choose(p, &s, entry->choice);
    } else {
      const struct instruction *i = program_at(p, &s, entry->thread);
      const struct running *r = &s.thread[entry->thread];
      struct event *e = &events[count++];
      *e = (struct event){.thread = entry->thread, .after = event_of[r->after]};
      e->touched.reads = 1u << PROCESS;
      if (i)
        e->touched = touched_by(i, &s, r->phase == P_WOKEN);
      if (p->commute)
        e->touched.writes &= ~(1u << FENCES);
      if (i && i->op == I_JOIN)
        e->after = event_of[s.thread[i->object].end];
      program_step(p, &s, entry->thread);
    }
    event_of[k + 1] = (uint8_t)count;
  }
  return count;
}

static bool ordered(const struct event *a, const struct event *b, uint32_t place_of_a) {
  uint32_t common = (a->touched.writes & (b->touched.reads | b->touched.writes)) |
                    (b->touched.writes & a->touched.reads);
  return common || a->thread == b->thread || b->after == place_of_a + 1;
}

// The run of the class in which always the lowest thread goes on that can.
uint64_t class_of(const struct dpor_program *p, const struct run *run) {
  struct event events[MOST_STEPS];
  uint32_t count = events_of(p, run, events), needs[MOST_STEPS] = {0};
  bool done[MOST_STEPS] = {false};
  uint64_t hash = 0xcbf29ce484222325u;
  for (uint32_t b = 0; b < count; b++)
    for (uint32_t a = 0; a < b; a++)
      needs[b] += ordered(&events[a], &events[b], a);
  for (uint32_t n = 0; n < count; n++) {
    uint32_t next = count;
    for (uint32_t e = 0; e < count; e++)
      if (!done[e] && !needs[e] && (next == count || events[e].thread < events[next].thread))
        next = e;
    done[next] = true;
    for (uint32_t b = next + 1; b < count; b++)
      needs[b] -= ordered(&events[next], &events[b], next);
    hash = (hash ^ (events[next].thread + 8u * events[next].choice + 64u * events[next].choices +
                    512u * (events[next].touched.writes != 0))) *
           0x100000001b3u;
    hash ^= hash >> 29;
  }
  return hash;
}

struct search {
  const struct dpor_program *p;
  run_visitor visit;
  void *context;
  uint64_t left;
  struct run run;
};

static bool search(struct search *x, const struct state *s) {
  bool any = false;
  struct run_entry *entry = &x->run.entry[x->run.count];
  if (x->run.count == MOST_STEPS)
    return false;
  for (uint32_t t = 0; t < (s->choices ? s->choices : x->p->threads); t++) {
    if (!s->choices && !program_enabled(x->p, s, t))
      continue;
    any = true;
    struct state next = *s;
    *entry = (struct run_entry){(uint8_t)(s->choices ? s->chooser : t), 0, s->choices != 0};
    if (s->choices) {
      entry->choice = (uint8_t)t;
      program_choose(x->p, &next, t);
    } else {
      program_step(x->p, &next, t);
    }
    x->run.count++;
    bool go_on = search(x, &next);
    x->run.count--;
    if (!go_on)
      return false;
  }
  if (any)
    return true;
  x->run.end = *s;
  return x->visit(x->context, x->p, &x->run) && x->left-- > 0;
}

bool enumerate_interleavings(const struct dpor_program *p, uint64_t most, run_visitor visit,
                             void *context) {
  struct state s;
  struct search x = {.p = p, .visit = visit, .context = context, .left = most};
  program_begin(p, &s, NULL);
  return search(&x, &s);
}

struct found {
  struct hashes *classes, *outcomes;
  uint64_t interleavings;
};

static bool add_run(void *context, const struct dpor_program *p, const struct run *run) {
  struct found *found = context;
  found->interleavings++;
  hashes_add(found->classes, class_of(p, run));
  hashes_add(found->outcomes, program_outcome(&run->end));
  return true;
}

bool enumerate_classes(const struct dpor_program *p, uint64_t most, struct hashes *classes,
                       struct hashes *outcomes, uint64_t *interleavings) {
  struct found found = {classes, outcomes, 0};
  bool all = enumerate_interleavings(p, most, add_run, &found);
  *interleavings = found.interleavings;
  return all;
}
