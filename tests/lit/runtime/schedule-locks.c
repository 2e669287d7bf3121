// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Locks that spin, by themselves, with pause and with sched_yield: no thread of a scheduled run
// uses up its time in a loop that nobody sees (schedule_taken is 0), and the steps are no more than
// some for each of the 20 turns of each thread. At each level of optimisation, as loops are
// recognised by what they look like; whatever the policy.
//
// RUN: %build -O0 %s -o %t0
// RUN: %build -O1 %s -o %t1
// RUN: %build -O2 %s -o %t2
// RUN: %build -O3 %s -o %t3
// RUN: sh %S/Inputs/each-level %t >%t.out 2>&1
// RUN: grep -c 'schedule_taken  *0 ' %t.out | FileCheck %s --check-prefix=RUNS
// RUNS: {{^}}16{{$}}
// RUN: awk '/schedule_steps/ && $2 > 60000 { print "STALLS", $0 } END { print "end" }' %t.out | FileCheck %s
// CHECK-NOT: STALLS
// CHECK: end
//
// The twin: in a loop that is hidden from everybody the time is used up, and the turn is lost.
// RUN: %build -O1 -DHIDDEN %s -o %t.hidden
// RUN: env RSAN_OPTIONS=stats=1:robustness=0:schedule=random:seed=1 %exits 66 %t.hidden 2>&1 | FileCheck %s --check-prefix=HIDDEN
// HIDDEN: schedule_taken {{ *[1-9]}}

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { TURNS = 20, MOST = 4 };

struct node {
  struct node *_Atomic next;
  atomic_int locked;
};

static atomic_int word, ticket, serving;
static struct node *_Atomic tail;
static struct node nodes[MOST][2 * TURNS + 2];
static int counter;

#define NOTHING
#if defined(__x86_64__)
#define PAUSE __builtin_ia32_pause()
#else
#define PAUSE
#endif

// Each with nothing, pause and yield in its loops: NAME_lock_WAY(mine), where `mine` is used once.
#define LOCKS(WAY, wait)                                                                           \
  static void tas_lock_##WAY(struct node *mine) {                                                  \
    (void)mine;                                                                                    \
    while (atomic_exchange_explicit(&word, 1, memory_order_acquire))                               \
      wait;                                                                                        \
  }                                                                                                \
  static void ttas_lock_##WAY(struct node *mine) {                                                 \
    (void)mine;                                                                                    \
    while (atomic_exchange_explicit(&word, 1, memory_order_acquire))                               \
      while (atomic_load_explicit(&word, memory_order_relaxed))                                    \
        wait;                                                                                      \
  }                                                                                                \
  static void cas_lock_##WAY(struct node *mine) {                                                  \
    int expected = 0;                                                                              \
    (void)mine;                                                                                    \
    while (!atomic_compare_exchange_strong(&word, &expected, 1)) {                                 \
      expected = 0;                                                                                \
      while (atomic_load(&word))                                                                   \
        wait;                                                                                      \
    }                                                                                              \
  }                                                                                                \
  static void ticket_lock_##WAY(struct node *mine) {                                               \
    const int own = atomic_fetch_add(&ticket, 1);                                                  \
    (void)mine;                                                                                    \
    while (atomic_load_explicit(&serving, memory_order_acquire) != own)                            \
      wait;                                                                                        \
  }                                                                                                \
  static void clh_lock_##WAY(struct node *mine) {                                                  \
    atomic_store_explicit(&mine->locked, 1, memory_order_relaxed);                                 \
    struct node *before = atomic_exchange(&tail, mine);                                            \
    while (before && atomic_load_explicit(&before->locked, memory_order_acquire))                  \
      wait;                                                                                        \
  }                                                                                                \
  static void mcs_lock_##WAY(struct node *mine) {                                                  \
    atomic_store_explicit(&mine->next, NULL, memory_order_relaxed);                                \
    atomic_store_explicit(&mine->locked, 1, memory_order_relaxed);                                 \
    struct node *before = atomic_exchange(&tail, mine);                                            \
    if (!before)                                                                                   \
      return;                                                                                      \
    atomic_store_explicit(&before->next, mine, memory_order_release);                              \
    while (atomic_load_explicit(&mine->locked, memory_order_acquire))                              \
      wait;                                                                                        \
  }                                                                                                \
  static void mcs_unlock_##WAY(struct node *mine) {                                                \
    struct node *expected = mine, *next;                                                           \
    if (!atomic_load_explicit(&mine->next, memory_order_acquire)) {                                \
      if (atomic_compare_exchange_strong(&tail, &expected, NULL))                                  \
        return;                                                                                    \
      while (!atomic_load_explicit(&mine->next, memory_order_acquire))                             \
        wait;                                                                                      \
    }                                                                                              \
    next = atomic_load_explicit(&mine->next, memory_order_acquire);                                \
    atomic_store_explicit(&next->locked, 0, memory_order_release);                                 \
  }
LOCKS(plain, NOTHING)
LOCKS(pause, PAUSE)
LOCKS(yield, sched_yield())

static void word_unlock(struct node *mine) {
  (void)mine;
  atomic_store_explicit(&word, 0, memory_order_release);
}

static void ticket_unlock(struct node *mine) {
  (void)mine;
  atomic_fetch_add(&serving, 1);
}

static void clh_unlock(struct node *mine) {
  atomic_store_explicit(&mine->locked, 0, memory_order_release);
}

#ifdef HIDDEN
__attribute__((disable_sanitizer_instrumentation)) static void hidden_lock(struct node *mine) {
  (void)mine;
  while (__atomic_exchange_n((int *)&word, 1, __ATOMIC_SEQ_CST)) {
  }
}
#endif

struct lock {
  void (*lock)(struct node *), (*unlock)(struct node *);
};

static const struct lock locks[] = {
#define WAY(WAY)                                                                                   \
  {tas_lock_##WAY, word_unlock}, {ttas_lock_##WAY, word_unlock}, {cas_lock_##WAY, word_unlock},    \
      {ticket_lock_##WAY, ticket_unlock}, {clh_lock_##WAY, clh_unlock}, {                          \
    mcs_lock_##WAY, mcs_unlock_##WAY                                                               \
  }
    WAY(plain),
    WAY(pause),
    WAY(yield),
#ifdef HIDDEN
    {hidden_lock, word_unlock},
#endif
};

static const struct lock *tried;

static void *run(void *own) {
  for (int i = 0; i < TURNS; i++) {
    struct node *mine = (struct node *)own + i;
    tried->lock(mine);
    counter++;
    tried->unlock(mine);
  }
  return NULL;
}

int main(void) {
  const unsigned all = sizeof locks / sizeof *locks;
#ifdef HIDDEN
  const unsigned first = all - 1;
#else
  const unsigned first = 0;
#endif
  for (unsigned i = first; i < all; i++)
    for (int count = 2; count <= MOST; count++) {
      pthread_t threads[MOST];
      tried = &locks[i];
      counter = 0;
      atomic_store(&tail, NULL);
      for (int t = 0; t < count; t++)
        pthread_create(&threads[t], NULL, run, nodes[t]);
      for (int t = 0; t < count; t++)
        pthread_join(threads[t], NULL);
      if (counter != count * TURNS)
        abort();
    }
}
