// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// 200 cases of GoogleTest for eval/schedules/per_test: two threads pass numbers through a ring.
// With -DDEFECTS=N the case of each N-th number buffers stores as well, at one place for all of
// them.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#ifndef DEFECTS
#define DEFECTS 0
#endif

namespace {

constexpr unsigned capacity = 4, numbers = 50;

struct Ring {
  std::atomic<unsigned> head{0}, tail{0};
  unsigned at[capacity];

  bool push(unsigned number) {
    const unsigned end = tail.load(std::memory_order_relaxed);
    if (end - head.load(std::memory_order_acquire) == capacity)
      return false;
    at[end % capacity] = number;
    tail.store(end + 1, std::memory_order_release);
    return true;
  }

  bool pop(unsigned *number) {
    const unsigned begin = head.load(std::memory_order_relaxed);
    if (begin == tail.load(std::memory_order_acquire))
      return false;
    *number = at[begin % capacity];
    head.store(begin + 1, std::memory_order_release);
    return true;
  }
};

void store_and_load(std::atomic<int> *own, const std::atomic<int> *other) {
  own->store(1, std::memory_order_release);
  other->load(std::memory_order_acquire);
}

class Rings : public testing::TestWithParam<unsigned> {};

} // namespace

TEST_P(Rings, PassNumbersOn) {
  const bool buffers = DEFECTS && GetParam() % (DEFECTS + !DEFECTS) == 0;
  std::atomic<int> first{0}, second{0};
  Ring ring;
  std::thread producer([&] {
    if (buffers)
      store_and_load(&first, &second);
    for (unsigned i = 0; i < numbers; i++)
      while (!ring.push(i))
        std::this_thread::yield();
  });
  if (buffers)
    store_and_load(&second, &first);
  for (unsigned i = 0; i < numbers; i++) {
    unsigned number;
    while (!ring.pop(&number))
      std::this_thread::yield();
    EXPECT_EQ(number, i);
  }
  producer.join();
}

INSTANTIATE_TEST_SUITE_P(All, Rings, testing::Range(0u, 200u));
