// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// xenium: Kirsch's k-FIFO queue with hazard pointers.

#include "xenium.hpp"

#include <xenium/kirsch_kfifo_queue.hpp>
#include <xenium/reclamation/hazard_pointer.hpp>

using container_type =
    xenium::kirsch_kfifo_queue<stress::object *,
                               xenium::policy::reclaimer<xenium::reclamation::hazard_pointer<>>>;

int main() {
  container_type container(4);
  return stress::pass_through(
      {}, stress::order::any,
      [&](stress::object *one) {
        container.push(one);
        return true;
      },
      [&](stress::object *&one) { return container.try_pop(one); });
}
