// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ways by which all places wait for each other after each phase of a round. In the twin each place
// waits for itself only.

#ifndef RSAN_TEST_ROBUST_MEETS_H
#define RSAN_TEST_ROBUST_MEETS_H

#include "rounds.h"

#include <barrier>
#include <condition_variable>
#include <latch>
#include <memory>
#include <mutex>

template <typename Way> struct meeting {
  Way way;
  explicit meeting(const work &of) : way(of) {}
  void run(const part &part) {
    for (int phase = 0; phase < PHASES; phase++) {
      part.act(phase);
      way.meet(part, phase);
      if (apart)
        unseen_meet(part.of.threads);
    }
  }
};

// An object for all, or one for each place.
template <typename Object> struct objects_for_all : objects<Object> {
  explicit objects_for_all(const work &of) : objects<Object>(of.threads) {}
  Object &at(const part &part) { return apart ? this->own(part, 1) : *this->all[0]; }
};

struct barrier : objects_for_all<std::barrier<>> {
  using objects_for_all::objects_for_all;
  void meet(const part &part, int) { at(part).arrive_and_wait(); }
};

struct barrier_in_two : objects_for_all<std::barrier<>> {
  using objects_for_all::objects_for_all;
  void meet(const part &part, int) {
    auto token = at(part).arrive();
    at(part).wait(std::move(token));
  }
};

struct latches {
  std::vector<objects_for_all<std::latch>> all;
  explicit latches(const work &of) {
    for (int phase = 0; phase < PHASES; phase++)
      all.emplace_back(of);
  }
  void meet(const part &part, int phase) { all[phase].at(part).arrive_and_wait(); }
};

struct posix_barrier_object {
  pthread_barrier_t barrier;
  explicit posix_barrier_object(int count) { pthread_barrier_init(&barrier, nullptr, count); }
  ~posix_barrier_object() { pthread_barrier_destroy(&barrier); }
};

struct posix_barrier : objects_for_all<posix_barrier_object> {
  using objects_for_all::objects_for_all;
  void meet(const part &part, int) { pthread_barrier_wait(&at(part).barrier); }
};

struct condition_object {
  std::mutex mutex;
  std::condition_variable complete;
  int count, arrived = 0;
  explicit condition_object(int count) : count(count) {}
  void meet() {
    std::unique_lock lock(mutex);
    int end = (arrived++ / count + 1) * count;
    if (arrived == end)
      complete.notify_all();
    else
      complete.wait(lock, [this, end] { return arrived >= end; });
  }
};

struct condition_barrier : objects_for_all<condition_object> {
  using objects_for_all::objects_for_all;
  void meet(const part &part, int) { at(part).meet(); }
};

// Release and acquire by the same counter.
struct counter_object {
  std::atomic<int> arrived{0};
  int count;
  explicit counter_object(int count) : count(count) {}
  void meet() {
    int end = (arrived.fetch_add(1, std::memory_order_acq_rel) / count + 1) * count;
    while (arrived.load(std::memory_order_acquire) < end)
      std::this_thread::yield();
  }
};

struct counter : objects_for_all<counter_object> {
  using objects_for_all::objects_for_all;
  void meet(const part &part, int) { at(part).meet(); }
};

#endif
