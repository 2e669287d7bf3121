// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What every generated program runs on. A program is a list of rounds, which its threads make
// together, PASSES times over. A round has acts, one for each place, and a way of synchronisation
// that orders them. Threads are joined, or meet at a barrier of POSIX, between the rounds.
//
// `apart` makes the twin: each thread takes part in a synchronisation of its own, and what really
// orders the threads is code that the sanitizer does not see.

#ifndef RSAN_TEST_ROBUST_ROUNDS_H
#define RSAN_TEST_ROBUST_ROUNDS_H

#include "unseen.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <pthread.h>
#include <thread>
#include <vector>

enum { THREADS = 4, PASSES = 3, PHASES = 3, CELLS = 4 };

inline bool apart;

[[noreturn]] inline void wrong(const char *what) {
  std::fprintf(stderr, "robust: wrong %s\n", what);
  std::abort();
}

// Shared objects that are read and written relaxed, and plain ones that have the same values. What
// accesses them is inlined in each act at every level: of reports of the same two places only the
// first one is shown.
struct cell {
  int value, copy;
};
inline cell x[CELLS], y[CELLS];
inline int sums[CELLS];

#define IN_THE_ACT __attribute__((always_inline)) inline

// Plain = false: the copy is accessed by code that the sanitizer does not see.
template <bool Plain> IN_THE_ACT int copy_of(const cell &of) {
  return Plain ? of.copy : unseen_read(&of.copy);
}

template <bool Plain> IN_THE_ACT void set_copy(cell &of, int value) {
  if (Plain)
    of.copy = value;
  else
    unseen_write(&of.copy, value);
}

template <bool Plain = true> IN_THE_ACT void see(cell &of) {
  if (__atomic_load_n(&of.value, __ATOMIC_RELAXED) != copy_of<Plain>(of))
    wrong("value");
}

template <bool Plain = true> IN_THE_ACT void put(cell &of) {
  int value = copy_of<Plain>(of) + 1;
  set_copy<Plain>(of, value);
  __atomic_store_n(&of.value, value, __ATOMIC_RELAXED);
}

template <bool Plain = true> IN_THE_ACT void add(cell &to) {
  int seen = __atomic_fetch_add(&to.value, 2, __ATOMIC_RELAXED);
  if (seen != copy_of<Plain>(to))
    wrong("value to add to");
  set_copy<Plain>(to, seen + 2);
}

template <bool Plain = true> IN_THE_ACT void swap(cell &of) {
  int seen = copy_of<Plain>(of);
  int next = seen + 3;
  if (!__atomic_compare_exchange_n(&of.value, &seen, next, false, __ATOMIC_RELAXED,
                                   __ATOMIC_RELAXED))
    wrong("value to swap");
  set_copy<Plain>(of, next);
}

struct work {
  int threads;
  bool reads[THREADS]; // this place only reads
  void (*acts[PHASES][THREADS])();
};

struct part {
  const work &of;
  int place, pass;
  int object() const { return apart ? place : 0; }
  int sharers() const { return apart ? 1 : of.threads; }
  bool reads() const { return of.reads[place]; }
  void act(int phase = 0) const { of.acts[phase][place](); }
};

// In the twin, the places act one after another.
struct in_turn {
  int place;
  explicit in_turn(const part &part) : place(part.place) {
    if (apart)
      unseen_await_turn(place);
  }
  in_turn(const in_turn &) = delete;
  ~in_turn() {
    if (apart)
      unseen_pass_turn(place + 1);
  }
};

// What a round has of a kind: one object for all places, in the twin one for each place. That is
// made by who uses it: a value that another thread's constructor has left may be taken for one that
// code has written that is not seen, and who acquires that knows everything.
template <typename Object> struct objects {
  std::unique_ptr<Object> all[THREADS];
  template <typename... Args> explicit objects(const Args &...args) {
    if (!apart)
      for (auto &object : all)
        object = std::make_unique<Object>(args...);
  }
  template <typename... Args> Object &own(const part &part, const Args &...args) {
    auto &object = all[part.place];
    if (!object)
      object = std::make_unique<Object>(args...);
    return *object;
  }
  Object &operator[](int place) { return *all[place]; }
};

struct round_of {
  void *(*make)(const work &what);
  void (*run)(void *way, const part &part);
  void (*drop)(void *way);
  work what;
};

template <typename Way> round_of make_round(const work &what) {
  return {[](const work &what) -> void * {
            if constexpr (std::is_constructible_v<Way, const work &>)
              return new Way(what);
            else
              return new Way;
          },
          [](void *way, const part &part) { static_cast<Way *>(way)->run(part); },
          [](void *way) { delete static_cast<Way *>(way); }, what};
}

// Threads that live through all rounds. A thread that leaves a barrier acquires what was released
// there until then, also by a thread that is at it again: hence one barrier before and one after
// each round.
struct staying {
  const std::vector<round_of> &rounds;
  int threads;
  pthread_barrier_t before, after;
  void *way = nullptr;

  void run(int self) {
    for (int pass = 0; pass < PASSES; pass++)
      for (const round_of &round : rounds) {
        if (self == 0) {
          unseen_begin();
          way = round.make(round.what);
        }
        pthread_barrier_wait(&before);
        round.run(way, {round.what, (self + pass) % threads, pass});
        pthread_barrier_wait(&after);
        if (self == 0)
          round.drop(way);
      }
  }
};

inline void run_with_staying(const std::vector<round_of> &rounds, int threads) {
  staying all = {rounds, threads, {}, {}};
  pthread_barrier_init(&all.before, nullptr, threads);
  pthread_barrier_init(&all.after, nullptr, threads);
  std::vector<std::thread> others;
  for (int self = 0; self < threads; self++)
    others.emplace_back(&staying::run, &all, self);
  for (std::thread &other : others)
    other.join();
  pthread_barrier_destroy(&all.before);
  pthread_barrier_destroy(&all.after);
}

// Threads of each round's own.
inline void run_with_fresh(const std::vector<round_of> &rounds, int threads) {
  for (int pass = 0; pass < PASSES; pass++)
    for (const round_of &round : rounds) {
      unseen_begin();
      void *way = round.make(round.what);
      std::vector<std::thread> others;
      for (int self = 0; self < threads; self++)
        others.emplace_back([&round, way, threads, self, pass] {
          round.run(way, {round.what, (self + pass) % threads, pass});
        });
      for (std::thread &other : others)
        other.join();
      round.drop(way);
    }
}

#endif
