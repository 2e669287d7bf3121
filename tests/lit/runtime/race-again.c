// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread publishes in one place again and again: at a flag, by a fence before it, by a seq_cst
// fence, by a mutex, by a read lock. Before the last time it learns of another thread's write, in
// each of the ways that there are. The thread that acquires knows of it, too. Twin: it learns
// nothing, and the write races.
//
// RUN: %build %s -o %t
// RUN: %t each each 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: %t readers all 2>&1 | FileCheck %s --check-prefix=NONE
// NONE-NOT: WARNING
// NONE: {{^}}end{{$}}
// NONE-NOT: WARNING
// RUN: env RSAN_OPTIONS=robustness=0 %exits 66 %t flag nothing 2>&1 | FileCheck %s
// RUN: env RSAN_OPTIONS=robustness=0 %exits 66 %t fence nothing 2>&1 | FileCheck %s
// RUN: env RSAN_OPTIONS=robustness=0 %exits 66 %t update-fence nothing 2>&1 | FileCheck %s
// RUN: env RSAN_OPTIONS=robustness=0 %exits 66 %t sc-fence nothing 2>&1 | FileCheck %s
// RUN: env RSAN_OPTIONS=robustness=0 %exits 66 %t mutex nothing 2>&1 | FileCheck %s
// RUN: env RSAN_OPTIONS=robustness=0 %exits 66 %t read-lock nothing 2>&1 | FileCheck %s
// RUN: env RSAN_OPTIONS=robustness=0 %exits 66 %t readers one 2>&1 | FileCheck %s
// CHECK: WARNING: ThreadSanitizer: data race
// CHECK-NEXT: Write of size 4
// CHECK-NEXT: #0 consume
// CHECK: Previous write of size 4
// CHECK-NEXT: #0 teach{{.*}}
// CHECK: {{^}}end{{$}}
#include "turns.h"

#include <stdio.h>
#include <string.h>

void AnnotateHappensBefore(const char *, int, const volatile void *);
void AnnotateHappensAfter(const char *, int, const volatile void *);

static const char *by, *way;
static int flag, other, annotated;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, place = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_rwlock_t read_place = PTHREAD_RWLOCK_INITIALIZER;
int data; // not static: the compiler would drop what nobody reads

static int is(const char *name) {
  return strcmp(way, name) == 0;
}

static void teach(void) {
  data = 1;
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  pthread_rwlock_wrlock(&rwlock);
  pthread_rwlock_unlock(&rwlock);
  AnnotateHappensBefore(__FILE__, __LINE__, &annotated);
  if (is("sc-fence"))
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
  __atomic_store_n(&other, 1, __ATOMIC_RELEASE);
}

static void *write_data(void *unused) {
  data = 1;
  return unused;
}

static void learn(void) {
  if (is("other-mutex")) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
  } else if (is("other-read-lock")) {
    pthread_rwlock_rdlock(&rwlock);
    pthread_rwlock_unlock(&rwlock);
  } else if (is("load")) {
    __atomic_load_n(&other, __ATOMIC_ACQUIRE);
  } else if (is("update")) {
    __atomic_fetch_add(&other, 1, __ATOMIC_ACQUIRE);
  } else if (is("acquire-fence")) {
    __atomic_load_n(&other, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
  } else if (is("sc-fence")) {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
  } else if (is("join")) {
    pthread_join(start(write_data, NULL), NULL);
  } else if (is("annotation")) {
    AnnotateHappensAfter(__FILE__, __LINE__, &annotated);
  }
}

static void publish(void) {
  if (strcmp(by, "flag") == 0) {
    __atomic_fetch_add(&flag, 1, __ATOMIC_RELEASE);
  } else if (strcmp(by, "fence") == 0) {
    __atomic_thread_fence(__ATOMIC_RELEASE);
    __atomic_store_n(&flag, 1, __ATOMIC_RELAXED);
  } else if (strcmp(by, "update-fence") == 0) {
    __atomic_thread_fence(__ATOMIC_RELEASE);
    __atomic_fetch_add(&flag, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&flag, 1, __ATOMIC_RELAXED);
  } else if (strcmp(by, "sc-fence") == 0) {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
  } else if (strcmp(by, "mutex") == 0) {
    pthread_mutex_lock(&place);
    pthread_mutex_unlock(&place);
  } else {
    pthread_rwlock_rdlock(&read_place);
    pthread_rwlock_unlock(&read_place);
  }
}

static void relay(void) {
  for (int i = 0; i < 3; i++)
    publish();
  learn();
  publish();
  publish();
}

static void consume(void) {
  if (strcmp(by, "sc-fence") == 0)
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
  __atomic_load_n(&flag, __ATOMIC_ACQUIRE);
  pthread_mutex_lock(&place);
  pthread_mutex_unlock(&place);
  pthread_rwlock_wrlock(&read_place);
  pthread_rwlock_unlock(&read_place);
  data = 2;
}

static void no_teacher(void) {}

// Read locks of several threads: who gets the lock for writing knows of all of them, also if it
// knew of the first one before.
static void read_and_tell(void) {
  publish();
  __atomic_fetch_add(&flag, 1, __ATOMIC_RELEASE);
}

static void teach_by_reading(void) {
  data = 1;
  if (is("all"))
    publish();
}

static void run_readers(void) {
  void (*const acts[])(void) = {read_and_tell, teach_by_reading, publish, consume};
  in_turn(4, acts);
}

static void run(const char *one_place, const char *one_way) {
  by = one_place;
  way = one_way;
  if (strcmp(by, "readers") == 0) {
    run_readers();
    return;
  }
  void (*const acts[])(void) = {is("join") ? no_teacher : teach, relay, consume};
  in_turn(3, acts);
}

int main(int argc, char **argv) {
  static const char *const places[] = {"flag",     "fence", "update-fence",
                                       "sc-fence", "mutex", "read-lock"};
  static const char *const ways[] = {"other-mutex",   "other-read-lock", "load", "update",
                                     "acquire-fence", "sc-fence",        "join", "annotation"};
  if (argc != 3)
    return 2;
  if (strcmp(argv[1], "each") != 0)
    run(argv[1], argv[2]);
  for (size_t i = 0; i < sizeof places / sizeof *places; i++)
    for (size_t j = 0; j < sizeof ways / sizeof *ways && strcmp(argv[1], "each") == 0; j++)
      run(places[i], ways[j]);
  fprintf(stderr, "end\n");
  return 0;
}
