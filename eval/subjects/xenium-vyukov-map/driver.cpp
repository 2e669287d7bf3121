// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// xenium: Vyukov's hash map, whose readers take no lock, with epochs.

#include "xenium.hpp"

#include <xenium/reclamation/generic_epoch_based.hpp>
#include <xenium/vyukov_hash_map.hpp>

using container_type =
    xenium::vyukov_hash_map<unsigned, stress::object *,
                            xenium::policy::reclaimer<xenium::reclamation::epoch_based<>>>;

int main() {
  container_type container(8);
  return stress::exercise_map(
      {}, [&](unsigned key, stress::object *one) { return container.emplace(key, one); },
      [&](unsigned key) { return container.erase(key); },
      [&](unsigned key, auto seen) {
        container_type::accessor found;
        if (container.try_get_value(key, found))
          seen(*found);
      });
}
