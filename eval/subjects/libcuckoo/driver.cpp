// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libcuckoo's hash map: cuckoo hashing under striped spin locks. Many maps that start small,
// because what is delicate is how they grow.

#include <libcuckoo/cuckoohash_map.hh>

#include "stress.hpp"

constexpr unsigned MAPS = 12;

static int exercise() {
  libcuckoo::cuckoohash_map<unsigned, stress::object *> map(4);
  return stress::exercise_map(
      {4, 2048, 1200}, [&](unsigned key, stress::object *one) { return map.insert(key, one); },
      [&](unsigned key) { return map.erase(key); },
      [&](unsigned key, auto seen) {
        map.find_fn(key, [&](stress::object *const &one) { seen(one); });
      });
}

int main() {
  for (unsigned i = 0; i < MAPS; i++)
    if (exercise() != 0)
      return 1;
  return 0;
}
