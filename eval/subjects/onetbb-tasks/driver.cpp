// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// oneTBB's scheduler: a recursion over tasks in an arena of four, as its own examples have it, many
// times over, so that threads fall asleep and are woken.

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include "stress.hpp"

static long fibonacci(int n) {
  if (n < 2)
    return n;
  long left = 0, right = 0;
  tbb::task_group group;
  group.run([&] { left = fibonacci(n - 1); });
  right = fibonacci(n - 2);
  group.wait();
  return left + right;
}

int main() {
  tbb::global_control control(tbb::global_control::max_allowed_parallelism, 4);
  tbb::task_arena arena(4);
  std::vector<int> squares(1000, 0);
  long sum = 0;
  for (int i = 0; i < 10; i++)
    arena.execute([&] {
      sum += fibonacci(10);
      tbb::parallel_for(0, 1000, [&](int at) { squares[at] = at * at; });
    });
  bool right = sum == 550;
  for (int at = 0; at < 1000; at++)
    right = right && squares[at] == at * at;
  return stress::verdict(right);
}
