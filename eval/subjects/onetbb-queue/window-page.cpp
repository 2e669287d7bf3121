// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two threads push eight elements each. The queue distributes them to eight parts, so that each
// part gets two; what was pushed must be there afterwards.

#include <oneapi/tbb/concurrent_queue.h>

#include "window.hpp"

constexpr unsigned EACH = 8;

static void push_all() {
  tbb::concurrent_queue<unsigned> queue;
  const auto push = [&](unsigned first) {
    for (unsigned one = first; one < first + EACH; one++)
      queue.push(one);
  };
  window::together([&] { push(0); }, [&] { push(EACH); });
  unsigned taken[2 * EACH] = {};
  for (unsigned one; queue.try_pop(one);)
    taken[one]++;
  for (unsigned count : taken)
    assert(count == 1);
}

int main() {
  for (int round = 0; round < 20; round++)
    push_all();
}
