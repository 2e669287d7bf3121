// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// clients COUNT SEED: random structures of two atomic objects, with random scenarios. Each scenario
// is decided twice: by the clients that rsan_structure.h makes of the results, and by all clients
// that there are, one for each order of the calls. The answers have to be the same.

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "rng.h"
#include "rsan_structure.h"

enum { STEPS = 3, OPERATIONS = 3, CALLS = 4 };

static struct rng rng;
static unsigned below(unsigned limit) {
  return rng_below(&rng, limit);
}

// The steps of each operation.
static struct step {
  enum { LOAD, STORE, ADD } kind;
  unsigned object, value;
  enum { RELAXED, ACQUIRE_RELEASE, SEQ_CST } order;
} step[OPERATIONS][STEPS];
static unsigned steps[OPERATIONS];

static atomic_int object[2];

static void *create(const void *unused) {
  (void)unused;
  atomic_init(&object[0], 0);
  atomic_init(&object[1], 0);
  return object;
}

static int make(const struct step *s) {
  atomic_int *at = &object[s->object];
  const int value = (int)s->value;
  const memory_order order = s->order == SEQ_CST ? memory_order_seq_cst : memory_order_relaxed;
  const bool strong = s->order == ACQUIRE_RELEASE;
  if (s->kind == LOAD)
    return strong ? atomic_load_explicit(at, memory_order_acquire)
                  : atomic_load_explicit(at, order);
  if (s->kind == ADD)
    return strong ? atomic_fetch_add_explicit(at, value, memory_order_acq_rel)
                  : atomic_fetch_add_explicit(at, value, order);
  if (strong)
    atomic_store_explicit(at, value, memory_order_release);
  else
    atomic_store_explicit(at, value, order);
  return 0;
}

static int64_t operate(void *unused, int64_t value, const void *operation) {
  const unsigned number = *(const unsigned *)operation;
  int64_t found = 0;
  (void)unused, (void)value;
  for (unsigned i = 0; i < steps[number]; i++)
    found = 10 * found + make(&step[number][i]);
  return found;
}

static const unsigned numbers[OPERATIONS] = {0, 1, 2};
static const struct rsan_operation operations[OPERATIONS] = {
    {.name = "a", .call = operate, .context = &numbers[0]},
    {.name = "b", .call = operate, .context = &numbers[1]},
    {.name = "c", .call = operate, .context = &numbers[2]},
};
static const struct rsan_structure structure = {.create = create, .operations = operations};

static void make_structure(void) {
  for (unsigned i = 0; i < OPERATIONS; i++) {
    steps[i] = 1 + below(STEPS);
    for (unsigned k = 0; k < steps[i]; k++) {
      struct step *s = &step[i][k];
      s->kind = below(3);
      s->object = below(2);
      s->value = 1 + below(3);
      s->order = below(3);
    }
  }
}

static void make_scenario(struct rsan_scenario_ *s) {
  s->count = 2 + below(CALLS - 1);
  s->threads = 1;
  for (unsigned i = 0; i < s->count; i++) {
    s->threads += i && s->threads < 3 && below(3);
    s->call[i].operation = s->call[i].model = &operations[below(OPERATIONS)];
    s->call[i].thread = s->threads - 1;
  }
}

static int explore(struct rsan_scenario_ *s, rsan_order_ order) {
  struct rsan_scenario_result_ result;
  rsan_set_order_(s, order);
  rsan_explore_client_(s, true, &result);
  return result.status;
}

// By all orders from `order` on; those of `seen` are explored already.
static int explore_all(struct rsan_orders_ *seen, struct rsan_scenario_ *s, rsan_order_ order) {
  if (!rsan_add_order_(seen, order))
    return RSAN_CHECK_PROVED;
  int worst = explore(s, order);
  for (unsigned a = 0; a < s->count && worst == RSAN_CHECK_PROVED; a++)
    for (unsigned b = 0; b < s->count && worst == RSAN_CHECK_PROVED; b++)
      if (a != b && !(order & (rsan_before_(a, b) | rsan_before_(b, a))))
        worst = explore_all(seen, s, rsan_close_(order | rsan_before_(a, b), s->count));
  return worst;
}

static int explore_made(struct rsan_structures_check_ *c, struct rsan_scenario_ *s,
                        rsan_order_ order) {
  struct rsan_scenario_result_ result;
  s->outcomes = 0;
  rsan_explore_scenario_(c, s, order, &result);
  return result.status;
}

static struct rsan_structures_check_ c;
static struct rsan_scenario_ s;

// Returns what both ways say, or -1.
static int decide(void) {
  const rsan_order_ order = rsan_order_of_threads_(&s);
  unsigned calls[RSAN_CALLS_];
  s.sequences = 0;
  if (!rsan_run_sequences_(&s, calls, 0))
    return -1;
  const int made = explore_made(&c, &s, order);
  memset(c.seen.slot, 0, c.seen.room * sizeof *c.seen.slot);
  c.seen.count = 0;
  return explore_all(&c.seen, &s, order) == made ? made : -1;
}

int main(int argc, char **argv) {
  static rsan_order_ seen[1 << 12];
  unsigned proved = 0, found = 0, with_order = 0;
  if (argc != 3)
    return 2;
  rng.state = strtoull(argv[2], 0, 10);
  c.structure = s.structure = &structure;
  c.seen.slot = seen;
  c.seen.room = sizeof seen / sizeof *seen;
  s.outcome = c.outcome;
  s.explores = true;
  for (unsigned long left = strtoul(argv[1], 0, 10); left; left--) {
    make_structure();
    make_scenario(&s);
    const int status = decide();
    proved += status == RSAN_CHECK_PROVED;
    found += status == RSAN_CHECK_FOUND;
    with_order += status == RSAN_CHECK_FOUND && c.clients.count > 1;
    if (status != RSAN_CHECK_PROVED && status != RSAN_CHECK_FOUND) {
      printf("status %d, %lu scenarios before the end\n", status, left);
      return 1;
    }
  }
  free(s.sequence);
  printf("%u scenarios are linearizable, %u are not, %u of these in a client that orders more\n",
         proved, found, with_order);
  return !proved || !found || !with_order;
}
