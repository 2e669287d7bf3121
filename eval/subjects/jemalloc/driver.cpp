// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// jemalloc: threads allocate and free blocks of many sizes, their own and each other's. A block is
// filled with its owner's mark and found filled with it when it goes; it is plain memory, so an
// allocator that hands memory on without ordering shows up as a data race on it. Between threads a
// block goes through a slot, by exchange.

#include <jemalloc/jemalloc.h>

#include <atomic>
#include <cstring>

#include "stress.hpp"

namespace {

enum { THREADS = 4, SLOTS = 64, EACH = 6000 };

struct block {
  size_t size;
  unsigned mark;
};

std::atomic<block *> slots[SLOTS];

block *make(unsigned random) {
  // Mostly small; some that the thread's cache does not keep, a few of their own pages.
  const size_t limit = random % 64 == 0 ? 200000 : random % 8 == 0 ? 20000 : 1000;
  const size_t size = sizeof(block) + (random >> 8) % limit;
  block *made = static_cast<block *>(je_malloc(size));
  if (!made)
    return nullptr;
  made->size = size;
  made->mark = random;
  std::memset(made + 1, static_cast<int>(random & 0xff), size - sizeof(block));
  return made;
}

bool unmake(block *one) {
  if (!one)
    return true;
  const unsigned char *bytes = reinterpret_cast<unsigned char *>(one + 1);
  const size_t rest = one->size - sizeof(block);
  const bool right =
      !rest || (bytes[0] == (one->mark & 0xff) && bytes[rest - 1] == (one->mark & 0xff));
  je_free(one);
  return right;
}

} // namespace

int main() {
  stress::gate start(THREADS);
  bool right[THREADS];
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < THREADS; t++)
    threads.emplace_back([&, t] {
      unsigned random = t + 1;
      right[t] = true;
      start.pass();
      for (unsigned i = 0; i < EACH; i++) {
        random = random * 1103515245u + 12345u;
        block *mine = make(random);
        block *other = slots[(random >> 16) % SLOTS].exchange(mine, std::memory_order_acq_rel);
        right[t] = right[t] && mine && unmake(other);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  bool all = true;
  for (std::atomic<block *> &slot : slots)
    all = unmake(slot.load(std::memory_order_relaxed)) && all;
  for (bool one : right)
    all = all && one;
  return stress::verdict(all);
}
