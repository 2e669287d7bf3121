// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ways by which one place hands over to others: slots that are given once, and taken.

#ifndef RSAN_TEST_ROBUST_SLOTS_H
#define RSAN_TEST_ROBUST_SLOTS_H

#include "rounds.h"

#include <memory>

// What a slot is in the twin. Each place gives the slot itself that it takes; or slots are handed
// over as usual by weaker orders, as they look at `apart`; or there are none, because who takes
// from any slot of that kind knows what was done before: their values are written by code that is
// not seen, or may have been (compiler-rt-patch/src/atomics/rsan_unseen.cpp).
enum twin { serves_itself, weaker, without };

// The slot of a number is given by the place of that number.
template <typename Slot> struct hand_over {
  static constexpr bool in_turns = Slot::as_twin != weaker;
  hand_over() {
    if (!in_turns)
      for (auto &slot : slots.all)
        slot = std::make_unique<Slot>();
  }
  objects<Slot> slots;
  void begin(const part &part, int from) {
    if (apart && in_turns) {
      unseen_await_turn(part.place);
      if (part.place > 0 && Slot::as_twin == serves_itself) {
        slots.own(part).give();
        slots.own(part).take();
      }
    } else if (part.place > 0) {
      slots[from].take();
    }
  }
  void end(const part &part, bool gives) {
    if (apart && in_turns)
      unseen_pass_turn(part.place + 1);
    else if (gives)
      slots[part.place].give();
  }
};

// Each place hands over to the next one.
template <typename Slot> struct chain : hand_over<Slot> {
  void run(const part &part) {
    this->begin(part, part.place - 1);
    part.act();
    this->end(part, part.place + 1 < part.of.threads);
  }
};

// The first place hands over to all others.
template <typename Slot> struct publication : hand_over<Slot> {
  void run(const part &part) {
    this->begin(part, 0);
    part.act();
    this->end(part, part.place == 0);
  }
};

struct release_acquire {
  static constexpr twin as_twin = weaker;
  std::atomic<bool> flag{false};
  void give() {
    if (apart)
      flag.store(true, std::memory_order_relaxed);
    else
      flag.store(true, std::memory_order_release);
  }
  void take() {
    while (!flag.load(std::memory_order_acquire))
      std::this_thread::yield();
  }
};

struct acquire_relaxed : release_acquire {
  void give() { flag.store(true, std::memory_order_release); }
  void take() {
    if (apart)
      while (!flag.load(std::memory_order_relaxed))
        ;
    else
      while (!flag.load(std::memory_order_acquire))
        ;
  }
};

// A release sequence: read-modify-writes, relaxed, come after the store.
struct release_sequence {
  static constexpr twin as_twin = weaker;
  std::atomic<int> flag{0};
  void give() {
    if (apart)
      flag.store(1, std::memory_order_relaxed);
    else
      flag.store(1, std::memory_order_release);
    flag.fetch_add(1, std::memory_order_relaxed);
  }
  void take() {
    while (flag.load(std::memory_order_acquire) < 2)
      std::this_thread::yield();
  }
};

struct exchanges {
  static constexpr twin as_twin = weaker;
  std::atomic<long> flag{0};
  void give() {
    if (apart)
      flag.exchange(1, std::memory_order_relaxed);
    else
      flag.exchange(1, std::memory_order_acq_rel);
  }
  void take() {
    for (long given = 1; !flag.compare_exchange_weak(given, 1, std::memory_order_acquire,
                                                     std::memory_order_relaxed);
         given = 1)
      std::this_thread::yield();
  }
};

struct fences {
  static constexpr twin as_twin = weaker;
  std::atomic<int> flag{0};
  void give() {
    if (!apart)
      std::atomic_thread_fence(std::memory_order_release);
    flag.store(1, std::memory_order_relaxed);
  }
  void take() {
    while (!flag.load(std::memory_order_relaxed))
      std::this_thread::yield();
    std::atomic_thread_fence(std::memory_order_acquire);
  }
};

struct sc_fences : fences {
  void give() {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    flag.store(1, std::memory_order_relaxed);
  }
  void take() {
    while (!flag.load(std::memory_order_relaxed))
      std::this_thread::yield();
    if (!apart)
      std::atomic_thread_fence(std::memory_order_seq_cst);
  }
};

struct atomic_wait {
  static constexpr twin as_twin = serves_itself;
  std::atomic<int> flag{0};
  void give() {
    flag.store(1);
    flag.notify_all();
  }
  void take() { flag.wait(0); }
};

// Its size is one that the library waits for by a proxy.
struct atomic_wait_proxy {
  static constexpr twin as_twin = serves_itself;
  std::atomic<long> flag{0};
  void give() {
    flag.store(1);
    flag.notify_all();
  }
  void take() { flag.wait(0); }
};

struct atomic_flag_wait {
  static constexpr twin as_twin = serves_itself;
  std::atomic_flag flag;
  void give() {
    flag.test_and_set();
    flag.notify_all();
  }
  void take() { flag.wait(false); }
};

struct atomic_shared_ptr {
  static constexpr twin as_twin = without;
  std::atomic<std::shared_ptr<int>> pointer;
  void give() { pointer.store(std::make_shared<int>(7)); }
  void take() {
    std::shared_ptr<int> seen;
    while (!(seen = pointer.load()))
      std::this_thread::yield();
    if (*seen != 7)
      wrong("shared pointer");
  }
};

struct atomic_weak_ptr {
  static constexpr twin as_twin = without;
  std::shared_ptr<int> owner = std::make_shared<int>(7);
  std::atomic<std::weak_ptr<int>> pointer;
  void give() { pointer.store(owner, std::memory_order_release); }
  void take() {
    std::shared_ptr<int> seen;
    while (!(seen = pointer.load(std::memory_order_acquire).lock()))
      std::this_thread::yield();
    if (*seen != 7)
      wrong("weak pointer");
  }
};

// Given by code that is not instrumented. A thread that takes it knows everything, so in the twin
// it is read relaxed.
struct unseen_flag {
  static constexpr twin as_twin = weaker;
  std::atomic<int> flag{1};
  void give() { unseen_release(reinterpret_cast<int *>(&flag), 5); }
  void take() {
    if (apart)
      while (flag.load(std::memory_order_relaxed) != 5)
        ;
    else
      while (flag.load(std::memory_order_acquire) != 5)
        ;
  }
};

struct unseen_flag_fence : unseen_flag {
  void take() {
    while (flag.load(std::memory_order_relaxed) != 5)
      std::this_thread::yield();
    if (!apart)
      std::atomic_thread_fence(std::memory_order_acquire);
  }
};

#endif
