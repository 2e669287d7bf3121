// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Does the runtime's memory stay flat (G4)? Each mode does `count` of one thing, all of it robust,
// in ten parts and prints the resident memory after each. The first four parts are warm-up. Exit
// status 1 if the memory after the last part exceeds the most that there was after one of those by
// more than a tenth plus 4 MiB.
//
//   memory writes COUNT LOCATIONS   read-modify-writes by 8 threads at a time
//   memory joined COUNT             threads that come and go, each with atomics on its stack
//   memory detached COUNT           the same, and nobody joins them
//   memory heap COUNT               blocks of memory that hold an atomic object
//   memory kept COUNT               the twin: the blocks are kept, so memory must grow
//   memory together COUNT           ten times a tenth of so many threads that live at the same time

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PARTS = 10, WARM = 4, THREADS = 8, SHARED = 100 };

static _Atomic long *locations, shared[SHARED], alive;
static long location_count;
static _Thread_local _Atomic long *volatile kept; // the compiler must not drop the blocks

static long resident_mib(void) {
  long size, resident = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (!file || fscanf(file, "%ld %ld", &size, &resident) != 2)
    abort();
  fclose(file);
  return resident * sysconf(_SC_PAGESIZE) >> 20;
}

struct share {
  long operations;
  unsigned long seed;
};

static void *write_all(void *arg) {
  const struct share *share = arg;
  unsigned long at = share->seed;
  for (long i = 0; i < share->operations; i++) {
    at = at * 6364136223846793005UL + 1442695040888963407UL;
    _Atomic long *location = &locations[(at >> 33) % (unsigned long)location_count];
    if (at >> 63)
      atomic_fetch_add_explicit(location, 1, memory_order_acq_rel);
    else
      atomic_fetch_add_explicit(location, 1, memory_order_relaxed);
  }
  return NULL;
}

static void *use_heap(void *arg) {
  const struct share *share = arg;
  for (long i = 0; i < share->operations; i++) {
    _Atomic long *object = malloc(8 + (size_t)(i % 64) * 8);
    atomic_init(object, 1);
    atomic_fetch_add_explicit(object, 1, memory_order_relaxed);
    atomic_store_explicit(object, 3, memory_order_release);
    free((void *)object);
  }
  return NULL;
}

static void *keep_heap(void *arg) {
  const struct share *share = arg;
  for (long i = 0; i < share->operations; i++) {
    _Atomic long *object = malloc(64);
    atomic_init(object, 1);
    atomic_store_explicit(object, 3, memory_order_release);
    kept = object;
  }
  return NULL;
}

static void in_threads(void *(*run)(void *), long part, int number) {
  pthread_t threads[THREADS];
  struct share shares[THREADS];
  for (int i = 0; i < THREADS; i++) {
    shares[i] = (struct share){part / THREADS, (unsigned long)(number * THREADS + i) + 1};
    if (pthread_create(&threads[i], NULL, run, &shares[i]) != 0)
      abort();
  }
  for (int i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
}

static void *short_thread(void *arg) {
  _Atomic int local = 0;
  atomic_fetch_add_explicit(&local, 1, memory_order_relaxed);
  for (int i = 0; i < 20; i++)
    atomic_fetch_add_explicit(&shared[((size_t)arg + (size_t)i) % SHARED], 1, memory_order_acq_rel);
  atomic_fetch_sub_explicit(&alive, 1, memory_order_acq_rel);
  return NULL;
}

static void come_and_go(long count, int detached) {
  for (long i = 0; i < count; i++) {
    while (atomic_load_explicit(&alive, memory_order_acquire) >= THREADS)
      usleep(10);
    atomic_fetch_add_explicit(&alive, 1, memory_order_acq_rel);
    pthread_t thread;
    if (pthread_create(&thread, NULL, short_thread, (void *)(size_t)i) != 0)
      abort();
    if (detached)
      pthread_detach(thread);
    else
      pthread_join(thread, NULL);
  }
}

static pthread_barrier_t all_live;

static void *live(void *arg) {
  atomic_fetch_add_explicit(&shared[(size_t)arg % SHARED], 1, memory_order_acq_rel);
  pthread_barrier_wait(&all_live);
  return NULL;
}

static void live_together(long count) {
  pthread_t *threads = calloc((size_t)count, sizeof *threads);
  pthread_barrier_init(&all_live, NULL, (unsigned)count);
  for (long i = 0; i < count; i++)
    if (pthread_create(&threads[i], NULL, live, (void *)(size_t)i) != 0)
      abort();
  for (long i = 0; i < count; i++)
    pthread_join(threads[i], NULL);
  pthread_barrier_destroy(&all_live);
  free(threads);
}

static int usage(void) {
  fprintf(stderr,
          "usage: memory writes COUNT LOCATIONS | (joined|detached|heap|kept|together) COUNT\n");
  return 2;
}

int main(int argc, char **argv) {
  if (argc < 3)
    return usage();
  const char *mode = argv[1];
  const long part = atol(argv[2]) / PARTS;
  const int writes = strcmp(mode, "writes") == 0, detached = strcmp(mode, "detached") == 0;
  if (part <= 0 || writes != (argc == 4))
    return usage();
  if (writes) {
    location_count = atol(argv[3]);
    locations = calloc((size_t)location_count, sizeof *locations);
  }
  long warm = 0, last = 0;
  for (int i = 0; i < PARTS; i++) {
    if (strcmp(mode, "together") == 0)
      live_together(part);
    else if (writes)
      in_threads(write_all, part, i);
    else if (strcmp(mode, "heap") == 0)
      in_threads(use_heap, part, i);
    else if (strcmp(mode, "kept") == 0)
      in_threads(keep_heap, part, i);
    else
      come_and_go(part, detached);
    last = resident_mib();
    if (i < WARM && last > warm)
      warm = last;
    printf("%3d %% %6ld MiB\n", (i + 1) * 100 / PARTS, last);
    fflush(stdout);
  }
  while (atomic_load_explicit(&alive, memory_order_acquire) > 0)
    usleep(10);
  return last > warm + warm / 10 + 4;
}
