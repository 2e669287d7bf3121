// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// xenium: Michael and Scott's queue with stamp-it.

#include "xenium.hpp"

#include <xenium/michael_scott_queue.hpp>
#include <xenium/reclamation/stamp_it.hpp>

using container_type =
    xenium::michael_scott_queue<stress::object *,
                                xenium::policy::reclaimer<xenium::reclamation::stamp_it>>;

int main() {
  return pass_through_queue<container_type>();
}
