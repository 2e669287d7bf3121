// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A robust test, and one with store buffering, for each test framework; GTEST, CATCH, DOCTEST or
// BOOST chooses. PLAIN: no framework. FAILS: another one with store buffering, and one that fails.
#include <atomic>
#include <thread>

#if defined(GTEST)
#include <gtest/gtest.h>
#elif defined(CATCH)
#include <catch2/catch.hpp>
#elif defined(DOCTEST)
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
#elif defined(BOOST)
#include <boost/test/unit_test.hpp>
#endif

static int store_and_load(std::atomic<int> &own, std::atomic<int> &other) {
  own.store(1, std::memory_order_release);
  return other.load(std::memory_order_acquire);
}

// A run in which both threads store first shows no violation. So the second one waits for the first
// one, by relaxed accesses, except in the program whose runs are scheduled.
static void buffer_stores() {
#if defined(FAILS)
  const bool waits = false;
#else
  const bool waits = true;
#endif
  std::atomic<int> x{0}, y{0}, first{0};
  std::thread one([&] {
    store_and_load(x, y);
    first.store(1, std::memory_order_relaxed);
  });
  std::thread two([&] {
    while (waits && !first.load(std::memory_order_relaxed))
      ;
    store_and_load(y, x);
  });
  one.join();
  two.join();
}

#if defined(GTEST)
TEST(Queue, Robust) {}
TEST(Queue, PushAndPop) {
  buffer_stores();
}
#if defined(FAILS)
TEST(Queue, Twice) {
  buffer_stores();
  buffer_stores();
}
TEST(Queue, Fails) {
  EXPECT_TRUE(false);
}
#endif
#elif defined(BOOST)
BOOST_AUTO_TEST_SUITE(Queue)
BOOST_AUTO_TEST_CASE(Robust) {}
BOOST_AUTO_TEST_CASE(PushAndPop) {
  buffer_stores();
}
#if defined(FAILS)
BOOST_AUTO_TEST_CASE(Twice) {
  buffer_stores();
  buffer_stores();
}
BOOST_AUTO_TEST_CASE(Fails) {
  BOOST_CHECK(false);
}
#endif
BOOST_AUTO_TEST_SUITE_END()
#elif defined(PLAIN)
int main() {
  buffer_stores();
}
#else
TEST_CASE("robust") {}
TEST_CASE("push and pop") {
  buffer_stores();
}
#if defined(FAILS)
TEST_CASE("[twice], over") {
  buffer_stores();
  buffer_stores();
}
TEST_CASE("fails") {
  CHECK(false);
}
#endif
#endif
