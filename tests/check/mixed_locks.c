// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// mixed_locks: three algorithms that access a word and its parts. Each was written from a published
// description, and is explored by rsan_check(). With -DWEAKENED one memory order of each is
// relaxed.
//
//   ticket lock        of DPDK: lock and unlock change one half of the word, and a try to lock
//                      exchanges the word. Weakened: the wait for the turn does not acquire.
//   queue spin lock    of Linux on x86, with the pending bit and without the queue: one byte says
//                      that the lock is held, and unlock writes this byte alone. Weakened: unlock
//                      does not release.
//   stack              of DPDK and ck: a thread reads index and generation of the top in two loads,
//                      and exchanges both together. Weakened: a push does not release.
//
// Accesses of what the lock protects are relaxed, so the weakened versions have no data race.

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "rsan.h"

#ifdef WEAKENED
#define ACQUIRE __ATOMIC_RELAXED
#define RELEASE __ATOMIC_RELAXED
#else
#define ACQUIRE __ATOMIC_ACQUIRE
#define RELEASE __ATOMIC_RELEASE
#endif
#define RELAXED __ATOMIC_RELAXED

static int visits;

static void visit(void) {
  __atomic_store_n(&visits, __atomic_load_n(&visits, RELAXED) + 1, RELAXED);
}

static union {
  uint32_t tickets;
  struct {
    uint16_t current, next;
  };
} ticket;

static void give_ticket_back(void) {
  const uint16_t current = __atomic_load_n(&ticket.current, RELAXED);
  __atomic_store_n(&ticket.current, (uint16_t)(current + 1), __ATOMIC_RELEASE);
}

static void take_ticket(void *unused) {
  (void)unused;
  const uint16_t mine = __atomic_fetch_add(&ticket.next, 1, RELAXED);
  while (__atomic_load_n(&ticket.current, ACQUIRE) != mine)
    ;
  visit();
  give_ticket_back();
}

static void try_ticket(void *unused) {
  (void)unused;
  uint32_t old = __atomic_load_n(&ticket.tickets, RELAXED);
  if (old >> 16 != (old & 0xffff) ||
      !__atomic_compare_exchange_n(&ticket.tickets, &old, old + (1 << 16), false, __ATOMIC_ACQUIRE,
                                   RELAXED))
    return;
  visit();
  give_ticket_back();
}

static union {
  uint32_t word;
  uint16_t locked_and_pending;
  uint8_t locked;
} queue;

static void pass_queue(void *unused) {
  (void)unused;
  uint32_t nothing = 0;
  if (!__atomic_compare_exchange_n(&queue.word, &nothing, 1, false, __ATOMIC_ACQUIRE, RELAXED)) {
    __atomic_fetch_or(&queue.word, 0x100, __ATOMIC_ACQUIRE);
    while (__atomic_load_n(&queue.locked, __ATOMIC_ACQUIRE))
      ;
    __atomic_store_n(&queue.locked_and_pending, 1, RELAXED);
  }
  visit();
  __atomic_store_n(&queue.locked, 0, RELEASE);
}

enum { NODES = 3 };
static union {
  uint64_t both;
  struct {
    uint32_t index, generation;
  };
} top;
static struct {
  uint32_t next, value;
} nodes[NODES];
static uint32_t popped;

static void push(void *unused) {
  (void)unused;
  uint64_t old = __atomic_load_n(&top.both, RELAXED), pushed;
  __atomic_store_n(&nodes[1].value, 7, RELAXED);
  do {
    __atomic_store_n(&nodes[1].next, (uint32_t)old, RELAXED);
    pushed = ((old >> 32) + 1) << 32 | 1;
  } while (!__atomic_compare_exchange_n(&top.both, &old, pushed, false, RELEASE, RELAXED));
}

static void pop(void *unused) {
  (void)unused;
  const uint32_t generation = __atomic_load_n(&top.generation, __ATOMIC_ACQUIRE);
  const uint32_t index = __atomic_load_n(&top.index, __ATOMIC_ACQUIRE);
  if (!index)
    return;
  const uint32_t next = __atomic_load_n(&nodes[index].next, RELAXED);
  uint64_t old = (uint64_t)generation << 32 | index;
  if (__atomic_compare_exchange_n(&top.both, &old, ((uint64_t)generation + 1) << 32 | next, false,
                                  __ATOMIC_ACQUIRE, RELAXED))
    popped = __atomic_load_n(&nodes[index].value, RELAXED);
}

static void set_up(void *unused) {
  (void)unused;
  memset(&ticket, 0, sizeof ticket);
  memset(&queue, 0, sizeof queue);
  memset(&top, 0, sizeof top);
  memset(nodes, 0, sizeof nodes);
  visits = 0;
  popped = 7;
}

static bool holds(void *unused) {
  (void)unused;
  return popped == 7;
}

int main(void) {
  static const struct {
    const char *name;
    void (*threads[2])(void *);
  } tests[] = {
      {"ticket lock", {take_ticket, take_ticket}},
      {"ticket lock, tried", {take_ticket, try_ticket}},
      {"queue spin lock", {pass_queue, pass_queue}},
      {"stack", {push, pop}},
  };
  for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
    fprintf(stderr, "program %s\n", tests[i].name);
    rsan_check(set_up, 2, tests[i].threads, holds, NULL);
  }
  return 0;
}
