// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// xenium: the sequence lock. Writers keep two halves of a value equal; readers check that.

#include "xenium.hpp"

#include <xenium/seqlock.hpp>

#include <cstdint>

struct pair {
  std::uint64_t first, second;
};

constexpr unsigned THREADS = 4, EACH = 2000;

int main() {
  xenium::seqlock<pair> lock(pair{0, 0});
  bool right[THREADS] = {};
  stress::gate start(THREADS);
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < THREADS; t++)
    threads.emplace_back([&, t] {
      bool equal = true;
      start.pass();
      for (unsigned i = 0; i < EACH; i++)
        if (t % 2) {
          lock.update([](pair &value) { value = {value.first + 1, value.second + 1}; });
        } else {
          const pair seen = lock.load();
          equal = equal && seen.first == seen.second;
        }
      right[t] = equal;
    });
  for (std::thread &thread : threads)
    thread.join();
  bool all = lock.load().first == THREADS / 2 * EACH;
  for (bool one : right)
    all = all && one;
  return stress::verdict(all);
}
