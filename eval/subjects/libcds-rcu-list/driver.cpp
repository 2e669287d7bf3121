// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libcds: Michael's ordered list with userspace RCU, the buffered kind.

#include "cds.hpp"

#include <cds/urcu/general_buffered.h>

#include <cds/container/michael_kvlist_rcu.h>

using reclamation_type = cds::urcu::gc<cds::urcu::general_buffered<>>;
using container_type = cds::container::MichaelKVList<reclamation_type, unsigned, stress::object *>;

int main() {
  stress::cds_library library;
  reclamation_type reclamation;
  stress::cds_scope scope;
  container_type container;
  return stress::exercise_map<stress::cds_scope>(
      {}, [&](unsigned key, stress::object *one) { return container.insert(key, one); },
      [&](unsigned key) { return container.erase(key); },
      [&](unsigned key, auto seen) {
        container.find(key, [&](container_type::value_type &pair) { seen(pair.second); });
      });
}
