// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small programs in which several violations have several consequences, for follow-cases, by name.
// One thread publishes x by y, and v by w, another one reads them.

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef FIXED
#define PUBLISH memory_order_release
#else
#define PUBLISH memory_order_relaxed
#endif

static atomic_int x, y, v, w;
static int kept, data;

static int get(atomic_int *object) {
  return atomic_load_explicit(object, memory_order_acquire);
}

static void must(bool condition) {
  if (!condition)
    abort();
}

static void *publish(void *unused) {
  atomic_store_explicit(&x, 1, memory_order_relaxed);
  atomic_store_explicit(&y, 1, PUBLISH);
  atomic_store_explicit(&v, 1, memory_order_relaxed);
  atomic_store_explicit(&w, 1, PUBLISH);
  return unused;
}

// The program fails by one of the violations; what the other one is about is kept.
static void *one(void *unused) {
  if (get(&y))
    must(get(&x));
  if (get(&w))
    kept = get(&v);
  return unused;
}

// It fails by both, at one place.
static void *shared(void *unused) {
  bool stale = false;
  if (get(&y))
    stale |= !get(&x);
  if (get(&w))
    stale |= !get(&v);
  must(!stale);
  return unused;
}

// It fails by none: the same failure comes without a departure.
static void *anyway(void *unused) {
  bool stale = !get(&w) || !get(&v);
  must(!stale);
  return unused;
}

// A data race has nothing to do with the violation.
static void *race(void *unused) {
  if (get(&y))
    kept = get(&x);
  data = 1;
  return unused;
}

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    void *(*read)(void *);
  } programs[] = {{"one", one}, {"shared", shared}, {"anyway", anyway}, {"race", race}};
  pthread_t writer, reader;
  for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
    if (argc != 2 || strcmp(argv[1], programs[i].name) != 0)
      continue;
    pthread_create(&writer, NULL, publish, NULL);
    pthread_create(&reader, NULL, programs[i].read, NULL);
    if (programs[i].read == race)
      data = 2;
    pthread_join(writer, NULL);
    pthread_join(reader, NULL);
    printf("%d %d\n", kept, data); // else nobody needs them
    return 0;
  }
  return 2;
}
