// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// kinds KIND: two threads, and what the row of KIND in fix-kinds says of them.

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

static atomic_int flag, other, refused;
static int data, own[2];
int seen[2]; // by others, for all that the compiler knows

// -- an order lacks at both ends --

static void *publish(void *arg) {
  data = 1;
  atomic_store_explicit(&flag, 1, memory_order_relaxed);
  return arg;
}

static void *take(void *arg) {
  while (!atomic_load_explicit(&flag, memory_order_relaxed))
    ;
  seen[0] = data;
  return arg;
}

// -- the same, of a violation --

static void *send(void *arg) {
  atomic_store_explicit(&other, 1, memory_order_relaxed);
  atomic_store_explicit(&flag, 1, memory_order_relaxed);
  return arg;
}

static void *receive(void *arg) {
  while (!atomic_load_explicit(&flag, memory_order_relaxed))
    ;
  seen[0] = atomic_load_explicit(&other, memory_order_relaxed);
  return arg;
}

// -- none lacks --

static void *publish_well(void *arg) {
  data = 1;
  atomic_store_explicit(&flag, 1, memory_order_release);
  return arg;
}

static void *take_well(void *arg) {
  while (!atomic_load_explicit(&flag, memory_order_acquire))
    ;
  seen[0] = data;
  return arg;
}

// -- the same access lacks both: whoever comes second looks at what the first has written --

static void *meet(void *arg) {
  int self = *(int *)arg;
  own[self] = 1;
  if (atomic_exchange_explicit(&flag, 1, memory_order_relaxed))
    seen[self] = own[1 - self];
  return NULL;
}

// -- no order helps --

static void *count(void *arg) {
  data++;
  atomic_fetch_add_explicit(&other, 1, memory_order_relaxed);
  return arg;
}

// -- a fence lacks between a thread's function and what that calls, or before many calls --

static int may_enter(atomic_int *theirs) {
  int busy = atomic_load_explicit(theirs, memory_order_acquire);
  if (busy)
    atomic_fetch_add_explicit(&refused, 1, memory_order_relaxed);
  return !busy;
}

static void *enter(void *arg) {
  atomic_store_explicit(&flag, 1, memory_order_release);
  seen[0] = may_enter(&other);
  return arg;
}

static void *enter_often(void *arg) {
  atomic_store_explicit(&flag, 1, memory_order_release);
  for (int i = 0; i < 200; i++)
    seen[0] += may_enter(&other);
  return arg;
}

static void *enter_well(void *arg) {
  atomic_store_explicit(&other, 1, memory_order_release);
  atomic_thread_fence(memory_order_seq_cst);
  seen[1] = atomic_load_explicit(&flag, memory_order_acquire) == 0;
  return arg;
}

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    void *(*threads[2])(void *);
  } kinds[] = {
      {"publication", {publish, take}},
      {"message", {send, receive}},
      {"published", {publish_well, take_well}},
      {"both", {meet, meet}},
      {"counter", {count, count}},
      {"callee", {enter, enter_well}},
      {"often", {enter_often, enter_well}},
  };
  static int numbers[2] = {0, 1};
  pthread_t threads[2];
  for (size_t i = 0; argc > 1 && i < sizeof kinds / sizeof *kinds; i++) {
    if (strcmp(kinds[i].name, argv[1]) != 0)
      continue;
    for (int t = 0; t < 2; t++)
      pthread_create(&threads[t], NULL, kinds[i].threads[t], &numbers[t]);
    for (int t = 0; t < 2; t++)
      pthread_join(threads[t], NULL);
    return 0;
  }
  return 2;
}
