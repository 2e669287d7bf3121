// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// xenium: Michael and Scott's queue with reference counts.

#include "xenium.hpp"

#include <xenium/michael_scott_queue.hpp>
#include <xenium/reclamation/lock_free_ref_count.hpp>

using container_type = xenium::michael_scott_queue<
    stress::object *, xenium::policy::reclaimer<xenium::reclamation::lock_free_ref_count<>>>;

int main() {
  return pass_through_queue<container_type>();
}
