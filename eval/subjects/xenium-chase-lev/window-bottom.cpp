// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two items are pushed, the owner pops one and two thieves try to steal one each: nobody may get
// what another has got.

#include "xenium.hpp"

#include <xenium/chase_work_stealing_deque.hpp>

#include "window.hpp"

struct item {
  unsigned taken = 0;
};

static void one_pop_two_thieves() {
  xenium::chase_work_stealing_deque<item> deque;
  item items[2], *got[3] = {};
  window::together(
      [&] {
        for (item &one : items)
          assert(deque.try_push(&one));
        if (!deque.try_pop(got[0]))
          got[0] = nullptr;
      },
      [&] {
        if (!deque.try_steal(got[1]))
          got[1] = nullptr;
      },
      [&] {
        if (!deque.try_steal(got[2]))
          got[2] = nullptr;
      });
  for (item *one : got)
    if (one)
      one->taken++;
  for (const item &one : items)
    assert(one.taken <= 1);
}

int main() {
  for (int round = 0; round < 20; round++)
    one_pop_two_thieves();
}
