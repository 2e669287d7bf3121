// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two threads that each raise a flag and look at the other's: in a method of a template, in a
// lambda, and in pair.c. A mark /*@NAME*/ stands before each access that the test names.

#include <atomic>
#include <thread>

#include "stage.h"

extern "C" void pair_left(void);
extern "C" void pair_right(void);

namespace doors {

template <typename T> class Gate {
public:
  explicit Gate(T raised) : raised_(raised) {}

  bool enter(std::atomic<T> &mine, std::atomic<T> &other) {
    mine./*@raise*/ store(raised_, std::memory_order_release);
    if (raised_ == 0)
      return false;
    return other./*@look*/ load(std::memory_order_acquire) == 0;
  }

  bool operator()(std::atomic<T> &other) const {
    if (raised_ == 0)
      return false;
    return other./*@call*/ load(std::memory_order_acquire) == 0;
  }

private:
  T raised_;
};

} // namespace doors

static std::atomic<int> first, second, third, fourth;
static int left_got_in, right_got_in;

static void left() {
  doors::Gate<int> gate(1);
  left_got_in += gate.enter(first, second);
  auto raise = [] { third./*@lambda*/ store(1, std::memory_order_release); };
  raise();
  left_got_in += gate(fourth);
  pair_left();
  stage_reach(1);
}

static void right() {
  doors::Gate<int> gate(1);
  stage_await(1);
  right_got_in += gate.enter(second, first);
  fourth./*@fourth*/ store(1, std::memory_order_release);
  right_got_in += gate(third);
  pair_right();
}

int main() {
  std::thread one(left), two(right);
  one.join();
  two.join();
}
