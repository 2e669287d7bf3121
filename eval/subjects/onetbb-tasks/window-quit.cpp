// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The scheduler is started, has a little to do, and is shut down: its workers must end.

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>

#include "window.hpp"

static void start_and_quit() {
  oneapi::tbb::task_scheduler_handle handle{oneapi::tbb::attach{}};
  std::atomic<unsigned> sum{0};
  tbb::parallel_for(0, 8, [&](int) {
    sched_yield();
    sum.fetch_add(1, std::memory_order_relaxed);
  });
  assert(sum.load(std::memory_order_relaxed) == 8);
  assert(oneapi::tbb::finalize(handle, std::nothrow));
}

int main() {
  tbb::global_control control(tbb::global_control::max_allowed_parallelism, 3);
  for (int round = 0; round < 10; round++)
    start_and_quit();
}
