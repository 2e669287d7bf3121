// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// histories COUNT SEED: prints random histories of a queue, a stack, a register, a set, and a queue
// whose take() may fail at any time. Behind each history stands the answer of rsan_structure.h:
// does an order of the calls explain the results? check_histories.py computes the same answer from
// the definition, and compares.
//
// This program also checks the clients that rsan_structure.h computes from the results. An order
// has to disagree with the results if, and only if, it contains the order of one of these clients.

#include <stdio.h>
#include <stdlib.h>

#include "rng.h"
#include "rsan_structure.h"

enum { MOST = 5 };

static struct rng rng;
static unsigned below(unsigned limit) {
  return rng_below(&rng, limit);
}

// One object at a time; its elements, oldest first.
static struct object {
  int64_t element[MOST];
  unsigned count;
} object;

static void *create(const void *unused) {
  (void)unused;
  memset(&object, 0, sizeof object);
  return &object;
}
static int64_t take_at(struct object *self, unsigned at) {
  if (!self->count)
    return RSAN_RESULT_NONE;
  const int64_t value = self->element[at];
  self->count--;
  for (unsigned i = at; i < self->count; i++)
    self->element[i] = self->element[i + 1];
  return value;
}
static int64_t add(void *self, int64_t value, const void *unused) {
  struct object *to = (struct object *)self;
  (void)unused;
  to->element[to->count++] = value;
  return RSAN_RESULT_NOTHING;
}
static int64_t take_first(void *self, int64_t value, const void *unused) {
  (void)value, (void)unused;
  return take_at((struct object *)self, 0);
}
static int64_t take_last(void *self, int64_t value, const void *unused) {
  struct object *from = (struct object *)self;
  (void)value, (void)unused;
  return take_at(from, from->count - 1);
}
static int64_t set(void *self, int64_t value, const void *unused) {
  (void)unused;
  ((struct object *)self)->element[0] = value;
  return RSAN_RESULT_NOTHING;
}
static int64_t get(void *self, int64_t value, const void *unused) {
  (void)value, (void)unused;
  return ((struct object *)self)->element[0];
}
static int64_t find(struct object *self, int64_t value) {
  for (unsigned i = 0; i < self->count; i++)
    if (self->element[i] == value)
      return i;
  return -1;
}
static int64_t insert(void *self, int64_t value, const void *unused) {
  if (find((struct object *)self, value) >= 0)
    return 0;
  add(self, value, unused);
  return 1;
}
static int64_t erase(void *self, int64_t value, const void *unused) {
  const int64_t at = find((struct object *)self, value);
  (void)unused;
  if (at >= 0)
    take_at((struct object *)self, (unsigned)at);
  return at >= 0;
}

static const int64_t values[] = {1, 2};
static const struct rsan_operation operations[][2] = {
    {{"add", add, 0, values, 2, false, 0, false}, {"take", take_first, 0, 0, 0, false, 0, false}},
    {{"add", add, 0, values, 2, false, 0, false}, {"take", take_last, 0, 0, 0, false, 0, false}},
    {{"set", set, 0, values, 2, false, 0, false}, {"get", get, 0, 0, 0, false, 0, false}},
    {{"insert", insert, 0, values, 2, false, 0, false},
     {"erase", erase, 0, values, 2, false, 0, false}},
    {{"add", add, 0, values, 2, false, 0, false}, {"take", take_first, 0, 0, 0, false, 0, true}},
};
static const char *const kinds[] = {"queue", "stack", "register", "set", "failing_queue"};

static void make_calls(struct rsan_scenario_ *s, unsigned kind) {
  const unsigned threads = 1 + below(4);
  s->count = s->threads = 0;
  for (unsigned t = 0; t < threads && s->count < MOST; t++) {
    s->threads++;
    for (unsigned n = 1 + below(3); n && s->count < MOST; n--) {
      struct rsan_call_ *call = &s->call[s->count++];
      call->operation = call->model = &operations[kind][below(2)];
      call->value = call->operation->value_count ? values[below(2)] : 0;
      call->thread = t;
    }
  }
}

static rsan_order_ make_order(const struct rsan_scenario_ *s) {
  rsan_order_ order = rsan_order_of_threads_(s);
  for (unsigned pairs = below(4); pairs; pairs--) {
    const unsigned a = below(s->count), b = below(s->count);
    if (a != b && !(order & rsan_before_(b, a)))
      order = rsan_close_(order | rsan_before_(a, b), s->count);
  }
  return order;
}

// Those of some order of the calls; in half of the histories one of them is another one.
static void make_results(struct rsan_scenario_ *s) {
  const struct rsan_sequence_ *sequence = &s->sequence[below((unsigned)s->sequences)];
  for (unsigned i = 0; i < s->count; i++)
    s->result[i] = sequence->result[i] == RSAN_FAILS_ ? RSAN_RESULT_NONE : sequence->result[i];
  const unsigned changed = below(2 * s->count);
  if (changed < s->count && s->result[changed] != RSAN_RESULT_NOTHING)
    s->result[changed] = below(4) ? (int64_t)below(3) : RSAN_RESULT_NONE;
}

static bool has_client(struct rsan_structures_check_ *c, struct rsan_scenario_ *s,
                       rsan_order_ order) {
  bool any = false;
  c->clients.count = 0;
  s->outcomes = 0;
  rsan_note_outcome_(s);
  rsan_ask_clients_(c, s);
  for (unsigned i = 0; i < c->clients.count; i++)
    any |= !(c->clients.order[i] & ~order);
  return any;
}

static void print(const struct rsan_scenario_ *s, const char *kind, rsan_order_ order,
                  bool is_explained) {
  printf("%s", kind);
  for (unsigned i = 0; i < s->count; i++) {
    printf(" %u:%s:%lld:", s->call[i].thread, s->call[i].operation->name,
           (long long)s->call[i].value);
    if (s->result[i] == RSAN_RESULT_NONE || s->result[i] == RSAN_RESULT_NOTHING)
      printf("-");
    else
      printf("%lld", (long long)s->result[i]);
  }
  printf(" |");
  for (unsigned a = 0; a < s->count; a++)
    for (unsigned b = 0; b < s->count; b++)
      if (order & rsan_before_(a, b))
        printf(" %u<%u", a, b);
  printf(" | %d\n", is_explained);
}

int main(int argc, char **argv) {
  static struct rsan_structures_check_ c;
  static struct rsan_scenario_ s;
  static const struct rsan_structure structures[] = {{0, create, 0, 0, 0, 0, 0, 0, 0, 0}};
  static rsan_order_ seen[1 << 12];
  unsigned calls[RSAN_CALLS_];
  if (argc != 3)
    return 2;
  rng.state = strtoull(argv[2], 0, 10);
  c.seen.slot = seen;
  c.seen.room = sizeof seen / sizeof *seen;
  s.structure = structures;
  s.outcome = c.outcome;
  for (unsigned long left = strtoul(argv[1], 0, 10); left; left--) {
    const unsigned kind = below(5);
    make_calls(&s, kind);
    s.sequences = 0;
    if (!rsan_run_sequences_(&s, calls, 0))
      return 3;
    make_results(&s);
    const rsan_order_ order = make_order(&s);
    const bool is_explained = rsan_is_explained_(&s, s.result, order);
    print(&s, kinds[kind], order, is_explained);
    if (has_client(&c, &s, order) == is_explained || s.too_many) {
      printf("the clients of this history are wrong\n");
      return 1;
    }
  }
  free(s.sequence);
  return 0;
}
