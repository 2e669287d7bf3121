/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The third part of rsan.h, which includes it: tests of which all schedules are explored
 * (docs/guide/CHECK.md). In a process of their own, by `rsan check -- ./test`, or within one
 * process, by rsan_check().
 */

#ifndef RSAN_H
#error "include rsan.h"
#endif
#ifndef RSAN_CHECK_H
#define RSAN_CHECK_H

#ifdef __cplusplus
#include <tuple>
extern "C" {
#endif

#ifdef __SANITIZE_ROBUSTNESS__
unsigned __rsan_choose(unsigned);
void __rsan_assume_fails(void);
int __rsan_check(void (*setup)(void *), unsigned count, void (*const *threads)(void *),
                 bool (*check)(void *), void *argument);
#endif

/* One of the values 0 to n - 1, n >= 1: each
 * is explored, at every call, in whichever thread, also before the first one is created; then the
 * exploration begins there. 0 outside of an exploration and without the sanitizer; in the replay of
 * a finding what it was there. n may depend on the schedule and on earlier choices, and on nothing
 * else. n = 0 ends the process with a line that says so (without the sanitizer it is taken for 1).
 * Not in signal handlers: 0 there. */
RSAN_INLINE_ unsigned rsan_choose(unsigned n) {
#ifdef __SANITIZE_ROBUSTNESS__
  return __rsan_choose(n);
#else
  (void)n;
  return 0;
#endif
}

/* Executions in which `holds` is false are of no interest: the thread that calls makes no more
 * steps there, other threads go on as far as they can without it, and the execution is given up. It
 * is counted, and is no finding: neither that it ends early, nor that others wait for that thread.
 * What it has shown is one all the same, such as a data race or a violation: for it has happened,
 * and may happen before others, or in others, too. Outside of an exploration it does nothing. */
RSAN_INLINE_ void rsan_assume(bool holds) {
#ifdef __SANITIZE_ROBUSTNESS__
  if (!holds)
    __rsan_assume_fails();
#else
  (void)holds;
#endif
}

/* What rsan_check returns, as `rsan check` does; as exit statuses ctest takes them for what they
 * are. */
enum {
  RSAN_CHECK_PROVED = 0,     /* all executions were made, and none shows anything */
  RSAN_CHECK_FAILED = 1,     /* without an exploration: `check` has returned false */
  RSAN_CHECK_USAGE = 2,      /* `count` is not 1 to 63, or the program has other threads */
  RSAN_CHECK_NOT_PROVED = 3, /* no finding, but the lines behind the verdict say what is missing */
  RSAN_CHECK_FOUND = 66,     /* violations, data races, failed checks, deadlocks, livelocks */
  RSAN_CHECK_HARMLESS = 67   /* violations, and whatever C++20 allows is as it should be */
};

/* A unit test. Makes all executions of it, one of each class of schedules:
 *
 *   setup(argument)                      brings all objects of the test into their first state
 *   threads[0..count)(argument)          at the same time, with all that C11 allows
 *   check(argument)                      after all of them; false: a finding
 *
 * Findings are printed, each once, with the line that repeats the execution; then a line with the
 * verdict. If violations are all that was found, a second exploration tells whether they do harm:
 * it makes the executions that C++20 allows and that are no interleavings. 1 to 63 threads, in
 * practice two or three with a few atomic operations each; none of the functions is null.
 *
 * The threads are fibers of the calling thread, so an execution takes microseconds. They may use
 * atomic operations, mutexes, locks for reading and writing, spin locks, condition variables,
 * semaphores, barriers, and loops that wait; rsan_choose and rsan_assume, which setup and check may
 * use as well. They may not create threads, nor call exit() or rsan_check(). They share
 * thread_local objects, errno aside, and pthread_self(). setup has to initialise every object that
 * the threads change, and in the same way each time; what it allocates, check should free. A
 * deadlock leaves its threads where they are: what they had allocated stays.
 *
 * Where it is called by `rsan check`, `rsan run --schedule` or `rsan replay`, the test is executed
 * once, by threads of the operating system, as those tools ask for it; for `rsan check` a program
 * should have one call. Without the sanitizer it is executed once, one thread after the other,
 * which shows nothing but that it works; the result is RSAN_CHECK_PROVED or RSAN_CHECK_FAILED.
 *
 * These options of RSAN_OPTIONS hold here, too: target=, explore_loop=, explore_preemptions=,
 * explore_executions=, explore_time=, explore_timeout= and explore_first=. The caller must be the
 * program's only thread. */
RSAN_INLINE_ int rsan_check(void (*setup)(void *argument), unsigned count,
                            void (*const *threads)(void *argument), bool (*check)(void *argument),
                            void *argument) {
#ifdef __SANITIZE_ROBUSTNESS__
  return __rsan_check(setup, count, threads, check, argument);
#else
  if (count < 1 || count > 63)
    return RSAN_CHECK_USAGE;
  setup(argument);
  for (unsigned i = 0; i < count; i++)
    threads[i](argument);
  return check(argument) ? RSAN_CHECK_PROVED : RSAN_CHECK_FAILED;
#endif
}

#ifdef __cplusplus
}

/* rsan::check(setup, check, threads...): the same with functions and lambdas, which take nothing.
 */
namespace rsan {

template <typename Setup, typename Check, typename... Threads> struct check_test_ {
  Setup &setup;
  Check &check;
  std::tuple<Threads &...> threads;

  static check_test_ *of(void *test) { return static_cast<check_test_ *>(test); }
  static void run_setup(void *test) { of(test)->setup(); }
  static bool run_check(void *test) { return of(test)->check(); }
  template <unsigned I> static void run_thread(void *test) { std::get<I>(of(test)->threads)(); }
};

template <typename Test, unsigned Count> struct check_threads_ {
  static void list(void (**threads)(void *)) {
    check_threads_<Test, Count - 1>::list(threads);
    threads[Count - 1] = Test::template run_thread<Count - 1>;
  }
};
template <typename Test> struct check_threads_<Test, 0> {
  static void list(void (**)(void *)) {}
};

template <typename Setup, typename Check, typename... Threads>
int check(Setup setup, Check check, Threads... threads) {
  typedef check_test_<Setup, Check, Threads...> test_type;
  static_assert(sizeof...(Threads) >= 1 && sizeof...(Threads) <= 63, "RSan: 1 to 63 threads");
  test_type test = {setup, check, std::tuple<Threads &...>(threads...)};
  void (*list[sizeof...(Threads)])(void *);
  check_threads_<test_type, sizeof...(Threads)>::list(list);
  return rsan_check(test_type::run_setup, sizeof...(Threads), list, test_type::run_check, &test);
}

} // namespace rsan
#endif

#endif
