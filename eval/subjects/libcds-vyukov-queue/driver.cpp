// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libcds: Vyukov's bounded ring.

#include "cds.hpp"

#include <cds/container/vyukov_mpmc_cycle_queue.h>

using container_type = cds::container::VyukovMPMCCycleQueue<stress::object *>;

int main() {
  stress::cds_library library;
  cds::gc::HP reclamation;
  stress::cds_scope scope;
  container_type container{16};
  return stress::pass_through<stress::cds_scope>(
      {}, stress::order::fifo, [&](stress::object *one) { return container.push(one); },
      [&](stress::object *&one) { return container.pop(one); });
}
