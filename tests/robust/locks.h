// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ways that let one act after another, in any order. In the twin each place has a lock of its own.

#ifndef RSAN_TEST_ROBUST_LOCKS_H
#define RSAN_TEST_ROBUST_LOCKS_H

#include "rounds.h"

#include <chrono>
#include <mutex>
#include <semaphore>
#include <shared_mutex>
#include <utility>

struct mutex {
  std::mutex locks[THREADS];
  void run(const part &part) {
    in_turn turn(part);
    std::lock_guard guard(locks[part.object()]);
    part.act();
  }
};

struct mutex_tried {
  std::mutex locks[THREADS];
  void run(const part &part) {
    in_turn turn(part);
    while (!locks[part.object()].try_lock())
      std::this_thread::yield();
    part.act();
    locks[part.object()].unlock();
  }
};

template <typename Lock> struct recursive {
  Lock locks[THREADS];
  void run(const part &part) {
    in_turn turn(part);
    std::unique_lock outer(locks[part.object()]);
    {
      std::lock_guard inner(locks[part.object()]);
      part.act();
    }
    outer.unlock();
  }
};

template <typename Lock> struct timed {
  Lock locks[THREADS];
  void run(const part &part) {
    in_turn turn(part);
    std::unique_lock lock(locks[part.object()], std::defer_lock);
    while (!lock.try_lock_for(std::chrono::milliseconds(5)))
      ;
    part.act();
  }
};

template <typename Lock> struct shared {
  Lock locks[THREADS];
  void run(const part &part) {
    in_turn turn(part);
    if (part.reads()) {
      std::shared_lock lock(locks[part.object()]);
      part.act();
    } else {
      std::unique_lock lock(locks[part.object()]);
      part.act();
    }
  }
};

struct two_mutexes {
  std::mutex first[THREADS], second[THREADS];
  void run(const part &part) {
    in_turn turn(part);
    std::mutex &one = first[part.object()], &other = second[part.object()];
    std::scoped_lock guard(part.place % 2 ? one : other, part.place % 2 ? other : one);
    part.act();
  }
};

// The guard's destructor runs because of an exception.
struct thrown_through {
  std::mutex locks[THREADS];
  void locked(const part &part) {
    std::lock_guard guard(locks[part.object()]);
    part.act();
    throw part.place;
  }
  void run(const part &part) {
    in_turn turn(part);
    try {
      locked(part);
    } catch (int place) {
      if (place != part.place)
        wrong("exception");
    }
  }
};

// Every call but the last one throws, so the function runs again in the next one.
struct once {
  std::once_flag flags[THREADS];
  int calls[THREADS] = {};
  void run(const part &part) {
    in_turn turn(part);
    int object = part.object();
    try {
      std::call_once(flags[object], [&] {
        part.act();
        if (++calls[object] < part.sharers())
          throw 1;
      });
    } catch (int) {
    }
  }
};

// Initialises a function's static variable. There is one for each round, pass and object.
template <int Round> struct static_variable {
  int calls[THREADS] = {};

  int attempt(const part &part) {
    part.act();
    if (++calls[part.object()] < part.sharers())
      throw 1;
    return 7;
  }

  template <int Which> static void initialise(static_variable *self, const part &part) {
    static int initialised = self->attempt(part);
    if (initialised != 7)
      wrong("static variable");
  }

  template <int... Which>
  void select(int which, const part &part, std::integer_sequence<int, Which...>) {
    static constexpr void (*all[])(static_variable *, const struct part &) = {initialise<Which>...};
    all[which](this, part);
  }

  void run(const part &part) {
    in_turn turn(part);
    try {
      select(part.pass * THREADS + part.object(), part,
             std::make_integer_sequence<int, PASSES * THREADS>());
    } catch (int) {
    }
  }
};

// Not by acquire(): where others take the semaphore as well, libstdc++ 12 may sleep on while it is
// free. It looks whether the count is still what it was before it tried in vain; which is 1 again,
// if another thread has taken the semaphore and has given it back.
struct semaphore {
  struct one {
    std::counting_semaphore<3> count{1};
  };
  objects<one> locks;
  void run(const part &part) {
    in_turn turn(part);
    auto &count = apart ? locks.own(part).count : locks[0].count;
    if (part.place % 2)
      while (!count.try_acquire())
        std::this_thread::yield();
    else
      while (!count.try_acquire_for(std::chrono::milliseconds(5)))
        ;
    part.act();
    count.release();
  }
};

struct spin_flag {
  std::atomic_flag flags[THREADS];
  void run(const part &part) {
    in_turn turn(part);
    while (flags[part.object()].test_and_set(std::memory_order_acquire))
      std::this_thread::yield();
    part.act();
    flags[part.object()].clear(std::memory_order_release);
  }
};

struct spin_exchange {
  std::atomic<int> words[THREADS] = {};
  void run(const part &part) {
    in_turn turn(part);
    auto &word = words[part.object()];
    for (int free = 0;
         !word.compare_exchange_weak(free, 1, std::memory_order_acquire, std::memory_order_relaxed);
         free = 0)
      std::this_thread::yield();
    part.act();
    word.store(0, std::memory_order_release);
  }
};

struct tickets {
  std::atomic<int> next[THREADS] = {}, served[THREADS] = {};
  void run(const part &part) {
    in_turn turn(part);
    int object = part.object();
    int ticket = next[object].fetch_add(1, std::memory_order_relaxed);
    while (served[object].load(std::memory_order_acquire) != ticket)
      std::this_thread::yield();
    part.act();
    served[object].store(ticket + 1, std::memory_order_release);
  }
};

// The fence is needed: libstdc++'s wait leaves by a decrement of its count of waiters that is no
// more than a release, and notify_one has read that count. Without the fence the next exchange may
// miss the store of an unlock whose notify_one came before the decrement, and the lock, robust by
// its own words, is reported in one of a hundred runs, rightly.
struct waiting_lock {
  std::atomic<int> words[THREADS] = {};
  void run(const part &part) {
    in_turn turn(part);
    auto &word = words[part.object()];
    while (word.exchange(1) != 0) {
      word.wait(1);
      std::atomic_thread_fence(std::memory_order_seq_cst);
    }
    part.act();
    word.store(0);
    word.notify_one();
  }
};

// Taken here, released by code that is not instrumented. A thread that takes it knows everything,
// so the twin has no lock.
struct unseen_unlock {
  int word = 0;
  void run(const part &part) {
    in_turn turn(part);
    if (apart)
      return part.act();
    std::atomic_ref lock(word);
    for (int free = 0; !lock.compare_exchange_strong(free, 1, std::memory_order_acquire,
                                                     std::memory_order_relaxed);
         free = 0)
      std::this_thread::yield();
    part.act();
    unseen_release(&word, 0);
  }
};

#endif
