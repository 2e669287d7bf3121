// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// xenium: the Chase-Lev deque. One thread pushes and pops at its end, the others steal at the
// other.

#include "xenium.hpp"

#include <xenium/chase_work_stealing_deque.hpp>

constexpr unsigned THIEVES = 2, ALL = 4000;

// The owner pushes everything, and pops one for three pushed; what is left in the end, too.
template <class Deque> void own(Deque &deque, std::vector<stress::object> &objects) {
  for (unsigned i = 0; i < objects.size(); i++) {
    stress::object *one = &objects[i];
    one->number = i;
    while (!deque.try_push(one))
      sched_yield();
    if (i % 3 == 2 && deque.try_pop(one))
      one->taken++;
  }
  for (stress::object *one; deque.try_pop(one);)
    one->taken++;
}

int main() {
  xenium::chase_work_stealing_deque<stress::object, xenium::policy::capacity<4096>> deque;
  static_assert(ALL <= 4096, "never full");
  std::vector<stress::object> objects(ALL);
  stress::gate start(THIEVES + 1);
  std::vector<std::thread> threads;
  threads.emplace_back([&] {
    start.pass();
    own(deque, objects);
  });
  for (unsigned t = 0; t < THIEVES; t++)
    threads.emplace_back([&] {
      start.pass();
      for (unsigned tries = 0; tries < ALL; tries++) {
        stress::object *one;
        if (deque.try_steal(one))
          one->taken++;
        else
          sched_yield();
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  bool right = true;
  for (const stress::object &one : objects)
    right = right && one.taken == 1;
  return stress::verdict(right);
}
