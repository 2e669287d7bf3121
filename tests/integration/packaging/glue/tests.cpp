// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A robust test, and one with store buffering, for each test framework; GTEST, CATCH or DOCTEST
// chooses. PLAIN: no framework.
#include <atomic>
#include <thread>

#if defined(GTEST)
#include <gtest/gtest.h>
#elif defined(CATCH)
#include <catch2/catch.hpp>
#elif defined(DOCTEST)
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
#endif

static int store_and_load(std::atomic<int> &own, std::atomic<int> &other) {
  own.store(1, std::memory_order_release);
  return other.load(std::memory_order_acquire);
}

static void buffer_stores() {
  std::atomic<int> x{0}, y{0};
  std::thread one([&] { store_and_load(x, y); });
  std::thread two([&] { store_and_load(y, x); });
  one.join();
  two.join();
}

#if defined(GTEST)
TEST(Queue, Robust) {}
TEST(Queue, PushAndPop) {
  buffer_stores();
}
#elif defined(PLAIN)
int main() {
  buffer_stores();
}
#else
TEST_CASE("robust") {}
TEST_CASE("push and pop") {
  buffer_stores();
}
#endif
