// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes down what a program does, in the order in which it does it: one line an event at exit, to
// the file that RECORD names. It stands in for the runtime of -fsanitize=thread and shares nothing
// with any: linked with --wrap for the calls of pthreads. For litmus programs, whose scheduler runs
// one step at a time.
//
//   THREAD KIND OBJECT PC      threads are numbered as they are created, 0 is main

#define _GNU_SOURCE

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_EVENTS = 4096, MAX_THREADS = 256 };

struct event {
  int thread;
  const char *kind;
  uintptr_t object, pc;
};

static struct event events[MAX_EVENTS];
static int event_count, thread_count;
static pthread_t threads[MAX_THREADS];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local int self;

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *argument);
int __real_pthread_join(pthread_t thread, void **result);
int __real_pthread_mutex_lock(pthread_mutex_t *which);
int __real_pthread_mutex_unlock(pthread_mutex_t *which);

static void begin(void) {
  __real_pthread_mutex_lock(&mutex);
}

static void end(int thread, const char *kind, uintptr_t object, void *pc) {
  if (event_count == MAX_EVENTS)
    abort();
  events[event_count++] = (struct event){thread, kind, object, (uintptr_t)pc};
  __real_pthread_mutex_unlock(&mutex);
}

#define HERE __builtin_return_address(0)

#define ACCESS(kind, address, operation)                                                           \
  begin();                                                                                         \
  operation;                                                                                       \
  end(self, kind, (uintptr_t)(address), HERE)

#define RMW(bits, name, operation)                                                                 \
  uint##bits##_t __tsan_atomic##bits##_##name(volatile uint##bits##_t *a, uint##bits##_t v,        \
                                              int order);                                          \
  uint##bits##_t __tsan_atomic##bits##_##name(volatile uint##bits##_t *a, uint##bits##_t v,        \
                                              int order) {                                         \
    (void)order;                                                                                   \
    ACCESS("rmw", a, uint##bits##_t old = *a; *a = (uint##bits##_t)(operation));                   \
    return old;                                                                                    \
  }

#define CAS(bits, name)                                                                            \
  int __tsan_atomic##bits##_compare_exchange_##name(volatile uint##bits##_t *a, uint##bits##_t *c, \
                                                    uint##bits##_t v, int order, int failure);     \
  int __tsan_atomic##bits##_compare_exchange_##name(volatile uint##bits##_t *a, uint##bits##_t *c, \
                                                    uint##bits##_t v, int order, int failure) {    \
    (void)order, (void)failure;                                                                    \
    begin();                                                                                       \
    uint##bits##_t old = *a, expected = *c;                                                        \
    if (old == expected)                                                                           \
      *a = v;                                                                                      \
    *c = old;                                                                                      \
    end(self, old == expected ? "rmw" : "read", (uintptr_t)a, HERE);                               \
    return old == expected;                                                                        \
  }

#define ATOMICS(bits)                                                                              \
  uint##bits##_t __tsan_atomic##bits##_load(const volatile uint##bits##_t *a, int order);          \
  uint##bits##_t __tsan_atomic##bits##_load(const volatile uint##bits##_t *a, int order) {         \
    (void)order;                                                                                   \
    ACCESS("read", a, uint##bits##_t v = *a);                                                      \
    return v;                                                                                      \
  }                                                                                                \
  void __tsan_atomic##bits##_store(volatile uint##bits##_t *a, uint##bits##_t v, int order);       \
  void __tsan_atomic##bits##_store(volatile uint##bits##_t *a, uint##bits##_t v, int order) {      \
    (void)order;                                                                                   \
    ACCESS("write", a, *a = v);                                                                    \
  }                                                                                                \
  RMW(bits, exchange, v)                                                                           \
  RMW(bits, fetch_add, old + v)                                                                    \
  RMW(bits, fetch_sub, old - v)                                                                    \
  RMW(bits, fetch_or, old | v)                                                                     \
  RMW(bits, fetch_and, old &v)                                                                     \
  RMW(bits, fetch_xor, old ^ v)                                                                    \
  CAS(bits, strong)                                                                                \
  CAS(bits, weak)                                                                                  \
  uint##bits##_t __tsan_atomic##bits##_compare_exchange_val(                                       \
      volatile uint##bits##_t *a, uint##bits##_t c, uint##bits##_t v, int order, int failure);     \
  uint##bits##_t __tsan_atomic##bits##_compare_exchange_val(                                       \
      volatile uint##bits##_t *a, uint##bits##_t c, uint##bits##_t v, int order, int failure) {    \
    (void)order, (void)failure;                                                                    \
    begin();                                                                                       \
    uint##bits##_t old = *a;                                                                       \
    if (old == c)                                                                                  \
      *a = v;                                                                                      \
    end(self, old == c ? "rmw" : "read", (uintptr_t)a, HERE);                                      \
    return old;                                                                                    \
  }

ATOMICS(8)
ATOMICS(16)
ATOMICS(32)
ATOMICS(64)

// What else the compiler calls.
#define NOTHING(name, ...)                                                                         \
  void __tsan_##name(__VA_ARGS__);                                                                 \
  void __tsan_##name(__VA_ARGS__) {}
NOTHING(init, void)
NOTHING(func_entry, void *pc __attribute__((unused)))
NOTHING(func_exit, void)
NOTHING(atomic_thread_fence, int order __attribute__((unused)))
NOTHING(atomic_signal_fence, int order __attribute__((unused)))
NOTHING(read1, void *a __attribute__((unused)))
NOTHING(read2, void *a __attribute__((unused)))
NOTHING(read4, void *a __attribute__((unused)))
NOTHING(read8, void *a __attribute__((unused)))
NOTHING(read16, void *a __attribute__((unused)))
NOTHING(write1, void *a __attribute__((unused)))
NOTHING(write2, void *a __attribute__((unused)))
NOTHING(write4, void *a __attribute__((unused)))
NOTHING(write8, void *a __attribute__((unused)))
NOTHING(write16, void *a __attribute__((unused)))
NOTHING(read_write4, void *a __attribute__((unused)))
NOTHING(read_write8, void *a __attribute__((unused)))

void *__tsan_memset(void *to, int byte, size_t size);
void *__tsan_memset(void *to, int byte, size_t size) {
  return memset(to, byte, size);
}

struct start {
  int thread;
  void *(*run)(void *);
  void *argument;
};

static void *run_thread(void *argument) {
  struct start start = *(struct start *)argument;
  free(argument);
  self = start.thread;
  begin();
  end(self, "start", (uintptr_t)self, NULL);
  void *result = start.run(start.argument);
  begin();
  end(self, "finish", (uintptr_t)self, NULL);
  return result;
}

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *argument);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *argument) {
  struct start *start = malloc(sizeof *start);
  begin();
  int number = ++thread_count;
  *start = (struct start){number, run, argument};
  end(self, "create", (uintptr_t)number, HERE);
  int failed = __real_pthread_create(thread, attributes, run_thread, start);
  threads[number] = *thread;
  return failed;
}

int __wrap_pthread_join(pthread_t thread, void **result);
int __wrap_pthread_join(pthread_t thread, void **result) {
  int failed = __real_pthread_join(thread, result);
  int number = thread_count;
  while (number && !pthread_equal(threads[number], thread))
    number--;
  begin();
  end(self, "join", (uintptr_t)number, HERE);
  return failed;
}

int __wrap_pthread_mutex_lock(pthread_mutex_t *which);
int __wrap_pthread_mutex_lock(pthread_mutex_t *which) {
  int failed = __real_pthread_mutex_lock(which);
  begin();
  end(self, "lock", (uintptr_t)which, HERE);
  return failed;
}

int __wrap_pthread_mutex_unlock(pthread_mutex_t *which);
int __wrap_pthread_mutex_unlock(pthread_mutex_t *which) {
  begin();
  end(self, "unlock", (uintptr_t)which, HERE);
  return __real_pthread_mutex_unlock(which);
}

__attribute__((destructor)) static void write_record(void) {
  const char *name = getenv("RECORD");
  FILE *file = name ? fopen(name, "w") : NULL;
  for (int i = 0; file && i < event_count; i++)
    fprintf(file, "%d %s %#jx %#jx\n", events[i].thread, events[i].kind,
            (uintmax_t)events[i].object, (uintmax_t)events[i].pc);
  if (!file || fclose(file) != 0)
    perror(name ? name : "RECORD is not set");
}
