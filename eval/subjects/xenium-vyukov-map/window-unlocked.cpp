// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One thread erases a key and inserts another, with its value; a second one tries to insert the
// same, and a third one looks for it: if it finds the key it must get that value.

#include "xenium.hpp"

#include <xenium/reclamation/generic_epoch_based.hpp>
#include <xenium/vyukov_hash_map.hpp>

#include "window.hpp"

using map_type =
    xenium::vyukov_hash_map<unsigned, unsigned,
                            xenium::policy::reclaimer<xenium::reclamation::epoch_based<>>>;

enum : unsigned { OLD = 1024, NEW = 2048 }; // of one bucket

static unsigned value_of(unsigned key) {
  return key + 1;
}

static void replace_and_find() {
  map_type map(8);
  assert(map.emplace(OLD, value_of(OLD)));
  window::together(
      [&] {
        assert(map.erase(OLD));
        map.emplace(NEW, value_of(NEW));
      },
      [&] { map.emplace(NEW, value_of(NEW)); },
      [&] {
        for (int look = 0; look < 2; look++) {
          map_type::accessor found;
          if (map.try_get_value(NEW, found))
            assert(*found == value_of(NEW));
        }
      });
}

int main() {
  for (int round = 0; round < 20; round++)
    replace_and_find();
}
