// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// xenium: Michael and Scott's queue with hazard eras.

#include "xenium.hpp"

#include <xenium/michael_scott_queue.hpp>
#include <xenium/reclamation/hazard_eras.hpp>

using container_type =
    xenium::michael_scott_queue<stress::object *,
                                xenium::policy::reclaimer<xenium::reclamation::hazard_eras<>>>;

int main() {
  return pass_through_queue<container_type>();
}
