// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A test suite of 30 cases, for eval/weak/suite: 20 have violations by which nothing fails, 7 have
// none, and in 3 the test fails by one.
#include <atomic>
#include <gtest/gtest.h>
#include <thread>

namespace {

constexpr auto relaxed = std::memory_order_relaxed;
constexpr int rounds = 20;

template <typename First, typename Second> void both(First first, Second second) {
  std::thread one(first), two(second);
  one.join();
  two.join();
}

// Each thread counts what it has done, and looks at the other's counts: statistics.
#define STATISTIC(name)                                                                            \
  TEST(Statistics, name) {                                                                         \
    static std::atomic<int> mine, theirs, size, other_size, seen;                                  \
    for (int i = 0; i < rounds; i++)                                                               \
      both(                                                                                        \
          [] {                                                                                     \
            mine.fetch_add(1, relaxed);                                                            \
            seen.store(theirs.load(relaxed), relaxed);                                             \
            size.fetch_add(1, relaxed);                                                            \
            seen.store(other_size.load(relaxed), relaxed);                                         \
          },                                                                                       \
          [] {                                                                                     \
            theirs.fetch_add(1, relaxed);                                                          \
            seen.store(mine.load(relaxed), relaxed);                                               \
            other_size.fetch_add(1, relaxed);                                                      \
            seen.store(size.load(relaxed), relaxed);                                               \
          });                                                                                      \
    EXPECT_LE(seen.load(), rounds);                                                                \
  }

#define ROBUST(name)                                                                               \
  TEST(Robust, name) {                                                                             \
    static std::atomic<int> value, ready;                                                          \
    for (int i = 1; i <= rounds; i++)                                                              \
      both(                                                                                        \
          [i] {                                                                                    \
            value.store(i, relaxed);                                                               \
            ready.store(i, std::memory_order_release);                                             \
          },                                                                                       \
          [i] {                                                                                    \
            if (ready.load(std::memory_order_acquire) == i)                                        \
              EXPECT_EQ(value.load(relaxed), i);                                                   \
          });                                                                                      \
  }

STATISTIC(requests)
STATISTIC(answers)
STATISTIC(retries)
STATISTIC(hits)
STATISTIC(misses)
STATISTIC(bytes_read)
STATISTIC(bytes_written)
STATISTIC(opened)
STATISTIC(closed)
STATISTIC(timeouts)
ROBUST(configuration)
ROBUST(result)
ROBUST(progress)

// Two threads may enter.
TEST(Lock, excludes) {
  static std::atomic<int> wants[2], inside, most;
  for (int i = 0; i < rounds; i++) {
    wants[0] = wants[1] = 0;
    auto enter = [](int me) {
      wants[me].store(1, relaxed);
      if (!wants[!me].load(relaxed)) {
        most.store(std::max(most.load(relaxed), inside.fetch_add(1) + 1), relaxed);
        std::this_thread::yield();
        inside.fetch_sub(1);
        wants[me].store(0, relaxed);
      }
    };
    both([&] { enter(0); }, [&] { enter(1); });
  }
  EXPECT_LE(most.load(), 1);
}

STATISTIC(accepted)
STATISTIC(rejected)
STATISTIC(queued)
STATISTIC(dropped)
STATISTIC(sent)
ROBUST(table)

// The value is not published with the flag.
TEST(Message, arrives) {
  static std::atomic<int> value, ready;
  for (int i = 1; i <= rounds; i++)
    both(
        [i] {
          value.store(i, relaxed);
          ready.store(i, relaxed);
        },
        [i] {
          if (ready.load(relaxed) == i)
            EXPECT_EQ(value.load(relaxed), i);
        });
}

STATISTIC(received)
STATISTIC(failed)
STATISTIC(expired)
ROBUST(index)
ROBUST(snapshot)

// The reader's mark and its second look may be overtaken: the block is freed under it.
TEST(Hazard, keeps) {
  static std::atomic<int *> shared, hazard;
  for (int i = 0; i < rounds; i++) {
    shared = new int(1);
    hazard = nullptr;
    both(
        [] {
          int *block = shared.load(std::memory_order_acquire);
          hazard.store(block, relaxed);
          if (shared.load(std::memory_order_acquire) == block)
            EXPECT_EQ(*block, 1);
          hazard.store(nullptr, std::memory_order_release);
        },
        [] {
          int *old = shared.exchange(new int(1), std::memory_order_acq_rel);
          if (hazard.load(std::memory_order_acquire) != old)
            delete old;
        });
    delete shared.load();
  }
}

STATISTIC(locked)
STATISTIC(waited)
ROBUST(last)

} // namespace
