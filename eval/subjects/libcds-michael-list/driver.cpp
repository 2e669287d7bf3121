// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libcds: Michael's ordered list with hazard pointers.

#include "cds.hpp"

#include <cds/container/michael_kvlist_hp.h>

using container_type = cds::container::MichaelKVList<cds::gc::HP, unsigned, stress::object *>;

int main() {
  stress::cds_library library;
  cds::gc::HP reclamation;
  stress::cds_scope scope;
  container_type container;
  return stress::exercise_map<stress::cds_scope>(
      {}, [&](unsigned key, stress::object *one) { return container.insert(key, one); },
      [&](unsigned key) { return container.erase(key); },
      [&](unsigned key, auto seen) {
        container.find(key, [&](container_type::value_type &pair) { seen(pair.second); });
      });
}
