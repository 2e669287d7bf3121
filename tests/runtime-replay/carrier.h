// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What carries the threads of a trace: fibers of one thread, or threads that take turns. Either
// way one of them acts at a time, and the runtime sees nothing of the hand-over.
//
// All functions are called by the main thread, which has no event of its own, but for `start`,
// which the creator itself calls. It waits until the act has returned.

#ifndef RSAN_TESTS_RUNTIME_REPLAY_CARRIER_H
#define RSAN_TESTS_RUNTIME_REPLAY_CARRIER_H

#include <stdint.h>

enum { CARRIER_MAX_THREADS = 64 };

struct carrier {
  // Before the first thread of a trace, and after its last one.
  void (*begin)(void);
  void (*end)(void);
  void (*start)(uint32_t thread);
  void (*run)(uint32_t thread, void (*act)(void *), void *argument);
  // The edge that a join makes. `joined` is gone afterwards.
  void (*join)(uint32_t joiner, uint32_t joined);
  // Ends a thread that nobody joins. The main thread then knows all that it did, so that memory can
  // be freed.
  void (*stop)(uint32_t thread);
};

extern const struct carrier carrier_fibers, carrier_threads;

_Noreturn void carrier_die(const char *what);

#endif
