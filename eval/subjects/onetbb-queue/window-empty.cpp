// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two threads push one element each and then pop one each: neither may find the queue empty.

#include <oneapi/tbb/concurrent_queue.h>

#include "window.hpp"

static void push_and_pop() {
  tbb::concurrent_queue<unsigned> queue;
  unsigned got[2] = {};
  const auto both = [&](unsigned by) {
    queue.push(by);
    assert(queue.try_pop(got[by]));
  };
  window::together([&] { both(0); }, [&] { both(1); });
  assert(got[0] + got[1] == 1);
}

int main() {
  for (int round = 0; round < 20; round++)
    push_and_pop();
}
