// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What one operation costs: `micro NAME THREADS` runs one of the loops below in each thread and
// prints nanoseconds of wall time per operation of a thread. All of them are robust and free of
// data races, so that no tool stops to report.

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LINE = 64, CELLS = 1024, WORDS = 1 << 16 };

struct cell {
  _Alignas(LINE) _Atomic unsigned long value;
};

// volatile: the compiler would join what the loops repeat.
static volatile struct cell shared, own[64], table[CELLS];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static unsigned long guarded;

static void load(int self, long n) {
  (void)self;
  for (long i = 0; i < n; i++)
    atomic_load_explicit(&shared.value, memory_order_acquire);
}

static void store_own(int self, long n) {
  for (long i = 0; i < n; i++)
    atomic_store_explicit(&own[self].value, (unsigned long)i, memory_order_release);
}

static void add(int self, long n) {
  (void)self;
  for (long i = 0; i < n; i++)
    atomic_fetch_add_explicit(&shared.value, 1, memory_order_acq_rel);
}

static void add_relaxed(int self, long n) {
  (void)self;
  for (long i = 0; i < n; i++)
    atomic_fetch_add_explicit(&shared.value, 1, memory_order_relaxed);
}

static void add_table(int self, long n) {
  unsigned long at = (unsigned long)self;
  for (long i = 0; i < n; i++) {
    at = at * 6364136223846793005UL + 1442695040888963407UL;
    atomic_fetch_add_explicit(&table[at >> 54].value, 1, memory_order_acq_rel);
  }
}

static void cas(int self, long n) {
  (void)self;
  for (long i = 0; i < n; i++) {
    unsigned long seen = atomic_load_explicit(&shared.value, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&shared.value, &seen, seen + 1,
                                                  memory_order_acq_rel, memory_order_relaxed))
      ;
  }
}

static void store_fence(int self, long n) {
  for (long i = 0; i < n; i++) {
    atomic_store_explicit(&own[self].value, (unsigned long)i, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst);
  }
}

static void lock(int self, long n) {
  (void)self;
  for (long i = 0; i < n; i++) {
    pthread_mutex_lock(&mutex);
    guarded++;
    pthread_mutex_unlock(&mutex);
  }
}

static void plain(int self, long n) {
  (void)self;
  volatile unsigned *words = calloc(WORDS, sizeof *words);
  for (long i = 0; i < n; i++)
    words[i % WORDS] += (unsigned)i;
  free((void *)words);
}

static const struct loop {
  const char *name;
  void (*run)(int self, long n);
  long operations;
} loops[] = {
    {"load", load, 400000},
    {"store-own", store_own, 400000},
    {"add", add, 400000},
    {"add-relaxed", add_relaxed, 400000},
    {"add-table", add_table, 400000},
    {"cas", cas, 200000},
    {"store-fence", store_fence, 400000},
    {"mutex", lock, 200000},
    {"plain", plain, 8000000},
};

static const struct loop *chosen;
static pthread_barrier_t start;

static void *thread(void *self) {
  pthread_barrier_wait(&start);
  chosen->run((int)(size_t)self, chosen->operations);
  return NULL;
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

int main(int argc, char **argv) {
  int threads = argc == 3 ? atoi(argv[2]) : 0;
  for (size_t i = 0; argc == 3 && i < sizeof loops / sizeof *loops; i++)
    if (strcmp(loops[i].name, argv[1]) == 0)
      chosen = &loops[i];
  if (!chosen || threads < 1 || threads > 64) {
    fprintf(stderr, "usage: micro NAME THREADS (1 to 64); names:");
    for (size_t i = 0; i < sizeof loops / sizeof *loops; i++)
      fprintf(stderr, " %s", loops[i].name);
    fprintf(stderr, "\n");
    return 2;
  }
  pthread_t handle[64];
  pthread_barrier_init(&start, NULL, (unsigned)threads + 1);
  for (int i = 0; i < threads; i++)
    pthread_create(&handle[i], NULL, thread, (void *)(size_t)i);
  double begin = now();
  pthread_barrier_wait(&start);
  for (int i = 0; i < threads; i++)
    pthread_join(handle[i], NULL);
  printf("%.2f\n", (now() - begin) / (double)chosen->operations);
  return 0;
}
