// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread publishes at one flag again and again; before the last time it learns of another
// thread's write, in each of the ways that there are. Who acquires the flag then knows of it, too.
// Twin: it learns nothing, and the write races.
//
// RUN: %build %s -o %t
// RUN: %t mutex 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: %t read-lock 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: %t load 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: %t update 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: %t acquire-fence 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: %t sc-fence 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: %t join 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: %t annotation 2>&1 | FileCheck %s --check-prefix=NONE
// NONE-NOT: WARNING
// NONE: {{^}}end{{$}}
// NONE-NOT: WARNING
// RUN: env RSAN_OPTIONS=robustness=0 %exits 66 %t nothing 2>&1 | FileCheck %s
// CHECK: WARNING: ThreadSanitizer: data race
// CHECK-NEXT: Write of size 4
// CHECK-NEXT: #0 consume
// CHECK: Previous write of size 4
// CHECK-NEXT: #0 teach
// CHECK: {{^}}end{{$}}
#include "turns.h"

#include <stdio.h>
#include <string.h>

void AnnotateHappensBefore(const char *, int, const volatile void *);
void AnnotateHappensAfter(const char *, int, const volatile void *);

static const char *way;
static int flag, other, annotated;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
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
  if (is("mutex")) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
  } else if (is("read-lock")) {
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

static void prepare(void) {
  for (int i = 0; i < 3; i++)
    __atomic_store_n(&flag, i, __ATOMIC_RELEASE);
}

static void pass_on(void) {
  learn();
  __atomic_fetch_add(&flag, 1, __ATOMIC_RELEASE);
}

static void no_teacher(void) {}

static void relay(void) {
  prepare();
  pass_on();
  __atomic_fetch_add(&flag, 1, __ATOMIC_RELEASE);
}

static void consume(void) {
  if (__atomic_load_n(&flag, __ATOMIC_ACQUIRE))
    data = 2;
}

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  way = argv[1];
  void (*const acts[])(void) = {is("join") ? no_teacher : teach, relay, consume};
  in_turn(3, acts);
  fprintf(stderr, "end\n");
  return 0;
}
