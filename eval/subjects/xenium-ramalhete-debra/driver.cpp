// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// xenium: Ramalhete's queue of arrays with DEBRA.

#include "xenium.hpp"

#include <xenium/ramalhete_queue.hpp>
#include <xenium/reclamation/generic_epoch_based.hpp>

using container_type =
    xenium::ramalhete_queue<stress::object *,
                            xenium::policy::reclaimer<xenium::reclamation::debra<>>>;

int main() {
  return pass_through_queue<container_type>();
}
