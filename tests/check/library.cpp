// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// library NAME: two threads with a violation that does no harm, which then synchronise by the
// standard library. In the barrier, the library has violations of its own, which are not shown.
#include <barrier>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <semaphore>
#include <shared_mutex>
#include <thread>

static std::atomic<int> x, y;
static int plain;

static void check(bool holds) {
  if (!holds)
    std::abort();
}

template <class First, class Second> static void run_both(First first, Second second) {
  std::thread one([&] {
    x.store(1, std::memory_order_relaxed);
    (void)y.load(std::memory_order_relaxed);
    first();
  });
  std::thread other([&] {
    y.store(1, std::memory_order_relaxed);
    (void)x.load(std::memory_order_relaxed);
    second();
  });
  one.join();
  other.join();
}

static void wait_on_condition() {
  std::mutex mutex;
  std::condition_variable told;
  run_both(
      [&] {
        const std::lock_guard lock(mutex);
        plain = 1;
        told.notify_one();
      },
      [&] {
        std::unique_lock lock(mutex);
        told.wait(lock, [] { return plain; });
      });
}

static void wait_for_semaphore() {
  std::counting_semaphore<2> semaphore(0);
  run_both([&] { plain = 1, semaphore.release(); },
           [&] { semaphore.acquire(), check(plain == 1); });
}

static void share() {
  std::shared_mutex mutex;
  run_both(
      [&] {
        const std::unique_lock lock(mutex);
        plain = 1;
      },
      [&] {
        const std::shared_lock lock(mutex);
        check(plain == 0 || plain == 1);
      });
}

static void meet() {
  std::barrier<> barrier(2);
  run_both([&] { plain = 1, barrier.arrive_and_wait(); },
           [&] { barrier.arrive_and_wait(), check(plain == 1); });
}

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    void (*run)();
  } tests[] = {{"condition", wait_on_condition},
               {"semaphore", wait_for_semaphore},
               {"shared", share},
               {"barrier", meet}};
  for (const auto &test : tests)
    if (argc > 1 && !std::strcmp(argv[1], test.name))
      return test.run(), 0;
  return 3;
}
