// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libcds: Treiber's stack with hazard pointers.

#include "cds.hpp"

#include <cds/container/treiber_stack.h>

using container_type = cds::container::TreiberStack<cds::gc::HP, stress::object *>;

int main() {
  stress::cds_library library;
  cds::gc::HP reclamation;
  stress::cds_scope scope;
  container_type container;
  return stress::pass_through<stress::cds_scope>(
      {}, stress::order::any, [&](stress::object *one) { return container.push(one); },
      [&](stress::object *&one) { return container.pop(one); });
}
