// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// blocking SEED COUNT: tests of rsan_check() of random programs that block: with mutexes,
// condition variables, locks of readers and writers, semaphores, barriers and futexes. Their
// atomic operations are seq_cst, so graphs and interleavings have the same outcomes.
//
// Writes for each program the outcomes of its interleavings, and those of its graphs. In a graph,
// blocks come from a heap of its own. Standard error says where each program begins.

#include <inttypes.h>
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <sanitizer/allocator_interface.h>

#include "numbered_thread.h"
#include "rng.h"
#include "rsan.h"

enum { THREADS = 3, LENGTH = 3, OUTCOMES = 4096 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t shared = PTHREAD_RWLOCK_INITIALIZER;
static sem_t semaphore;
static pthread_barrier_t barrier;
static atomic_int word, sum;
static int flag, in_mutex, in_shared, bare;
static uint64_t seen[THREADS]; // a hash of what each thread has seen

static void note(unsigned thread, int value) {
  seen[thread] = (seen[thread] ^ (uint64_t)(unsigned)value) * 0x100000001b3;
}

static long call_futex(int operation, int value) {
  return syscall(SYS_futex, &word, operation | FUTEX_PRIVATE_FLAG, value, NULL, NULL, 0);
}

// -- statements --

static void add(unsigned thread) {
  note(thread, atomic_fetch_add(&sum, (int)thread + 1));
}
static void lock(unsigned thread) {
  pthread_mutex_lock(&mutex);
  note(thread, in_mutex);
  in_mutex = in_mutex * 3 + (int)thread + 1;
  pthread_mutex_unlock(&mutex);
}
static void wait_once(unsigned thread) {
  pthread_mutex_lock(&mutex);
  if (!flag)
    pthread_cond_wait(&condition, &mutex);
  note(thread, flag);
  pthread_mutex_unlock(&mutex);
}
static void wait_for_flag(unsigned thread) {
  pthread_mutex_lock(&mutex);
  while (!flag)
    pthread_cond_wait(&condition, &mutex);
  note(thread, flag--);
  pthread_mutex_unlock(&mutex);
}
static void signal_flag(unsigned thread) {
  pthread_mutex_lock(&mutex);
  note(thread, flag++);
  pthread_cond_signal(&condition);
  pthread_mutex_unlock(&mutex);
}
static void signal_bare(unsigned thread) {
  (void)thread;
  pthread_cond_signal(&condition);
}
static void broadcast(unsigned thread) {
  pthread_mutex_lock(&mutex);
  note(thread, flag++);
  pthread_mutex_unlock(&mutex);
  pthread_cond_broadcast(&condition);
}
static void read_shared(unsigned thread) {
  pthread_rwlock_rdlock(&shared);
  note(thread, in_shared);
  pthread_rwlock_unlock(&shared);
}
static void write_shared(unsigned thread) {
  pthread_rwlock_wrlock(&shared);
  in_shared = in_shared * 3 + (int)thread + 1;
  pthread_rwlock_unlock(&shared);
}
static void read_and_add(unsigned thread) {
  pthread_rwlock_rdlock(&shared);
  note(thread, in_shared);
  add(thread);
  pthread_rwlock_unlock(&shared);
}
static void post(unsigned thread) {
  (void)thread;
  sem_post(&semaphore);
}
static void wait_for_post(unsigned thread) {
  (void)thread;
  sem_wait(&semaphore);
}
static void meet(unsigned thread) {
  note(thread, pthread_barrier_wait(&barrier) == 0);
}
static void wait_at_word(unsigned thread) {
  note(thread, call_futex(FUTEX_WAIT, 0) == 0);
}
static void set_and_wake(unsigned thread) {
  (void)thread;
  atomic_store(&word, 1);
  call_futex(FUTEX_WAKE, 1);
}
static void wake_one(unsigned thread) {
  note(thread, (int)call_futex(FUTEX_WAKE, 1));
}
static void wake_all(unsigned thread) {
  note(thread, (int)call_futex(FUTEX_WAKE, INT32_MAX));
}
static void touch(unsigned thread) {
  (void)thread;
  bare++;
}

typedef void statement(unsigned thread);

// A program takes its statements from one family, or from all of them.
static statement *const families[][6] = {
    {lock, wait_once, wait_for_flag, signal_flag, signal_bare, broadcast},
    {wait_once, wait_once, signal_bare, broadcast, add, touch},
    {read_shared, write_shared, read_and_add, write_shared, touch, lock},
    {post, post, wait_for_post, wait_for_post, add, touch},
    {meet, meet, meet, touch, add, lock},
    {wait_at_word, wait_at_word, set_and_wake, wake_one, wake_all, add},
    {lock, signal_flag, wait_for_flag, read_and_add, post, meet},
    {wait_for_post, set_and_wake, wait_at_word, write_shared, touch, wake_one}};
enum { FAMILIES = sizeof families / sizeof families[0] };

// -- a program and its outcomes --

static struct program {
  unsigned threads, length[THREADS];
  statement *statement[THREADS][LENGTH];
} program;

// The outcomes by interleavings, and by graphs.
static struct {
  uint64_t outcome[OUTCOMES];
  size_t count;
} outcomes[2];
static bool by_graph;

static void draw_program(uint64_t seed, uint64_t number) {
  struct rng rng = {rng_derive(seed, number)};
  statement *const *family = families[rng_below(&rng, FAMILIES)];
  program.threads = 2 + rng_below(&rng, 2);
  for (unsigned t = 0; t < program.threads; t++) {
    program.length[t] = 1 + rng_below(&rng, program.threads == 2 ? LENGTH : 2);
    for (unsigned i = 0; i < program.length[t]; i++)
      program.statement[t][i] = family[rng_below(&rng, 6)];
  }
}

static void set_up(void *unused) {
  (void)unused;
  void *block = malloc(1);
  by_graph = !__sanitizer_get_ownership(block);
  free(block);
  flag = in_mutex = in_shared = bare = 0;
  atomic_init(&word, 0);
  atomic_init(&sum, 0);
  sem_init(&semaphore, 0, 0);
  pthread_barrier_init(&barrier, NULL, 2);
  for (unsigned t = 0; t < THREADS; t++)
    seen[t] = t;
}

static bool note_outcome(void *unused) {
  (void)unused;
  uint64_t hash = 0, *outcome = outcomes[by_graph].outcome;
  size_t *count = &outcomes[by_graph].count;
  for (unsigned t = 0; t < program.threads; t++)
    hash = (hash ^ seen[t]) * 0x9e3779b97f4a7c15;
  for (size_t i = 0; i < *count; i++)
    if (outcome[i] == hash)
      return true;
  if (*count == OUTCOMES)
    abort();
  outcome[(*count)++] = hash;
  return true;
}

static void run(unsigned thread) {
  for (unsigned i = 0; i < program.length[thread]; i++)
    program.statement[thread][i](thread);
}
NUMBERED_THREAD(0)
NUMBERED_THREAD(1)
NUMBERED_THREAD(2)

static int compare(const void *a, const void *b) {
  const uint64_t *x = a, *y = b;
  return (*x > *y) - (*x < *y);
}

static void print_outcomes(int of) {
  qsort(outcomes[of].outcome, outcomes[of].count, sizeof *outcomes[of].outcome, compare);
  for (size_t i = 0; i < outcomes[of].count; i++)
    printf(" %" PRIx64, outcomes[of].outcome[i]);
  printf(of ? "\n" : " |");
  outcomes[of].count = 0;
}

int main(int argc, char **argv) {
  static void (*const threads[])(void *) = {run_0, run_1, run_2};
  if (argc != 3)
    return 2;
  for (uint64_t i = 0; i < strtoull(argv[2], NULL, 10); i++) {
    draw_program(strtoull(argv[1], NULL, 10), i);
    fprintf(stderr, "program %" PRIu64 "\n", i);
    rsan_check(set_up, program.threads, threads, note_outcome, NULL);
    print_outcomes(0);
    print_outcomes(1);
  }
  return 0;
}
