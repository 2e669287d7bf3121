// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The test of docs/guide/TUTORIAL.md: the owner of a work-stealing deque of libxenium-dev pushes
// two items and pops one, while two thieves steal. Nobody may get what another thread has got.

#include <atomic>
#include <cassert>
#include <cstddef>
#include <thread>

#include <xenium/chase_work_stealing_deque.hpp>

struct item {
  unsigned taken = 0;
};
using deque = xenium::chase_work_stealing_deque<item>;

static void one_pop_two_thieves() {
  deque work;
  item items[2], *got[3] = {};
  std::thread first([&] { (void)work.try_steal(got[0]); });
  std::thread second([&] { (void)work.try_steal(got[1]); });
  for (item &one : items)
    work.try_push(&one);
  (void)work.try_pop(got[2]);
  first.join();
  second.join();
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
