// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libcds: Michael and Scott's queue with hazard pointers.

#include "cds.hpp"

#include <cds/container/msqueue.h>

using container_type = cds::container::MSQueue<cds::gc::HP, stress::object *>;

int main() {
  stress::cds_library library;
  cds::gc::HP reclamation;
  stress::cds_scope scope;
  container_type container;
  return stress::pass_through<stress::cds_scope>(
      {}, stress::order::fifo, [&](stress::object *one) { return container.push(one); },
      [&](stress::object *&one) { return container.pop(one); });
}
