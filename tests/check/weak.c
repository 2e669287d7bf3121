// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small programs for `rsan check` with weak compare-exchanges, which may fail although they find
// what they expect, by name: how each ends within --spurious is in check-cases.

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static atomic_int x, y;

static bool exchange(atomic_int *object, int from, int to) {
  return atomic_compare_exchange_weak(object, &from, to);
}

// Takes what can fail for what cannot.
static void *must_succeed(void *unused) {
  if (!exchange(&x, 0, 1))
    abort();
  return unused;
}

static void *must_succeed_once(void *unused) {
  if (!exchange(&x, 0, 1) && !exchange(&x, 0, 1))
    abort();
  return unused;
}

static void *strong_must_succeed(void *unused) {
  int from = 0;
  if (!atomic_compare_exchange_strong(&x, &from, 1))
    abort();
  return unused;
}

// Tries again with what it has found.
static void *add(void *unused) {
  int now = atomic_load(&x);
  while (!atomic_compare_exchange_weak(&x, &now, now + 1)) {
  }
  return unused;
}

static void *set_y(void *unused) {
  atomic_store(&y, 1);
  return unused;
}

static const struct program {
  const char *name;
  void *(*one)(void *), *(*other)(void *);
  bool before; // the first thread makes one before it creates others
} programs[] = {
    {"weak", must_succeed, set_y, false},
    {"weak-twice", must_succeed_once, set_y, false},
    {"strong", strong_must_succeed, set_y, false},
    {"retry", add, add, false},
    {"before", set_y, set_y, true},
};

static int run(const struct program *program) {
  pthread_t threads[2];
  if (program->before)
    exchange(&x, 0, 1);
  pthread_create(&threads[0], NULL, program->one, NULL);
  pthread_create(&threads[1], NULL, program->other, NULL);
  pthread_join(threads[0], NULL);
  pthread_join(threads[1], NULL);
  return program->one == add && atomic_load(&x) != 2;
}

int main(int argc, char **argv) {
  for (size_t i = 0; argc > 1 && i < sizeof programs / sizeof *programs; i++)
    if (strcmp(programs[i].name, argv[1]) == 0)
      return run(&programs[i]);
  return 2;
}
