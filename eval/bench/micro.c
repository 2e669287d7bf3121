// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures what one operation costs: `micro NAME THREADS OPERATIONS LOCATIONS [DEPTH]`. THREADS
// threads together execute OPERATIONS operations, below DEPTH (0) calls of a function. Prints three
// numbers: the CPU time of the process in nanoseconds, the wall time in nanoseconds, and how many
// operations were executed. If LOCATIONS is 0, each thread has a location of its own; if it is 1,
// all threads share one; otherwise each access is to one of that many shared locations, chosen at
// random.
//
// A thread takes one part of the operations after another until no part is left, so that all
// threads work to the end. If each had a fixed share, a thread that ends early would leave the
// others with less contention, and the CPU time would depend on how evenly they take turns.
//
// All of them are robust and free of data races, so that no tool stops to report: several locations
// at random are for read-modify-writes only, which read the newest value whatever their order.

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LINE = 64, MAX_THREADS = 256, WORDS = 1 << 16, WRITE_EVERY = 8 };
enum { PARTS = 16, PART = 1000 }; // of a thread, at least; operations of a part, at most

#define INLINE static inline __attribute__((always_inline))

// volatile: the compiler would join what the loops repeat.
typedef volatile _Atomic(unsigned long) cell;

struct padded {
  _Alignas(LINE) cell value;
};

struct lock {
  _Alignas(LINE) pthread_mutex_t mutex;
  pthread_rwlock_t rwlock;
  unsigned long guarded;
};

// What one thread works on.
struct place {
  cell *cells;
  unsigned long count;
  unsigned long random;
  struct lock *lock;
  volatile unsigned *words; // of its own
  unsigned long state;      // what an operation leaves for the next one
};

INLINE cell *next(struct place *where) {
  if (where->count == 1)
    return where->cells;
  where->random = where->random * 6364136223846793005UL + 1442695040888963407UL;
  return &where->cells[(where->random >> 32) * where->count >> 32];
}

// *state is what the thread keeps from one operation to the next.
INLINE void load(cell *at, unsigned long *state, memory_order order) {
  (void)state;
  atomic_load_explicit(at, order);
}

INLINE void store(cell *at, unsigned long *state, memory_order order) {
  atomic_store_explicit(at, ++*state, order);
}

INLINE void add(cell *at, unsigned long *state, memory_order order) {
  (void)state;
  atomic_fetch_add_explicit(at, 1, order);
}

INLINE void exchange(cell *at, unsigned long *state, memory_order order) {
  atomic_exchange_explicit(at, ++*state, order);
}

// A failed one leaves in *state what the next one expects.
INLINE void cas(cell *at, unsigned long *state, memory_order order) {
  memory_order failed = order == memory_order_seq_cst ? order : memory_order_relaxed;
  if (atomic_compare_exchange_strong_explicit(at, state, *state + 1, order, failed))
    ++*state;
}

#define LOAD_ORDERS(X, operation)                                                                  \
  X(operation, relaxed)                                                                            \
  X(operation, acquire)                                                                            \
  X(operation, seq_cst)

#define STORE_ORDERS(X, operation)                                                                 \
  X(operation, relaxed)                                                                            \
  X(operation, release)                                                                            \
  X(operation, seq_cst)

#define UPDATE_ORDERS(X, operation)                                                                \
  X(operation, relaxed)                                                                            \
  X(operation, acquire)                                                                            \
  X(operation, release)                                                                            \
  X(operation, acq_rel)                                                                            \
  X(operation, seq_cst)

#define ACCESSES(X)                                                                                \
  LOAD_ORDERS(X, load)                                                                             \
  STORE_ORDERS(X, store)                                                                           \
  UPDATE_ORDERS(X, add)                                                                            \
  UPDATE_ORDERS(X, exchange)                                                                       \
  UPDATE_ORDERS(X, cas)

#define LOOP(operation, order)                                                                     \
  static void operation##_##order(struct place *where, long n) {                                   \
    struct place here = *where; /* which no tool looks at */                                       \
    for (long i = 0; i < n; i++)                                                                   \
      operation(next(&here), &here.state, memory_order_##order);                                   \
    *where = here;                                                                                 \
  }
ACCESSES(LOOP)
#undef LOOP

// The empty assembly keeps the compiler from joining fences with nothing between them.
static void fence(struct place *where, long n) {
  (void)where;
  for (long i = 0; i < n; i++) {
    atomic_thread_fence(memory_order_seq_cst);
    __asm__ volatile("" ::: "memory");
  }
}

static void store_fence(struct place *where, long n) {
  cell *at = where->cells;
  for (long i = 0; i < n; i++) {
    atomic_store_explicit(at, (unsigned long)i, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst);
  }
}

static void mutex(struct place *where, long n) {
  struct lock *lock = where->lock;
  for (long i = 0; i < n; i++) {
    pthread_mutex_lock(&lock->mutex);
    lock->guarded++;
    pthread_mutex_unlock(&lock->mutex);
  }
}

static void rwlock(struct place *where, long n) {
  struct lock *lock = where->lock;
  volatile unsigned long seen;
  for (long i = 0; i < n; i++) {
    if (i % WRITE_EVERY == 0) {
      pthread_rwlock_wrlock(&lock->rwlock);
      lock->guarded++;
    } else {
      pthread_rwlock_rdlock(&lock->rwlock);
      seen = lock->guarded;
    }
    pthread_rwlock_unlock(&lock->rwlock);
  }
  (void)seen;
}

static void plain(struct place *where, long n) {
  volatile unsigned *words = where->words;
  unsigned long first = where->state, end = first + (unsigned long)n;
  for (unsigned long i = first; i < end; i++)
    words[i % WORDS] += (unsigned)i;
  where->state = end;
}

static const struct loop {
  const char *name;
  void (*run)(struct place *where, long n);
} loops[] = {
#define ROW(operation, order) {#operation "." #order, operation##_##order},
    ACCESSES(ROW)
#undef ROW
        {"fence", fence},
    {"store-fence", store_fence},
    {"mutex", mutex},
    {"rwlock", rwlock},
    {"plain", plain},
};

static struct padded own[MAX_THREADS];
static struct lock locks[MAX_THREADS];
static volatile unsigned words[MAX_THREADS][WORDS];
static const struct loop *chosen;
static long operations, locations, part;
static int depth;
static _Alignas(LINE) atomic_long left; // parts that no thread has taken
static int threads;
static cell *table;
static pthread_barrier_t start;

static struct place place_of(int self) {
  if (locations == 0)
    return (struct place){&own[self].value, 1, 0, &locks[self], words[self], 0};
  unsigned long count = (unsigned long)locations;
  return (struct place){table, count, (unsigned long)self, &locks[0], words[self], 0};
}

// Not instrumented: the order of accesses to a second object would make the loops' relaxed accesses
// violations.
__attribute__((noinline, disable_sanitizer_instrumentation)) static int take_part(void) {
  return atomic_fetch_sub_explicit(&left, 1, memory_order_relaxed) > 0;
}

static void take_parts(struct place *where) {
  while (take_part())
    chosen->run(where, part);
}

// The empty assembly keeps the calls from becoming a loop.
__attribute__((noinline)) static void descend(struct place *where, int levels) {
  if (levels > 0)
    descend(where, levels - 1);
  else
    take_parts(where);
  __asm__ volatile("" ::: "memory");
}

static void *thread(void *self) {
  struct place where = place_of((int)(size_t)self);
  pthread_barrier_wait(&start);
  descend(&where, depth);
  return NULL;
}

static double nanoseconds(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static void run(void) {
  pthread_t handle[MAX_THREADS];
  pthread_barrier_init(&start, NULL, (unsigned)threads + 1);
  long parts = operations / part;
  atomic_init(&left, parts);
  for (int i = 0; i < threads; i++)
    pthread_create(&handle[i], NULL, thread, (void *)(size_t)i);
  double cpu = nanoseconds(CLOCK_PROCESS_CPUTIME_ID), wall = nanoseconds(CLOCK_MONOTONIC);
  pthread_barrier_wait(&start);
  for (int i = 0; i < threads; i++)
    pthread_join(handle[i], NULL);
  cpu = nanoseconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
  wall = nanoseconds(CLOCK_MONOTONIC) - wall;
  printf("%.0f %.0f %ld\n", cpu, wall, parts * part);
}

int main(int argc, char **argv) {
  for (size_t i = 0; (argc == 5 || argc == 6) && i < sizeof loops / sizeof *loops; i++)
    if (strcmp(loops[i].name, argv[1]) == 0)
      chosen = &loops[i];
  threads = chosen ? atoi(argv[2]) : 0;
  operations = chosen ? atol(argv[3]) : 0;
  locations = chosen ? atol(argv[4]) : -1;
  depth = argc == 6 ? atoi(argv[5]) : 0;
  if (threads < 1 || threads > MAX_THREADS || operations < threads || locations < 0) {
    fprintf(stderr, "usage: micro NAME THREADS OPERATIONS LOCATIONS [DEPTH]; names:");
    for (size_t i = 0; i < sizeof loops / sizeof *loops; i++)
      fprintf(stderr, " %s", loops[i].name);
    fprintf(stderr, "\n");
    return 2;
  }
  for (int i = 0; i < MAX_THREADS; i++) {
    pthread_mutex_init(&locks[i].mutex, NULL);
    pthread_rwlock_init(&locks[i].rwlock, NULL);
  }
  part = operations / threads / PARTS;
  part = part < 1 ? 1 : part > PART ? PART : part;
  table = calloc((size_t)locations + 1, sizeof *table);
  run();
  free((void *)table);
  return 0;
}
