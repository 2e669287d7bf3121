// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the plain object file offers: code that is compiled without the sanitizer.

#ifndef RSAN_TEST_ROBUST_UNSEEN_H
#define RSAN_TEST_ROBUST_UNSEEN_H

#ifdef __cplusplus
extern "C" {
#endif

// A release store, which instrumented code acquires.
void unseen_release(int *word, int value);

int unseen_read(const int *from);
void unseen_write(int *to, int value);

// Orders that the sanitizer does not see, for the twins: turns by number, and a barrier.
void unseen_begin(void);
void unseen_await_turn(int turn);
void unseen_pass_turn(int to);
void unseen_meet(int threads);

#ifdef __cplusplus
}
#endif

#endif
