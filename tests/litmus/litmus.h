// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a litmus program is made of. A program is one file that defines
// litmus_program, written by generate.py where it is in C; main() and the
// scheduler are linked to it, and are compiled without a sanitizer. Its threads call step() before
// each access of shared memory and before each fence: what runs from one step() to the next is one
// unit of an interleaving, and one digit (the thread's number) of a schedule.
//
// The head of the file says what is expected, for CMake to register the tests:
//   // Verdict: not robust (2/6)    flagged interleavings / all interleavings
//   // Verdict: robust (0/6)        and no report in 1,000 runs either
//   // Verdict: robust (any run)    1,000 runs only (its threads block)
//   // Verdict: race (2/2)          interleavings with a data race / all
//   // Why: one sentence
//   // Twin: NAME                   the program next to it with the opposite verdict

#ifndef RSAN_TESTS_LITMUS_H
#define RSAN_TESTS_LITMUS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { LITMUS_MAX_THREADS = 4 };

struct litmus {
  size_t size;  // of the shared state: fresh zeroed memory for each interleaving
  int threads;  // numbered from 0
  int children; // the last `children` threads are created by the program itself
  void (*thread[LITMUS_MAX_THREADS])(void *shared); // null for a child
  void (*init)(void *shared);                       // before the threads start; may be null
  void (*fini)(void *shared);                       // after all were joined; may be null
  // Is this a result that no sequentially consistent run has? May be null. The
  // tool runs programs under SC, so it must never be true, robust or not.
  int (*weak)(const void *shared);
  // The schedules to be flagged (or to race), separated by blanks. Null: only
  // their number is checked, against the file's head.
  const char *flagged;
};

extern const struct litmus litmus_program;

// The next thing this thread does is an access or a fence.
void step(void);
// The next thing it does is to lock / unlock `mutex`. A thread at step_lock()
// of a mutex that is held is not scheduled.
void step_lock(const void *mutex);
void step_unlock(const void *mutex);

// For a thread that the program creates itself: its number, before its first
// step. litmus_leave() returns when every thread has come to it; a thread whose
// stack the others use calls it before that memory goes away. The runner does
// both for all other threads.
void litmus_enter(int thread);
void litmus_leave(void);

#ifdef __cplusplus
}
#endif

#endif
