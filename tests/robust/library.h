// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Slots (see slots.h) made of the standard library's semaphores, conditions and stop tokens, and of
// what POSIX has.

#ifndef RSAN_TEST_ROBUST_LIBRARY_H
#define RSAN_TEST_ROBUST_LIBRARY_H

#include "slots.h"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <latch>
#include <mutex>
#include <semaphore.h>
#include <semaphore>
#include <shared_mutex>
#include <stop_token>

struct binary_semaphore {
  static constexpr twin as_twin = serves_itself;
  std::binary_semaphore semaphore{0};
  void give() { semaphore.release(); }
  void take() { semaphore.acquire(); }
};

struct timed_semaphore {
  static constexpr twin as_twin = serves_itself;
  std::counting_semaphore<5> semaphore{0};
  void give() { semaphore.release(3); }
  void take() {
    for (int times = 0; times < 3; times++)
      while (!semaphore.try_acquire_for(std::chrono::milliseconds(5)))
        ;
  }
};

struct posix_semaphore {
  static constexpr twin as_twin = serves_itself;
  sem_t semaphore;
  posix_semaphore() { sem_init(&semaphore, 0, 0); }
  ~posix_semaphore() { sem_destroy(&semaphore); }
  void give() { sem_post(&semaphore); }
  void take() {
    while (sem_wait(&semaphore) != 0)
      ;
  }
};

struct latch {
  static constexpr twin as_twin = serves_itself;
  std::latch count{2};
  void give() { count.count_down(2); }
  void take() { count.wait(); }
};

struct latch_tried {
  static constexpr twin as_twin = serves_itself;
  std::latch count{1};
  void give() { count.count_down(); }
  void take() {
    while (!count.try_wait())
      std::this_thread::yield();
  }
};

struct queue {
  static constexpr twin as_twin = serves_itself;
  std::mutex mutex;
  std::condition_variable filled;
  std::deque<int> items;
  void give() {
    {
      std::lock_guard guard(mutex);
      items.push_back(7);
    }
    filled.notify_one();
  }
  void take() {
    std::unique_lock lock(mutex);
    filled.wait(lock, [this] { return !items.empty(); });
    if (items.front() != 7)
      wrong("item");
    items.pop_front();
  }
};

template <typename Mutex> struct condition_any {
  static constexpr twin as_twin = serves_itself;
  Mutex mutex;
  std::condition_variable_any changed;
  bool given = false;
  void give() {
    std::lock_guard guard(mutex);
    given = true;
    changed.notify_all();
  }
  void take() {
    std::unique_lock lock(mutex);
    while (!given)
      changed.wait_for(lock, std::chrono::milliseconds(5));
  }
};

struct condition_shared {
  static constexpr twin as_twin = serves_itself;
  std::shared_mutex mutex;
  std::condition_variable_any changed;
  bool given = false;
  void give() {
    {
      std::lock_guard guard(mutex);
      given = true;
    }
    changed.notify_all();
  }
  void take() {
    std::shared_lock lock(mutex);
    changed.wait(lock, [this] { return given; });
  }
};

struct stop_requested {
  static constexpr twin as_twin = without;
  std::stop_source source;
  void give() { source.request_stop(); }
  void take() {
    std::stop_token token = source.get_token();
    while (!token.stop_requested())
      std::this_thread::yield();
  }
};

// The callback is run by who requests the stop, or by who registers it.
struct stop_callback {
  static constexpr twin as_twin = without;
  std::stop_source source;
  void give() { source.request_stop(); }
  void take() {
    std::binary_semaphore called{0};
    std::stop_callback callback(source.get_token(), [&called] { called.release(); });
    called.acquire();
  }
};

struct stop_wait {
  static constexpr twin as_twin = without;
  std::stop_source source;
  std::mutex mutex;
  std::condition_variable_any never;
  void give() { source.request_stop(); }
  void take() {
    std::unique_lock lock(mutex);
    if (never.wait(lock, source.get_token(), [] { return false; }))
      wrong("condition");
  }
};

#endif
