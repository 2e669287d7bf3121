// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A random litmus program (../litmus/litmus.h) with random repairs, which are either written, that
// is, the program executes them, or left to the runtime to simulate. Every interleaving must get
// the same verdict both ways. From the environment:
//
//   POINTS_SEED=N       which program, which repairs
//   POINTS_WRITTEN=1    the program executes the repairs
//   POINTS_RULES=FILE   writes the rules that simulate them

#include "../litmus/litmus.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define INLINE static inline __attribute__((always_inline))

enum { THREADS = 3, ACCESSES = 3, LOCATIONS = 2 };

enum kind { LOAD, STORE, EXCHANGE, ADD, STRONG, WEAK, FENCE, KINDS };
static const char *const order_names[] = {"relaxed", "consume", "acquire",
                                          "release", "acq_rel", "seq_cst"};

struct access {
  enum kind kind;
  int location, order, failure; // memory orders as in __ATOMIC_RELAXED
  bool plain;                   // followed by an access without atomics
  bool before, after;           // the repairs: fences; order, or -1
  int raised;
};

struct shared {
  _Alignas(16) unsigned __int128 wide[LOCATIONS];
  int narrow[LOCATIONS];
  int plain;
};

static struct access program[THREADS][ACCESSES];
static int lines[THREADS][ACCESSES]; // where the accesses are in this file
static bool is_wide, is_written;
static uint64_t state;

static int below(int limit) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (int)(state % (uint64_t)limit);
}

static bool is_legal(enum kind kind, int order) {
  if (kind == LOAD)
    return order != __ATOMIC_RELEASE && order != __ATOMIC_ACQ_REL;
  return kind != STORE || (order != __ATOMIC_ACQUIRE && order != __ATOMIC_ACQ_REL);
}

static bool is_weaker(int order, int than) {
  static const int parts[] = {0, 1, 1, 2, 3, 7};
  return (parts[order] & parts[than]) != parts[than];
}

static int random_order(enum kind kind) {
  static const int orders[] = {__ATOMIC_RELAXED, __ATOMIC_RELAXED, __ATOMIC_ACQUIRE,
                               __ATOMIC_RELEASE, __ATOMIC_ACQ_REL, __ATOMIC_SEQ_CST};
  int order;
  do
    order = orders[below(6)];
  while (!is_legal(kind, order));
  return order;
}

static struct access random_access(void) {
  struct access it = {.kind = (enum kind)below(KINDS), .raised = -1};
  if (below(3)) // what violations are mostly made of
    it.kind = below(2) ? LOAD : STORE;
  it.location = below(LOCATIONS);
  it.order = random_order(it.kind);
  it.failure = below(2) ? __ATOMIC_RELAXED : __ATOMIC_ACQUIRE;
  it.plain = below(6) == 0;
  it.before = below(4) == 0;
  it.after = below(4) == 0;
  int raised = random_order(it.kind);
  if (raised != __ATOMIC_RELAXED && !is_weaker(raised, it.order) && below(2))
    it.raised = raised;
  return it;
}

INLINE int order_of(const struct access *it) {
  return is_written && it->raised >= 0 ? it->raised : it->order;
}

// The order for failure that goes with the one for success, in a repair.
static int failure_of(const struct access *it) {
  if (!is_written || it->raised < 0)
    return it->failure;
  if (it->raised == __ATOMIC_SEQ_CST)
    return __ATOMIC_SEQ_CST;
  return it->raised == __ATOMIC_RELEASE ? it->failure : __ATOMIC_ACQUIRE;
}

#define ACCESS(x, it)                                                                              \
  switch ((it)->kind) {                                                                            \
  case LOAD:                                                                                       \
    __atomic_load_n(x, order_of(it));                                                              \
    break;                                                                                         \
  case STORE:                                                                                      \
    __atomic_store_n(x, 1, order_of(it));                                                          \
    break;                                                                                         \
  case EXCHANGE:                                                                                   \
    __atomic_exchange_n(x, 2, order_of(it));                                                       \
    break;                                                                                         \
  case ADD:                                                                                        \
    __atomic_fetch_add(x, 1, order_of(it));                                                        \
    break;                                                                                         \
  case STRONG:                                                                                     \
    __atomic_compare_exchange_n(x, &expected, 2, false, order_of(it), failure_of(it));             \
    break;                                                                                         \
  case WEAK:                                                                                       \
    __atomic_compare_exchange_n(x, &expected, 2, true, order_of(it), failure_of(it));              \
    break;                                                                                         \
  default:                                                                                         \
    __atomic_thread_fence(order_of(it));                                                           \
  }

INLINE void act(struct shared *s, const struct access *it) {
  if (is_written && it->before)
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
  if (is_wide) {
    unsigned __int128 expected = 1;
    ACCESS(&s->wide[it->location], it)
  } else {
    int expected = 1;
    ACCESS(&s->narrow[it->location], it)
  }
  if (is_written && it->after)
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

// Each place has code of its own, at a line of its own: that of the outermost inlined frame.
// clang-format off
#define PLACE(thread, number)                                                                      \
  static void place_##thread##_##number(struct shared *s) {                                        \
    act(s, &program[thread][number]);                                                              \
  }                                                                                                \
  __attribute__((constructor)) static void number_##thread##_##number(void) {                      \
    lines[thread][number] = __LINE__;                                                              \
  }
PLACE(0, 0)
PLACE(0, 1)
PLACE(0, 2)
PLACE(1, 0)
PLACE(1, 1)
PLACE(1, 2)
PLACE(2, 0)
PLACE(2, 1)
PLACE(2, 2)
// clang-format on

typedef void place(struct shared *);
static place *const places[THREADS][ACCESSES] = {
    {place_0_0, place_0_1, place_0_2},
    {place_1_0, place_1_1, place_1_2},
    {place_2_0, place_2_1, place_2_2},
};
static int length = ACCESSES;

static void run(struct shared *s, int thread) {
  for (int i = 0; i < length; i++) {
    step();
    places[thread][i](s);
    if (program[thread][i].plain) {
      step();
      s->plain = 1;
    }
  }
}

static void thread_0(void *shared) {
  run(shared, 0);
}

static void thread_1(void *shared) {
  run(shared, 1);
}

static void thread_2(void *shared) {
  if (length < ACCESSES)
    run(shared, 2);
}

static void write_rules(const char *path) {
  FILE *file = fopen(path, "w");
  if (!file)
    abort();
  for (int t = 0; t < THREADS; t++)
    for (int i = 0; i < ACCESSES; i++) {
      const struct access *it = &program[t][i];
      if (it->before)
        fprintf(file, "fence-before points.c:%d\n", lines[t][i]);
      if (it->after)
        fprintf(file, "fence-after points.c:%d\n", lines[t][i]);
      if (it->raised >= 0)
        fprintf(file, "order %s points.c:%d\n", order_names[it->raised], lines[t][i]);
    }
  if (fclose(file) != 0)
    abort();
}

static void init(void *shared) {
  (void)shared;
  static bool done;
  if (done)
    return;
  done = true;
  const char *seed = getenv("POINTS_SEED"), *rules = getenv("POINTS_RULES");
  if (!seed)
    abort();
  state = strtoull(seed, NULL, 10) * 0x9e3779b97f4a7c15u + 1;
  for (int i = 0; i < 10; i++)
    below(2);
  is_written = getenv("POINTS_WRITTEN") != NULL;
  is_wide = below(4) == 0;
  length = below(2) ? ACCESSES : 2; // two threads with three accesses, or three with two
  for (int t = 0; t < THREADS; t++)
    for (int i = 0; i < ACCESSES; i++)
      program[t][i] = random_access();
  if (rules)
    write_rules(rules);
}

const struct litmus litmus_program = {
    .size = sizeof(struct shared),
    .threads = THREADS,
    .thread = {thread_0, thread_1, thread_2},
    .init = init,
};
