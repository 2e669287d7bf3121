// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Robust uses of the standard library's classes that synchronise, one function for each.

#ifndef RSAN_TEST_CLASSES_H
#define RSAN_TEST_CLASSES_H

#include <atomic>
#include <barrier>
#include <future>
#include <latch>
#include <memory>
#include <stop_token>
#include <thread>
#include <vector>

enum { CLASS_THREADS = 3, CLASS_ROUNDS = 40 };

template <typename Body> void in_threads(Body body) {
  std::vector<std::thread> threads;
  for (int id = 0; id < CLASS_THREADS; id++)
    threads.emplace_back(body, id);
  for (auto &thread : threads)
    thread.join();
}

inline void use_barrier() {
  std::atomic<int> sum{0};
  int cells[CLASS_THREADS] = {};
  std::barrier barrier(CLASS_THREADS);
  in_threads([&](int id) {
    for (int round = 0; round < CLASS_ROUNDS; round++) {
      cells[id] = round;
      barrier.arrive_and_wait();
      sum.fetch_add(cells[(id + 1) % CLASS_THREADS], std::memory_order_relaxed);
      barrier.arrive_and_wait();
    }
  });
}

inline void use_latch() {
  for (int round = 0; round < CLASS_ROUNDS; round++) {
    int cells[CLASS_THREADS] = {}, sums[CLASS_THREADS] = {};
    std::latch latch(CLASS_THREADS);
    in_threads([&](int id) {
      cells[id] = round;
      latch.arrive_and_wait();
      sums[id] = cells[(id + 1) % CLASS_THREADS];
    });
  }
}

#ifdef __cpp_lib_atomic_shared_ptr // not in libc++ 19

inline void use_atomic_shared() {
  std::atomic<std::shared_ptr<int>> shared{std::make_shared<int>(0)};
  in_threads([&](int id) {
    for (int round = 0; round < CLASS_ROUNDS; round++) {
      if (id == 0)
        shared.store(std::make_shared<int>(round), std::memory_order_release);
      auto seen = shared.load(std::memory_order_acquire);
      shared.compare_exchange_strong(seen, std::make_shared<int>(*seen + 1));
    }
  });
}

inline void use_atomic_weak() {
  auto owner = std::make_shared<int>(7);
  std::atomic<std::weak_ptr<int>> weak{owner};
  in_threads([&](int id) {
    for (int round = 0; round < CLASS_ROUNDS; round++) {
      if (id == 0)
        weak.store(owner);
      if (auto seen = weak.load().lock())
        (void)*seen;
    }
  });
}

#endif

inline void use_stop_token() {
  for (int round = 0; round < CLASS_ROUNDS; round++) {
    std::atomic<int> called{0};
    std::jthread waiter([](std::stop_token token) {
      while (!token.stop_requested())
        std::this_thread::yield();
    });
    std::jthread listener([&](std::stop_token token) {
      std::stop_callback callback(token, [&] { called.fetch_add(1); });
    });
    std::jthread stopper([&] { waiter.request_stop(), listener.request_stop(); });
  }
}

inline void use_task() {
  for (int round = 0; round < CLASS_ROUNDS; round++) {
    std::packaged_task<int(int)> task([](int x) { return x + 1; });
    std::shared_future<int> future = task.get_future().share();
    std::promise<int> promise;
    auto promised = promise.get_future();
    std::thread runner([&] { task(round), promise.set_value(round); });
    in_threads([future](int) { (void)future.get(); });
    promised.get();
    runner.join();
    std::async(std::launch::async, [] { return 3; }).get();
  }
}

// Often enough for a waiter to have entered before the notifier looks.
inline void use_wait() {
  std::atomic<int> value;
  for (int round = 0; round < 5 * CLASS_ROUNDS; round++) {
    value = 0;
    std::thread waiter([&] { value.wait(0, std::memory_order_acquire); });
    std::thread notifier([&] {
      value.store(1, std::memory_order_release);
      value.notify_one();
    });
    waiter.join();
    notifier.join();
  }
}

#endif
