// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Segments of four elements: three threads push three elements each, so that they need new
// segments. What was pushed must be there afterwards, once.

#include "cds.hpp"

#include <cds/container/segmented_queue.h>

#include "window.hpp"

struct traits : cds::container::segmented_queue::traits {
  using allocator = window::poisoning_allocator<int>;
};
using queue_type = cds::container::SegmentedQueue<cds::gc::HP, unsigned, traits>;

constexpr unsigned PUSHERS = 3, EACH = 3, ALL = PUSHERS * EACH;

static void push_all() {
  queue_type queue(4);
  const auto push = [&](unsigned first) {
    for (unsigned one = first; one < first + EACH; one++)
      queue.push(one);
  };
  window::together<stress::cds_scope>([&] { push(0); }, [&] { push(EACH); },
                                      [&] { push(2 * EACH); });
  unsigned taken[ALL] = {};
  for (unsigned one; queue.pop(one);) {
    assert(one < ALL);
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
    push_all();
}
