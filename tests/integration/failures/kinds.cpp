// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// kinds KIND: one failure, or a hang, in a thread.

#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <atomic>
#include <exception>

static std::atomic<int> flags[2], turns, joined;
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static const char *kind;

struct own_exception : std::exception {
  const char *what() const noexcept override { return "text of its own"; }
};

static bool is(const char *name) {
  return strcmp(kind, name) == 0;
}

static void on_segv(int signal_number) {
  fputs("handler\n", stderr);
  signal(signal_number, SIG_DFL);
  raise(signal_number);
}

static void leave(int) {
  _exit(5);
}

static void handle() {
  if (is("handler"))
    signal(SIGSEGV, on_segv);
  if (is("handler-exits"))
    signal(SIGABRT, leave);
  if (is("shown-default")) {
    struct sigaction old;
    sigaction(SIGABRT, nullptr, &old);
    if (old.sa_handler != SIG_DFL)
      _exit(9);
  }
}

// Fails after main has joined the other thread, because TSan reports a thread that has finished and
// is not joined as a leak.
static void *fail(void *unused) {
  handle();
  while (!joined.load()) {
  }
  if (is("assert"))
    assert(turns.load() == 1);
  if (is("abort") || is("handler-exits") || is("shown-default"))
    abort();
  if (is("segv") || is("handler"))
    *(volatile int *)nullptr = 1;
  if (is("throw"))
    throw own_exception();
  if (is("throw-int"))
    throw 7;
  if (is("terminate"))
    std::terminate();
  if (is("kill"))
    kill(getpid(), SIGKILL);
  if (is("exit"))
    exit(3);
  if (is("gtest")) {
    puts("queue_test.cc:12: Failure\nExpected equality\n[  FAILED  ] Queue.Pop (0 ms)");
    exit(1);
  }
  return unused;
}

static void *turn(void *index) {
  const long own = (long)index;
  while (!flags[own].load())
    if (flags[1 - own].load() == 7)
      turns++;
  return index;
}

static void *lock_both(void *index) {
  pthread_mutex_t *const mine = index ? &a : &b, *const other = index ? &b : &a;
  pthread_mutex_lock(mine);
  flags[index != nullptr] = 1;
  while (is("wait-deadlock") && !flags[index == nullptr].load()) {
  }
  pthread_mutex_lock(other);
  pthread_mutex_unlock(other);
  pthread_mutex_unlock(mine);
  return index;
}

static void *wait_for_change(void *unused) {
  pthread_mutex_lock(&a);
  pthread_cond_wait(&changed, &a);
  pthread_mutex_unlock(&a);
  return unused;
}

static void *compute(void *unused) {
  for (volatile unsigned long i = 0;; i++) {
  }
  return unused;
}

static void *lock_twice(void *unused) {
  pthread_mutex_lock(&a);
  pthread_mutex_lock(&a);
  return unused;
}

int main(int argc, char **argv) {
  kind = argc > 1 ? argv[1] : "";
  if (argc > 2)
    flags[0] = flags[1] = 7;
  void *(*const function)(void *) = is("livelock")                          ? turn
                                    : is("deadlock") || is("wait-deadlock") ? lock_both
                                    : is("cond")                            ? wait_for_change
                                    : is("compute")                         ? compute
                                    : is("twice")                           ? lock_twice
                                                                            : fail;
  pthread_t threads[2];
  for (long i = 0; i < 2; i++)
    pthread_create(&threads[i], nullptr, function == fail && i ? turn : function, (void *)i);
  if (function == fail)
    flags[1] = 1;
  const bool other_first = function == fail;
  pthread_join(threads[other_first], nullptr);
  joined = 1;
  pthread_join(threads[!other_first], nullptr);
  return 0;
}
