// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libcds: a queue of segments, ordered within a segment's size only, with hazard pointers.

#include "cds.hpp"

#include <cds/container/segmented_queue.h>

using container_type = cds::container::SegmentedQueue<cds::gc::HP, stress::object *>;

int main() {
  stress::cds_library library;
  cds::gc::HP reclamation;
  stress::cds_scope scope;
  container_type container{8};
  return stress::pass_through<stress::cds_scope>(
      {}, stress::order::any, [&](stress::object *one) { return container.push(one); },
      [&](stress::object *&one) { return container.pop(one); });
}
