// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The other half of recorded.h: compiled without instrumentation and linked to the program. At exit
// the file that RECORD names gets one line an event, in the order of the run:
//
//   THREAD KIND OBJECT SIZE ORDER READ WRITTEN PC
//
// Threads are numbered as they are created, 0 is main. KIND is as in records of reports, or
// "report": one is being written, about the access that follows. OBJECT is an address, of creation,
// start, end and join the other thread's number.

#define RECORDER
#include "recorded.h"

#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_EVENTS = 1 << 20, MAX_THREADS = 64 };

struct event {
  int thread;
  const char *kind;
  uintptr_t object;
  unsigned size;
  int order;
  uint64_t read, written;
  uintptr_t pc;
};

static struct event events[MAX_EVENTS];
static int event_count, thread_count;
static pthread_t threads[MAX_THREADS];
static unsigned next_ticket, served; // a fair lock: who waits for a value does not keep others out
static _Thread_local int self;

#define HERE ((uintptr_t)__builtin_return_address(0))

void record_begin(void) {
  unsigned ticket = __atomic_fetch_add(&next_ticket, 1, __ATOMIC_RELAXED);
  while (__atomic_load_n(&served, __ATOMIC_ACQUIRE) != ticket)
    sched_yield();
}

static void unlock_record(void) {
  __atomic_store_n(&served, served + 1, __ATOMIC_RELEASE);
}

static void add(struct event event) {
  if (event_count == MAX_EVENTS)
    abort();
  event.thread = self;
  events[event_count++] = event;
}

void record_end(const char *kind, const volatile void *object, unsigned size, int order,
                uint64_t read, uint64_t written) {
  add((struct event){.kind = kind,
                     .object = (uintptr_t)object,
                     .size = size,
                     .order = order,
                     .read = read,
                     .written = written,
                     .pc = HERE});
  unlock_record();
}

static void record(const char *kind, uintptr_t object) {
  record_begin();
  add((struct event){.kind = kind, .object = object});
  unlock_record();
}

// Called by RSan while it reports, that is within the access, so that the lock is taken.
void __tsan_on_report(void *report);
void __tsan_on_report(void *report __attribute__((unused))) {
  add((struct event){.kind = "report"});
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
  record("start", (uintptr_t)self);
  void *result = start.run(start.argument);
  record("finish", (uintptr_t)self);
  return result;
}

int record_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                  void *argument) {
  struct start *start = malloc(sizeof *start);
  int number = ++thread_count;
  if (!start || number == MAX_THREADS)
    abort();
  *start = (struct start){number, run, argument};
  record("create", (uintptr_t)number);
  int failed = pthread_create(thread, attributes, run_thread, start);
  threads[number] = *thread;
  return failed;
}

int record_join(pthread_t thread, void **result) {
  int failed = pthread_join(thread, result);
  int number = thread_count;
  while (number && !pthread_equal(threads[number], thread))
    number--;
  record("join", (uintptr_t)number);
  return failed;
}

// A mutex's events are written down while it is held.
int record_lock(pthread_mutex_t *mutex) {
  int failed = pthread_mutex_lock(mutex);
  record("lock", (uintptr_t)mutex);
  return failed;
}

int record_unlock(pthread_mutex_t *mutex) {
  record("unlock", (uintptr_t)mutex);
  return pthread_mutex_unlock(mutex);
}

int record_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex,
                     const struct timespec *end) {
  record("unlock", (uintptr_t)mutex);
  int failed = pthread_cond_timedwait(condition, mutex, end);
  record("lock", (uintptr_t)mutex);
  return failed;
}

static const char *order_name(int order) {
  static const char *const names[] = {"relaxed", "consume", "acquire",
                                      "release", "acq_rel", "seq_cst"};
  return names[order];
}

__attribute__((destructor)) static void write_record(void) {
  const char *name = getenv("RECORD");
  FILE *file = name ? fopen(name, "w") : NULL;
  for (int i = 0; file && i < event_count; i++) {
    const struct event *e = &events[i];
    const char *kind = e->kind;
    fprintf(file, "%d|%s|%#" PRIxPTR "|%u|%s|%" PRIu64 "|%" PRIu64 "|%#" PRIxPTR "\n", e->thread,
            kind, e->object, e->size, order_name(e->order), e->read, e->written, e->pc);
  }
  if (!file || fclose(file) != 0)
    perror(name ? name : "RECORD is not set");
}
