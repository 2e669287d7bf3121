// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// membarrier NAME CALL: programs with asymmetric fences. CALL: `private`, or what is none: `none`,
// `query`, `unregistered`.

#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { QUERY = 0, PRIVATE = 1 << 3, REGISTER_PRIVATE = 1 << 4 };

static int command = -1;
static atomic_int x, y, z, turn, begun;
static int found_x, found_y;
int letter; // (others might read it, so the writes stay)

static int load(atomic_int *at) {
  return atomic_load_explicit(at, memory_order_relaxed);
}

static void store(atomic_int *at, int value) {
  atomic_store_explicit(at, value, memory_order_relaxed);
}

static void await(atomic_int *at, int value) {
  while (load(at) != value)
    ;
}

static void fence_all(void) {
  if (command >= 0)
    syscall(SYS_membarrier, command, 0, 0);
}

// Store buffering; `reader` has a compiler barrier alone.
static void *run_reader(void *unused) {
  store(&x, 1);
  atomic_signal_fence(memory_order_seq_cst);
  found_y = load(&y);
  return unused;
}
static void *run_writer(void *unused) {
  store(&y, 1);
  fence_all();
  found_x = load(&x);
  load(&z);
  return unused;
}
static void *run_other_reader(void *unused) {
  store(&z, 1);
  atomic_signal_fence(memory_order_seq_cst);
  load(&y);
  return unused;
}

// A message: the sender's part of the fence is the release that its flag lacks.
static void *run_sender(void *unused) {
  letter = 1;
  store(&turn, 1);
  await(&turn, 2);
  store(&z, 1);
  return unused;
}
static void *run_receiver(void *unused) {
  await(&turn, 1);
  fence_all();
  store(&turn, 2);
  while (!atomic_load_explicit(&z, memory_order_acquire))
    ;
  letter = 2;
  return unused;
}

// The fences of the other two are in either order: the last thread need not know what the first one
// did, though the caller does. (If it acquires the caller's flag, it does.)
static memory_order order;
static void *run_first(void *unused) {
  store(&x, 1);
  store(&turn, 1);
  return unused;
}
static void *run_caller(void *unused) {
  await(&turn, 1);
  fence_all();
  store(&turn, 2);
  return unused;
}
static void *run_last(void *unused) {
  while (atomic_load_explicit(&turn, order) != 2)
    ;
  load(&x);
  return unused;
}

static void run(void *(*const functions[])(void *), int count) {
  pthread_t threads[3];
  for (int i = 0; i < count; i++)
    pthread_create(&threads[i], NULL, functions[i], NULL);
  for (int i = 0; i < count; i++)
    pthread_join(threads[i], NULL);
}

int main(int argc, char **argv) {
  if (argc != 3)
    return 2;
  const char *name = argv[1], *call = argv[2];
  if (strcmp(call, "private") == 0)
    syscall(SYS_membarrier, REGISTER_PRIVATE, 0, 0);
  if (strcmp(call, "private") == 0 || strcmp(call, "unregistered") == 0)
    command = PRIVATE;
  else if (strcmp(call, "query") == 0)
    command = QUERY;
  if (strncmp(name, "sc-", 3) == 0) { // seq_cst accesses as well
    begun = 1;
    name += 3;
  }
  order = strstr(name, "-acquire") ? memory_order_acquire : memory_order_relaxed;
  if (strcmp(name, "buffering") == 0)
    run((void *(*const[])(void *)){run_reader, run_writer}, 2);
  else if (strcmp(name, "readers") == 0)
    run((void *(*const[])(void *)){run_reader, run_writer, run_other_reader}, 3);
  else if (strcmp(name, "message") == 0)
    run((void *(*const[])(void *)){run_sender, run_receiver}, 2);
  else if (strncmp(name, "order", 5) == 0)
    run((void *(*const[])(void *)){run_first, run_caller, run_last}, 3);
  else
    run((void *(*const[])(void *)){run_last, run_caller, run_first}, 3);
  if (strcmp(name, "buffering") == 0 && !found_x && !found_y)
    abort();
  return 0;
}
