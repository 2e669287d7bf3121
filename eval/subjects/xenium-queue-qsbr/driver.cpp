// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// xenium: Michael and Scott's queue with quiescent-state-based reclamation.

#include "xenium.hpp"

#include <xenium/michael_scott_queue.hpp>
#include <xenium/reclamation/quiescent_state_based.hpp>

using container_type = xenium::michael_scott_queue<
    stress::object *, xenium::policy::reclaimer<xenium::reclamation::quiescent_state_based>>;

int main() {
  return pass_through_queue<container_type>();
}
