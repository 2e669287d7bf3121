// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// pairs KIND TWIN: two threads, of which each fails at a place of its own if it comes second; with
// a TWIN neither does. So an exploration has two failures, and each is in one execution at least.

#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <atomic>
#include <stdexcept>

static std::atomic<int> first, second;
static const char *kind;
static bool twin;

__attribute__((noinline)) static void check_failed(const char *what) {
  fprintf(stderr, "check failed: %s\n", what);
  abort();
}

#define CHECK(condition)                                                                           \
  do {                                                                                             \
    if (!(condition))                                                                              \
      check_failed(#condition);                                                                    \
  } while (0)

static bool is(const char *name) {
  return strcmp(kind, name) == 0;
}

// Each function is on one line, because the stack may end at any place in it. Its frame is smaller
// than the guard page below the stack; a larger frame can skip that page and write to the stack of
// the other thread.
#define OVERFLOW(name)                                                                             \
  __attribute__((noinline)) static int name(int depth) {                                           \
    volatile char room[2048];                                                                      \
    room[depth % 100] = 1;                                                                         \
    return depth < 0 ? 0 : name(depth + 1) + room[depth % 100];                                    \
  }
OVERFLOW(recurse_one) // overflow
OVERFLOW(recurse_two) // overflow

static void *one(void *unused) {
  first.store(1);
  const int seen = twin ? 0 : second.load();
  if (is("assert"))
    assert(seen == 0);
  if (is("check"))
    CHECK(seen == 0);
  if (is("segv") && seen)
    *(volatile int *)nullptr = 1;
  if (is("abort") && seen)
    abort();
  if (is("throw") && seen)
    throw std::runtime_error("one has come second");
  if (is("mixed"))
    assert(seen == 0);
  if (is("overflow") && seen)
    printf("%d", recurse_one(1));
  if (is("trap") && seen)
    __builtin_trap();
  return unused;
}

static void *two(void *unused) {
  second.store(1);
  const int seen = twin ? 0 : first.load();
  if (is("assert"))
    assert(seen == 0);
  if (is("check"))
    CHECK(seen == 0);
  if (is("segv") && seen)
    *(volatile int *)nullptr = 2;
  if (is("abort") && seen)
    abort();
  if (is("throw") && seen)
    throw std::logic_error("two has come second");
  if (is("mixed") && seen)
    *(volatile int *)nullptr = 2;
  if (is("overflow") && seen)
    printf("%d", recurse_two(1));
  if (is("trap") && seen)
    __builtin_trap();
  return unused;
}

int main(int argc, char **argv) {
  pthread_t threads[2];
  kind = argc > 1 ? argv[1] : "";
  twin = argc > 2;
  pthread_create(&threads[0], nullptr, one, nullptr);
  pthread_create(&threads[1], nullptr, two, nullptr);
  pthread_join(threads[0], nullptr);
  pthread_join(threads[1], nullptr);
  return 0;
}
