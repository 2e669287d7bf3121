// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// xenium: Vyukov's bounded queue.

#include "xenium.hpp"

#include <xenium/vyukov_bounded_queue.hpp>

using container_type = xenium::vyukov_bounded_queue<stress::object *>;

int main() {
  container_type container(16);
  return stress::pass_through(
      {}, stress::order::fifo, [&](stress::object *one) { return container.try_push(one); },
      [&](stress::object *&one) { return container.try_pop(one); });
}
