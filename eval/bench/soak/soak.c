// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `soak SEED [leak|weak] [OPERATIONS]`: random operations until SIGTERM, or so many. Threads come
// and go, make and free objects of random sizes, access them with all orders, hand them on, and
// wait. It is robust and free of data races whatever is drawn, for an object is one of these:
//   - its thread's alone, or in a slot that has a mutex;
//   - accessed with seq_cst alone;
//   - a counter that threads only add to, by acq_rel;
//   - a parcel, which the thread that it is for waits for, and frees.
// With `leak`, a part of the objects is kept that should have been freed; with `weak`, threads add
// to counters by relaxed, which orders nothing, so what others have done before may be missed.
// Prints how many operations it made. With OPERATIONS it ends after so many, each thread makes a
// fortieth of the operations that it makes otherwise, and ten lines come first: the mean resident
// memory in each tenth of the run, in MB.

#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { LIVE = 24, SLOTS = 256, SHARED = 1024, COUNTERS = 64, MOST_WORDS = 256, PARTS = 10 };

struct object {
  uint64_t *words;
  uint32_t count, size; // size: of most accesses, in bytes
};

struct slot {
  pthread_mutex_t lock;
  struct object object;
};

struct parcel {
  atomic_uint given;
  uint32_t content[8];
};

struct worker {
  uint64_t seed;
  uint32_t operations;
  struct parcel *parcel; // NULL: none
  bool detached;
};

static struct slot slots[SLOTS];
static _Atomic uint64_t shared[SHARED], counters[COUNTERS], operations;
static sem_t live;       // so many threads more may be started
static sigset_t the_end; // SIGTERM, which all threads block
static bool leaks, is_weak;
static uint64_t most_operations; // 0: until SIGTERM
static uint32_t longest = 20000; // operations of a thread, at most

struct part {
  double sum; // MB
  uint32_t samples;
};
static struct part parts[PARTS]; // of the run; with most_operations

static uint64_t draw(uint64_t *state) { // splitmix64
  uint64_t z = *state += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

static uint32_t below(uint64_t *state, uint32_t bound) {
  return (uint32_t)(draw(state) % bound);
}

static void object_make(struct object *object, uint64_t *random) {
  object->count = 1 + below(random, 1 + below(random, MOST_WORDS));
  object->size = 1u << below(random, 4);
  object->words = calloc(object->count, sizeof *object->words);
  if (!object->words)
    abort();
}

static void object_drop(struct object *object, uint64_t *random) {
  if (!leaks || below(random, 32))
    free(object->words);
  object->words = NULL;
}

// The orders have to be constants: any other value counts as seq_cst.
#define ACCESS(type, address, random)                                                              \
  do {                                                                                             \
    type *at = (type *)(address), expected = (type)draw(random);                                   \
    switch (below(random, 10)) {                                                                   \
    case 0:                                                                                        \
      (void)__atomic_load_n(at, __ATOMIC_RELAXED);                                                 \
      break;                                                                                       \
    case 1:                                                                                        \
      (void)__atomic_load_n(at, __ATOMIC_ACQUIRE);                                                 \
      break;                                                                                       \
    case 2:                                                                                        \
      (void)__atomic_load_n(at, __ATOMIC_SEQ_CST);                                                 \
      break;                                                                                       \
    case 3:                                                                                        \
      __atomic_store_n(at, expected, __ATOMIC_RELAXED);                                            \
      break;                                                                                       \
    case 4:                                                                                        \
      __atomic_store_n(at, expected, __ATOMIC_RELEASE);                                            \
      break;                                                                                       \
    case 5:                                                                                        \
      __atomic_store_n(at, expected, __ATOMIC_SEQ_CST);                                            \
      break;                                                                                       \
    case 6:                                                                                        \
      __atomic_fetch_add(at, 1, __ATOMIC_RELAXED);                                                 \
      break;                                                                                       \
    case 7:                                                                                        \
      __atomic_fetch_add(at, 1, __ATOMIC_ACQ_REL);                                                 \
      break;                                                                                       \
    case 8:                                                                                        \
      __atomic_exchange_n(at, expected, __ATOMIC_ACQ_REL);                                         \
      break;                                                                                       \
    case 9:                                                                                        \
      __atomic_compare_exchange_n(at, &expected, 1, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);    \
      break;                                                                                       \
    }                                                                                              \
  } while (0)

static void object_access(const struct object *object, uint64_t *random) {
  uint32_t size = below(random, 100) ? object->size : 1u << below(random, 4);
  uint32_t at = below(random, object->count * 8 / size) * size;
  char *address = (char *)object->words + at;
  switch (size) {
  case 1:
    ACCESS(uint8_t, address, random);
    break;
  case 2:
    ACCESS(uint16_t, address, random);
    break;
  case 4:
    ACCESS(uint32_t, address, random);
    break;
  default:
    ACCESS(uint64_t, address, random);
    break;
  }
}

static void use_own(uint64_t *random) {
  struct object own;
  object_make(&own, random);
  for (uint32_t i = below(random, 16); i > 0; i--)
    object_access(&own, random);
  object_drop(&own, random);
}

static void use_slot(uint64_t *random) {
  struct slot *slot = &slots[below(random, SLOTS)];
  pthread_mutex_lock(&slot->lock);
  if (slot->object.words && below(random, 8) == 0)
    object_drop(&slot->object, random);
  if (!slot->object.words)
    object_make(&slot->object, random);
  for (uint32_t i = below(random, 8); i > 0; i--)
    object_access(&slot->object, random);
  pthread_mutex_unlock(&slot->lock);
}

static void use_shared(uint64_t *random) {
  _Atomic uint64_t *at = &shared[below(random, SHARED)];
  uint64_t expected = 0;
  switch (below(random, 4)) {
  case 0:
    (void)atomic_load(at);
    break;
  case 1:
    atomic_store(at, draw(random) % 4);
    break;
  case 2:
    atomic_fetch_add(at, 1);
    break;
  case 3:
    atomic_compare_exchange_strong(at, &expected, 1);
    break;
  }
}

static void count(uint64_t *random) {
  _Atomic uint64_t *counter = &counters[below(random, COUNTERS)];
  if (is_weak)
    atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
  else
    atomic_fetch_add_explicit(counter, 1, memory_order_acq_rel);
}

static void pause_for(uint32_t microseconds) {
  nanosleep(&(struct timespec){.tv_nsec = 1000 * (long)microseconds}, NULL);
}

static void operate(uint64_t *random) {
  uint32_t kind = below(random, 1000);
  if (kind < 200)
    use_own(random);
  else if (kind < 600)
    use_slot(random);
  else if (kind < 900)
    use_shared(random);
  else if (kind < 998)
    count(random);
  else
    pause_for(below(random, 200));
}

static void take(struct parcel *parcel) {
  while (!atomic_load_explicit(&parcel->given, memory_order_acquire)) {
  }
  for (uint32_t i = 1; i < 8; i++)
    if (parcel->content[i] != parcel->content[0])
      abort();
  free(parcel);
}

static void give(struct parcel *parcel, uint32_t content) {
  for (uint32_t i = 0; i < 8; i++)
    parcel->content[i] = content;
  atomic_store_explicit(&parcel->given, 1, memory_order_release);
}

static void *work(void *argument) {
  struct worker *worker = argument;
  uint64_t random = worker->seed;
  if (worker->parcel)
    take(worker->parcel);
  for (uint32_t i = 0; i < worker->operations; i++)
    operate(&random);
  atomic_fetch_add(&operations, worker->operations);
  bool detached = worker->detached;
  free(worker);
  if (detached)
    sem_post(&live);
  return NULL;
}

static pthread_t start(uint64_t *random, bool detached) {
  struct worker *worker = malloc(sizeof *worker);
  struct parcel *parcel = below(random, 2) ? calloc(1, sizeof *parcel) : NULL;
  pthread_t thread;
  if (!worker)
    abort();
  *worker = (struct worker){draw(random), 1 + below(random, longest), parcel, detached};
  if (pthread_create(&thread, NULL, work, worker) != 0)
    abort();
  if (parcel)
    give(parcel, below(random, 100));
  return thread;
}

static double resident(void) {
  long size, pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (!file || fscanf(file, "%ld %ld", &size, &pages) != 2)
    abort();
  fclose(file);
  return (double)(pages * sysconf(_SC_PAGESIZE)) / 1e6;
}

static bool is_over(void) {
  const struct timespec now = {0};
  if (!most_operations)
    return sigtimedwait(&the_end, NULL, &now) == SIGTERM;
  uint64_t made = atomic_load(&operations);
  if (made >= most_operations)
    return true;
  struct part *part = &parts[made * PARTS / most_operations];
  part->sum += resident();
  part->samples++;
  return false;
}

static void print_parts(void) {
  for (uint32_t i = 0; i < PARTS && most_operations; i++)
    printf("%.1f\n", parts[i].samples ? parts[i].sum / parts[i].samples : 0);
}

// Fewer threads at a time for a while, then more.
static void run(uint64_t *random) {
  pthread_t joined[LIVE];
  while (!is_over()) {
    uint32_t count = 1 + below(random, LIVE);
    for (uint32_t i = 0; i < count; i++) {
      bool detached = below(random, 4) == 0;
      if (detached) {
        sem_wait(&live);
        pthread_detach(start(random, true));
        count--;
      }
      if (i < count)
        joined[i] = start(random, false);
    }
    for (uint32_t i = 0; i < count; i++)
      pthread_join(joined[i], NULL);
  }
  for (uint32_t i = 0; i < LIVE; i++)
    sem_wait(&live);
}

static bool parse(int argc, char **argv) {
  int next = 2;
  leaks = argc > next && strcmp(argv[next], "leak") == 0;
  is_weak = argc > next && strcmp(argv[next], "weak") == 0;
  next += leaks || is_weak;
  if (argc > next) {
    most_operations = strtoull(argv[next++], NULL, 10);
    longest /= 40;
    if (!most_operations)
      return false;
  }
  return argc >= 2 && next >= argc;
}

int main(int argc, char **argv) {
  if (!parse(argc, argv)) {
    fprintf(stderr, "usage: soak SEED [leak|weak] [OPERATIONS]\n");
    return 2;
  }
  uint64_t random = strtoull(argv[1], NULL, 10);
  sigemptyset(&the_end);
  sigaddset(&the_end, SIGTERM);
  if (!most_operations)
    pthread_sigmask(SIG_BLOCK, &the_end, NULL);
  sem_init(&live, 0, LIVE);
  for (uint32_t i = 0; i < SLOTS; i++)
    pthread_mutex_init(&slots[i].lock, NULL);
  run(&random);
  print_parts();
  printf("%llu\n", (unsigned long long)atomic_load(&operations));
  return 0;
}
