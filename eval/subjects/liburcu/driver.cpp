// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// liburcu: readers look at the object that a pointer names, writers put another in its place, wait
// for a grace period and spoil the old one. The object is plain: a grace period that ends too early
// shows up as a data race on it, or as a spoilt object in a reader's hands.

#include <urcu/urcu-mb.h>

#include <atomic>

#include "stress.hpp"

namespace {

enum { READERS = 3, WRITERS = 2, READS = 4000, WRITES = 150 };

struct object {
  unsigned one = 1, other = 1; // the same while a reader may see them
};

object *current;

bool read_once() {
  urcu_mb_read_lock();
  const object *seen = rcu_dereference(current);
  const bool right = seen->one == seen->other && seen->one != 0;
  urcu_mb_read_unlock();
  return right;
}

void write_once(std::vector<object> &mine, unsigned i) {
  mine[i].one = mine[i].other = i + 1;
  object *old = rcu_xchg_pointer(&current, &mine[i]);
  urcu_mb_synchronize_rcu();
  old->one = 0;
}

} // namespace

int main() {
  object first;
  std::vector<std::vector<object>> objects(WRITERS, std::vector<object>(WRITES));
  stress::gate start(READERS + WRITERS);
  bool right[READERS];
  std::vector<std::thread> threads;
  current = &first;
  for (unsigned r = 0; r < READERS; r++)
    threads.emplace_back([&, r] {
      urcu_mb_register_thread();
      right[r] = true;
      start.pass();
      for (unsigned i = 0; i < READS; i++)
        right[r] = read_once() && right[r];
      urcu_mb_unregister_thread();
    });
  for (unsigned w = 0; w < WRITERS; w++)
    threads.emplace_back([&, w] {
      start.pass();
      for (unsigned i = 0; i < WRITES; i++)
        write_once(objects[w], i);
    });
  for (std::thread &thread : threads)
    thread.join();
  bool all = current->one != 0;
  for (bool one : right)
    all = all && one;
  return stress::verdict(all);
}
