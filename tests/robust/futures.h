// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Slots (see slots.h) made of futures, and ways in which the ends of threads order the acts.

#ifndef RSAN_TEST_ROBUST_FUTURES_H
#define RSAN_TEST_ROBUST_FUTURES_H

#include "slots.h"

#include <condition_variable>
#include <exception>
#include <functional>
#include <future>
#include <mutex>
#include <stdexcept>
#include <string>

struct promise {
  static constexpr twin as_twin = serves_itself;
  std::promise<std::string> given;
  std::future<std::string> future = given.get_future();
  void give() { given.set_value("given"); }
  void take() {
    if (future.get() != "given")
      wrong("future");
  }
};

struct promise_throws {
  static constexpr twin as_twin = serves_itself;
  std::promise<void> given;
  std::future<void> future = given.get_future();
  void give() {
    try {
      throw std::runtime_error("given");
    } catch (...) {
      given.set_exception(std::current_exception());
    }
  }
  void take() {
    try {
      future.get();
      wrong("end of the future");
    } catch (const std::runtime_error &error) {
      if (error.what() != std::string("given"))
        wrong("exception");
    }
  }
};

struct shared_future {
  static constexpr twin as_twin = serves_itself;
  std::promise<int> given;
  std::shared_future<int> future = given.get_future().share();
  void give() { given.set_value(7); }
  void take() {
    std::shared_future<int> own = future;
    while (own.wait_for(std::chrono::milliseconds(5)) != std::future_status::ready)
      ;
    if (own.get() != 7)
      wrong("shared future");
  }
};

struct packaged_task {
  static constexpr twin as_twin = serves_itself;
  std::packaged_task<int(int)> task{[](int by) { return by + 1; }};
  std::future<int> future = task.get_future();
  void give() { task(6); }
  void take() {
    future.wait();
    if (future.get() != 7)
      wrong("task");
  }
};

// Given at the end of the thread that gives.
struct promise_at_exit : promise {
  static constexpr twin as_twin = without;
  void give() { given.set_value_at_thread_exit("given"); }
};

struct task_at_exit : packaged_task {
  static constexpr twin as_twin = without;
  void give() { task.make_ready_at_thread_exit(6); }
};

struct notify_at_exit {
  static constexpr twin as_twin = serves_itself;
  std::mutex mutex;
  std::condition_variable changed;
  bool given = false;
  void give() {
    std::unique_lock lock(mutex);
    given = true;
    std::notify_all_at_thread_exit(changed, std::move(lock));
  }
  void take() {
    std::unique_lock lock(mutex);
    changed.wait(lock, [this] { return given; });
  }
};

// A chain whose acts are in threads of their own, which end when they have given. `Late`: act and
// gift are in the destructor of a thread_local object.
struct at_end {
  std::function<void()> call;
  ~at_end() {
    if (call)
      call();
  }
};

inline void call_at_end(std::function<void()> call) {
  static thread_local at_end object;
  object.call = std::move(call);
}

template <typename Slot, bool Late = false> struct chain_of_ends {
  objects<Slot> slots;
  void finish(const part &part) {
    part.act();
    if (apart)
      unseen_pass_turn(part.place + 1);
    else if (part.place + 1 < part.of.threads)
      slots[part.place].give();
  }
  void begin(const part &part) {
    if (apart)
      unseen_await_turn(part.place);
    if (apart && Slot::as_twin == serves_itself) {
      Slot &own = slots.own(part);
      std::thread([&own] { own.give(); }).join();
      own.take();
    } else if (!apart && part.place > 0) {
      slots[part.place - 1].take();
    }
  }
  void run(const part &part) {
    begin(part);
    std::thread last([&] {
      if (Late)
        call_at_end([&] { finish(part); });
      else
        finish(part);
    });
    last.join();
  }
};

// One place starts a thread for each act, and joins it before it starts the next one.
template <typename Thread, bool Late> struct joined {
  static void start(const part &part) {
    auto act = [part] {
      in_turn turn(part);
      part.act();
    };
    if (Late)
      call_at_end(act);
    else
      act();
  }
  void run(const part &own) {
    if (own.place != 0)
      return;
    std::vector<Thread> threads;
    for (int place = 0; place < own.of.threads; place++) {
      threads.emplace_back(start, part{own.of, place, own.pass});
      if (!apart)
        threads.back().join();
    }
    for (Thread &thread : threads)
      if (thread.joinable())
        thread.join();
  }
};

// A task for each act, which waits for the one before it.
struct asynchronous {
  static void act(const part &part, const std::shared_future<void> &before) {
    in_turn turn(part);
    if (!apart && part.place > 0)
      before.get();
    part.act();
  }
  void run(const part &own) {
    std::vector<std::shared_future<void>> tasks;
    for (int place = 0; own.place == 0 && place < own.of.threads; place++) {
      part one = {own.of, place, own.pass};
      // In the twin without it: who drops it last knows what others have done.
      auto before = tasks.empty() || apart ? std::shared_future<void>() : tasks.back();
      tasks.push_back(std::async(std::launch::async, act, one, before).share());
    }
    for (auto &task : tasks)
      task.get();
  }
};

// The act of the first place is a task that is run by who asks for it first.
struct deferred {
  std::shared_future<void> task;
  static std::shared_future<void> make(void (*act)()) {
    return std::async(std::launch::deferred, [act] { act(); }).share();
  }
  explicit deferred(const work &of) : task(make(of.acts[0][0])) {}
  void run(const part &part) {
    in_turn turn(part);
    auto own = apart && part.place > 0 ? make([] {}) : task;
    own.get();
    if (part.place > 0)
      part.act();
  }
};

#endif
