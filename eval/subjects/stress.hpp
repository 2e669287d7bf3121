// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the drivers of the subjects share: threads that pass plain objects through a container, and
// the check that every object went through once, in order where the container has one.
//
// The objects are plain and are written before they go in and after they come out, so a container
// that orders its ends too weakly shows up as a data race on them. Between start and join nothing
// here synchronises threads; that is the container's affair alone. Each object goes through once,
// so no memory is reused but the container's own.

#ifndef RSAN_EVAL_STRESS_HPP
#define RSAN_EVAL_STRESS_HPP

#include <pthread.h>
#include <sched.h>

#include <cstdio>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

namespace stress {

struct object {
  unsigned producer = 0;
  unsigned number = 0; // among the producer's
  unsigned taken = 0;  // by how many consumers
};

// For containers that want to know their threads: constructed first and destroyed last in each.
struct no_scope {};

struct load {
  unsigned producers = 3;
  unsigned consumers = 3;
  unsigned each = 4000; // objects of a producer
};

inline int verdict(bool right) {
  std::puts(right ? "right" : "wrong");
  return right ? 0 : 1;
}

class gate {
public:
  explicit gate(unsigned threads) { pthread_barrier_init(&barrier_, nullptr, threads); }
  ~gate() { pthread_barrier_destroy(&barrier_); }
  void pass() { pthread_barrier_wait(&barrier_); }

private:
  pthread_barrier_t barrier_;
};

template <class Push> void produce(std::vector<object> &mine, unsigned producer, Push push) {
  for (unsigned i = 0; i < mine.size(); i++) {
    mine[i].producer = producer;
    mine[i].number = i;
    while (!push(&mine[i]))
      sched_yield();
  }
}

// Takes `share` objects. Returns whether each producer's came in order.
template <class Pop> bool consume(unsigned producers, unsigned share, Pop pop) {
  std::vector<unsigned> next(producers, 0);
  bool ordered = true;
  for (unsigned got = 0; got < share;) {
    object *one = nullptr;
    if (!pop(one)) {
      sched_yield();
      continue;
    }
    got++;
    one->taken++;
    ordered = ordered && one->number >= next[one->producer];
    next[one->producer] = one->number + 1;
  }
  return ordered;
}

enum class order { fifo, any };

// push(object *) and pop(object *&) return whether they succeeded; they are called by many threads
// at once. A consumer takes its share and stops, so that none waits for ever.
template <class Scope = no_scope, class Push, class Pop>
int pass_through(load how, order which, Push push, Pop pop) {
  std::vector<std::vector<object>> objects(how.producers, std::vector<object>(how.each));
  std::unique_ptr<bool[]> ordered(new bool[how.consumers]());
  gate start(how.producers + how.consumers);
  std::vector<std::thread> threads;
  for (unsigned p = 0; p < how.producers; p++)
    threads.emplace_back([&, p] {
      Scope scope;
      start.pass();
      produce(objects[p], p, push);
    });
  for (unsigned c = 0; c < how.consumers; c++)
    threads.emplace_back([&, c] {
      Scope scope;
      start.pass();
      ordered[c] = consume(how.producers, how.producers * how.each / how.consumers, pop);
    });
  for (std::thread &thread : threads)
    thread.join();
  bool right = true;
  for (const std::vector<object> &of_one : objects)
    for (const object &one : of_one)
      right = right && one.taken == 1;
  for (unsigned c = 0; which == order::fifo && c < how.consumers; c++)
    right = right && ordered[c];
  return verdict(right);
}

struct map_load {
  unsigned threads = 4;
  unsigned keys = 64;
  unsigned each = 4000; // operations of a thread
};

// insert(key, object *), erase(key) return whether they changed the map; find(key, function of
// object *) calls it while the object is safe. At the end each key must have been inserted as often
// as erased, or once more if it is there.
template <class Scope = no_scope, class Insert, class Erase, class Find>
int exercise_map(map_load how, Insert insert, Erase erase, Find find) {
  std::vector<std::vector<object>> objects(how.threads, std::vector<object>(how.each));
  std::vector<std::vector<int>> balance(how.threads, std::vector<int>(how.keys, 0));
  std::unique_ptr<bool[]> sound(new bool[how.threads]());
  gate start(how.threads);
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < how.threads; t++)
    threads.emplace_back([&, t] {
      Scope scope;
      bool right = true;
      unsigned random = t + 1;
      start.pass();
      for (unsigned i = 0; i < how.each; i++) {
        random = random * 1103515245u + 12345u;
        const unsigned key = (random >> 16) % how.keys;
        object *one = &objects[t][i];
        one->producer = t;
        one->number = key;
        if (i % 3 == 0)
          balance[t][key] += insert(key, one) ? 1 : 0;
        else if (i % 3 == 1)
          balance[t][key] -= erase(key) ? 1 : 0;
        else
          find(key, [&](object *found) { right = right && found->number == key; });
      }
      sound[t] = right;
    });
  for (std::thread &thread : threads)
    thread.join();
  Scope scope;
  bool right = true;
  for (unsigned key = 0; key < how.keys; key++) {
    int left = 0, there = 0;
    for (unsigned t = 0; t < how.threads; t++)
      left += balance[t][key];
    find(key, [&](object *found) { there = found->number == key ? 1 : 2; });
    right = right && left == there;
  }
  for (unsigned t = 0; t < how.threads; t++)
    right = right && sound[t];
  return verdict(right);
}

} // namespace stress

#endif
