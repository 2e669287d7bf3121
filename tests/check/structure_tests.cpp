// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A structure in tests of GoogleTest: one that passes, and one that fails.

#include <gtest/gtest.h>

#include <atomic>

#include "rsan_structure.h"

namespace {

class counter {
  std::atomic<int> count{0};

public:
  int add() { return count.fetch_add(1, std::memory_order_relaxed); }
  int get() const { return count.load(std::memory_order_relaxed); }
};
auto counted() {
  return rsan::structure<counter>().op("add", &counter::add).op("get", &counter::get);
}
auto counted_by_two() {
  return counted().name("of_twos").model<int>([](int &count) { return count += 2; },
                                              [](int &count) { return count; });
}

} // namespace

TEST(Counter, IsLinearizable) {
  EXPECT_EQ(counted().check(), RSAN_CHECK_PROVED);
}
TEST(Counter, AddsTwo) {
  EXPECT_EQ(counted_by_two().check(), RSAN_CHECK_PROVED);
}
