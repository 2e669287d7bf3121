// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs that are not robust, for the execution graphs of `rsan check`: what a program does with
// its threads that a test of rsan_check() cannot.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define RLX memory_order_relaxed

static atomic_int x, y, z, w;
static int of_left, of_right, later_of_left, later_of_right, signalled;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;

// Store buffering.
static void *left(void *unused) {
  atomic_store_explicit(&x, 1, RLX);
  of_left = atomic_load_explicit(&y, RLX);
  return unused;
}

static void *right(void *unused) {
  atomic_store_explicit(&y, 1, RLX);
  of_right = atomic_load_explicit(&x, RLX);
  return unused;
}

// Twice: the program fails only if both pairs miss both stores.
static void *left_twice(void *unused) {
  left(unused);
  atomic_store_explicit(&z, 1, RLX);
  later_of_left = atomic_load_explicit(&w, RLX);
  return unused;
}

static void *right_twice(void *unused) {
  right(unused);
  atomic_store_explicit(&w, 1, RLX);
  later_of_right = atomic_load_explicit(&z, RLX);
  return unused;
}

// It may fail although nobody else has written.
static void *left_and_weak(void *unused) {
  int free = 0;
  atomic_compare_exchange_weak_explicit(&z, &free, 1, RLX, RLX);
  return left(unused);
}

// The other thread is created by this one.
static void *left_and_child(void *unused) {
  pthread_t child;
  pthread_create(&child, NULL, right, NULL);
  left(unused);
  pthread_join(child, NULL);
  assert(of_left == 0 || of_left == 1);
  return unused;
}

static void *left_after_wait(void *unused) {
  pthread_mutex_lock(&mutex);
  while (!signalled)
    pthread_cond_wait(&condition, &mutex);
  pthread_mutex_unlock(&mutex);
  return left(unused);
}

static void *right_after_signal(void *unused) {
  pthread_mutex_lock(&mutex);
  signalled = 1;
  pthread_cond_signal(&condition);
  pthread_mutex_unlock(&mutex);
  return right(unused);
}

static void *wait_for_ever(void *unused) {
  pthread_mutex_lock(&mutex);
  return unused;
}

static void run_both(void *(*one)(void *), void *(*other)(void *)) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, one, NULL);
  pthread_create(&threads[1], NULL, other, NULL);
  pthread_join(threads[0], NULL);
  pthread_join(threads[1], NULL);
}

int main(int argc, char **argv) {
  const char *name = argc == 2 ? argv[1] : "";
  pthread_t thread;
  if (!strcmp(name, "two")) {
    run_both(left_twice, right_twice);
    assert(of_left || of_right || later_of_left || later_of_right);
  } else if (!strcmp(name, "nested")) {
    pthread_create(&thread, NULL, left_and_child, NULL);
    pthread_join(thread, NULL);
  } else if (!strcmp(name, "weak")) {
    run_both(left_and_weak, right);
  } else if (!strcmp(name, "condition")) {
    run_both(left_after_wait, right_after_signal);
  } else if (!strcmp(name, "daemon")) {
    pthread_mutex_lock(&mutex);
    pthread_create(&thread, NULL, wait_for_ever, NULL);
    pthread_detach(thread);
    run_both(left, right);
  } else if (!strcmp(name, "detached")) {
    pthread_create(&thread, NULL, left, NULL);
    pthread_detach(thread);
    right(NULL);
  } else {
    return 2;
  }
  return 0;
}
