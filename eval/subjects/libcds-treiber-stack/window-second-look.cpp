// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One thread pops while another pops two elements, has what nobody protects freed, and pushes one:
// each element must come out once, and no node may be used when it was freed.

#include "cds.hpp"

#include <cds/container/treiber_stack.h>

#include "window.hpp"

using stack_type = cds::container::TreiberStack<cds::gc::HP, unsigned>;

static void pop_and_free() {
  stack_type stack;
  std::vector<unsigned> got[3];
  const auto pop = [&](unsigned by) {
    unsigned one;
    if (stack.pop(one))
      got[by].push_back(one);
  };
  for (unsigned one = 0; one < 3; one++)
    assert(stack.push(one));
  window::together<stress::cds_scope>([&] { pop(0); },
                                      [&] {
                                        pop(1);
                                        pop(1);
                                        cds::gc::HP::scan();
                                        stack.push(3);
                                      });
  while (!stack.empty())
    pop(2);
  unsigned taken[4] = {};
  for (const std::vector<unsigned> &of_one : got)
    for (unsigned one : of_one) {
      assert(one < 4);
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
    pop_and_free();
}
