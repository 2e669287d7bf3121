// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread makes a few tasks and waits until they are done, while another one steals: each must be
// executed, and once.

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include "window.hpp"

constexpr int TASKS = 2;

static void execute_all(tbb::task_arena &arena) {
  std::atomic<unsigned> executed[TASKS] = {};
  arena.execute([&] {
    tbb::task_group group;
    for (int i = 0; i < TASKS; i++)
      group.run([&executed, i] { executed[i].fetch_add(1, std::memory_order_relaxed); });
    group.wait();
  });
  for (const std::atomic<unsigned> &count : executed)
    assert(count.load(std::memory_order_relaxed) == 1);
}

int main() {
  tbb::global_control control(tbb::global_control::max_allowed_parallelism, 2);
  tbb::task_arena arena(2);
  for (int round = 0; round < 50; round++)
    execute_all(arena);
}
