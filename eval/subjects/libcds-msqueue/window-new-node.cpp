// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One thread pushes three elements, two others pop two each: what comes out was pushed, and comes
// out once.

#include "cds.hpp"

#include <cds/container/msqueue.h>

#include "window.hpp"

struct traits : cds::container::msqueue::traits {
  using allocator = window::poisoning_allocator<int>;
};
using queue_type = cds::container::MSQueue<cds::gc::HP, unsigned, traits>;

constexpr unsigned ALL = 3;

static void push_and_pop() {
  queue_type queue;
  std::vector<unsigned> got[3];
  const auto pop = [&](unsigned by) {
    unsigned one;
    if (queue.pop(one))
      got[by].push_back(one);
  };
  window::together<stress::cds_scope>(
      [&] {
        for (unsigned one = 0; one < ALL; one++)
          queue.push(one);
      },
      [&] {
        pop(0);
        pop(0);
      },
      [&] {
        pop(1);
        pop(1);
      });
  while (!queue.empty())
    pop(2);
  unsigned taken[ALL] = {};
  for (const std::vector<unsigned> &of_one : got)
    for (unsigned one : of_one) {
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
    push_and_pop();
}
