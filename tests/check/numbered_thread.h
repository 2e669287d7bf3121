// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NUMBERED_THREAD(number): run_<number>, a thread of a test of rsan_check(). It calls run(number).
#ifndef RSAN_TESTS_CHECK_NUMBERED_THREAD_H
#define RSAN_TESTS_CHECK_NUMBERED_THREAD_H

#define NUMBERED_THREAD(number)                                                                    \
  static void run_##number(void *unused) {                                                         \
    (void)unused;                                                                                  \
    run(number);                                                                                   \
  }

#endif
