// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two keys of one bucket. One thread erases the first, in whose place the map moves the second;
// another looks for the second: what it finds must be that one's value.

#include "xenium.hpp"

#include <xenium/reclamation/generic_epoch_based.hpp>
#include <xenium/vyukov_hash_map.hpp>

#include "window.hpp"

using map_type =
    xenium::vyukov_hash_map<unsigned, unsigned,
                            xenium::policy::reclaimer<xenium::reclamation::epoch_based<>>>;

enum : unsigned { FIRST = 1024, SECOND = 2048 }; // of one bucket

static unsigned value_of(unsigned key) {
  return key + 1;
}

static void erase_and_find() {
  map_type map(8);
  assert(map.emplace(FIRST, value_of(FIRST)));
  assert(map.emplace(SECOND, value_of(SECOND)));
  window::together([&] { assert(map.erase(FIRST)); },
                   [&] {
                     for (int look = 0; look < 2; look++) {
                       map_type::accessor found;
                       if (map.try_get_value(SECOND, found))
                         assert(*found == value_of(SECOND));
                     }
                   });
}

int main() {
  for (int round = 0; round < 20; round++)
    erase_and_find();
}
