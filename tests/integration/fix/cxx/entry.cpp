// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dekker's entry by a class in a header: one fence there serves both threads.
#include "flag.h"
#include "stage.h"

#include <thread>

static flag<int> first, second;
static int inside;

int main() {
  std::thread one([] {
    first.raise();
    if (!second.seen())
      ++inside;
    stage_reach(1);
  });
  std::thread two([] {
    stage_await(1);
    second.raise();
    if (!first.seen())
      ++inside;
  });
  one.join();
  two.join();
}
