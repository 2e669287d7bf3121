// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// graphs SEED COUNT OPERATIONS: the programs that graph-random --list draws, each as a test of
// rsan_check().

#include <stdio.h>
#include <stdlib.h>

#include "draw.h"
#include "numbered_thread.h"
#include "rsan.h"

static uint32_t object[PROGRAM_MAX_LOCATIONS];
static volatile int plain[PROGRAM_MAX_LOCATIONS];
static struct program program;

static const int orders[] = {[TRACE_RLX] = __ATOMIC_RELAXED,
                             [TRACE_ACQ] = __ATOMIC_ACQUIRE,
                             [TRACE_REL] = __ATOMIC_RELEASE,
                             [TRACE_AR] = __ATOMIC_ACQ_REL,
                             [TRACE_SC] = __ATOMIC_SEQ_CST};

static void make(const struct trace_event *event) {
  uint32_t *at = &object[event->object], value = (uint32_t)event->written;
  uint32_t expected = (uint32_t)event->expected;
  const int order = orders[event->order], failure = orders[event->failure];
  switch (event->op) {
  case TRACE_LOAD:
    __atomic_load_n(at, order);
    break;
  case TRACE_STORE:
    __atomic_store_n(at, value, order);
    break;
  case TRACE_FETCH_OP:
    __atomic_fetch_add(at, value, order);
    break;
  case TRACE_EXCHANGE:
    __atomic_exchange_n(at, value, order);
    break;
  case TRACE_WEAK_CAS:
    __atomic_compare_exchange_n(at, &expected, value, true, order, failure);
    break;
  case TRACE_STRONG_CAS:
    __atomic_compare_exchange_n(at, &expected, value, false, order, failure);
    break;
  case TRACE_WAIT: // what the compiler's pass makes of loops that wait
    __rsan_atomic32_wait_load(at, order, RSAN_EQ, UINT32_MAX, expected);
    break;
  case TRACE_BCAS:
    __rsan_atomic32_wait_compare_exchange(at, expected, value, order, failure);
    break;
  case TRACE_FENCE:
    __atomic_thread_fence(order);
    break;
  case TRACE_PLAIN_READ:
    (void)plain[event->object];
    break;
  case TRACE_PLAIN_WRITE:
    plain[event->object] = 1;
    break;
  default:
    abort();
  }
}

static void set_up(void *unused) {
  (void)unused;
  for (uint32_t i = 0; i < PROGRAM_MAX_LOCATIONS; i++) {
    __atomic_store_n(&object[i], 0, __ATOMIC_RELAXED);
    plain[i] = 0;
  }
}

static void run(uint32_t thread) {
  for (uint32_t i = 0; i < program.length[thread]; i++)
    make(&program.ops[thread][i]);
}

NUMBERED_THREAD(0)
NUMBERED_THREAD(1)
NUMBERED_THREAD(2)
NUMBERED_THREAD(3)

static bool holds(void *unused) {
  (void)unused;
  return true;
}

int main(int argc, char **argv) {
  static void (*const threads[])(void *) = {run_0, run_1, run_2, run_3};
  if (argc != 4)
    return 2;
  for (uint64_t i = 0; i < strtoull(argv[2], NULL, 10); i++) {
    draw_program(strtoull(argv[1], NULL, 10), i, (uint32_t)atoi(argv[3]), &program);
    rsan_check(set_up, program.threads, threads, holds, NULL);
  }
  return 0;
}
