// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two threads take a mutex in turns and hold it for a while, so that the other one falls asleep: it
// must be woken.

#include <oneapi/tbb/mutex.h>

#include "window.hpp"

static void lock_in_turns() {
  tbb::mutex mutex;
  unsigned count = 0;
  const auto add = [&] {
    tbb::mutex::scoped_lock lock(mutex);
    for (int i = 0; i < 200; i++)
      sched_yield();
    count++;
  };
  window::together(add, add);
  assert(count == 2);
}

int main() {
  for (int round = 0; round < 10; round++)
    lock_in_turns();
}
