// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// xenium's Harris-Michael list with epoch-based reclamation, as a set: each thread inserts, erases
// and looks up keys. Exit code 0 if each key was inserted as often as it was erased, or once more
// and is found in the end.

#include "orders.hpp"

#include <xenium/harris_michael_list_based_set.hpp>
#include <xenium/reclamation/generic_epoch_based.hpp>

#include <array>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <thread>
#include <vector>

#include "stage.h"

using set_type = xenium::harris_michael_list_based_set<
    unsigned, xenium::policy::reclaimer<xenium::reclamation::epoch_based<>>>;

constexpr unsigned THREADS = 4, KEYS = 32, STEPS = 10000;
using balance = std::array<int, KEYS>; // insertions less erasures of each key, by one thread

// Each thread has a sequence of its own, the same in every run.
static uint32_t next_random(uint64_t &state) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return static_cast<uint32_t>(state >> 33);
}

// The threads make their first step one after the other (stage.h), so that some reports are
// certain.
static void work(set_type &set, unsigned number, balance &mine) {
  uint64_t state = number;
  stage_await(static_cast<int>(number));
  for (unsigned i = 0; i < STEPS; i++) {
    unsigned key = next_random(state) % KEYS;
    switch (i == 0 ? 0 : next_random(state) % 3) {
    case 0:
      mine[key] += set.emplace(key);
      break;
    case 1:
      mine[key] -= set.erase(key);
      break;
    default:
      static_cast<void>(set.contains(key));
    }
    stage_reach(static_cast<int>(number) + 1);
  }
}

int main() {
  auto set = std::make_unique<set_type>();
  balance balances[THREADS] = {};
  std::vector<std::thread> threads;
  for (unsigned number = 0; number < THREADS; number++)
    threads.emplace_back(work, std::ref(*set), number, std::ref(balances[number]));
  for (std::thread &thread : threads)
    thread.join();

  bool ok = true;
  std::vector<unsigned> expected, found;
  for (unsigned key = 0; key < KEYS; key++) {
    int sum = 0;
    for (const balance &each : balances)
      sum += each[key];
    ok = ok && sum == set->contains(key);
    if (sum)
      expected.push_back(key);
  }
  for (unsigned key : *set)
    found.push_back(key);
  ok = ok && found == expected;
  std::puts(ok ? "right" : "wrong");
  return ok ? 0 : 1;
}
