// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Three threads insert the same key: one of them must succeed, and no more than one.

#include "xenium.hpp"

#include <xenium/reclamation/generic_epoch_based.hpp>
#include <xenium/vyukov_hash_map.hpp>

#include "window.hpp"

using map_type =
    xenium::vyukov_hash_map<unsigned, unsigned,
                            xenium::policy::reclaimer<xenium::reclamation::epoch_based<>>>;

static void insert_all() {
  map_type map(8);
  bool done[3];
  const auto insert = [&](unsigned by) { done[by] = map.emplace(1, 100 + by); };
  window::together([&] { insert(0); }, [&] { insert(1); }, [&] { insert(2); });
  assert(done[0] + done[1] + done[2] == 1);
}

int main() {
  for (int round = 0; round < 20; round++)
    insert_all();
}
