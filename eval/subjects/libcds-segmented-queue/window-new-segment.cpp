// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Segments of two elements: two threads push three elements each, and two pop some meanwhile. What
// comes out was pushed, and comes out once; in the end all have come out.

#include "cds.hpp"

#include <cds/container/segmented_queue.h>

#include "window.hpp"

struct traits : cds::container::segmented_queue::traits {
  using allocator = window::poisoning_allocator<int>;
};
using queue_type = cds::container::SegmentedQueue<cds::gc::HP, unsigned, traits>;

constexpr unsigned EACH = 3;

static void push_and_pop() {
  queue_type queue(2);
  std::vector<unsigned> got[3];
  const auto push = [&](unsigned first) {
    for (unsigned one = first; one < first + EACH; one++)
      queue.push(one);
  };
  const auto pop = [&](unsigned by) {
    unsigned one;
    if (!queue.pop(one))
      return false;
    got[by].push_back(one);
    return true;
  };
  const auto pop_some = [&](unsigned by) {
    for (unsigned i = 0; i < EACH; i++)
      pop(by);
  };
  window::together<stress::cds_scope>([&] { push(0); }, [&] { push(EACH); }, [&] { pop_some(0); },
                                      [&] { pop_some(1); });
  while (pop(2))
    ;
  unsigned taken[2 * EACH] = {};
  for (const std::vector<unsigned> &of_one : got)
    for (unsigned one : of_one) {
      assert(one < 2 * EACH);
      taken[one]++;
    }
  for (unsigned count : taken)
    assert(count == 1);
}

int main() {
  stress::cds_library library;
  cds::gc::HP reclamation;
  stress::cds_scope scope;
  for (int round = 0; round < 20; round++)
    push_and_pop();
}
