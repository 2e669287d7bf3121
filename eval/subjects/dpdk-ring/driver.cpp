// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// DPDK's rte_ring, C11 model, many producers and consumers. The ring is set up here as
// rte_ring_init() does it, which is in a library that is not instrumented.

#include <rte_ring.h>

#include "stress.hpp"

#include <cstdlib>
#include <cstring>

constexpr unsigned SIZE = 64;

static rte_ring *make_ring() {
  void *memory = nullptr;
  if (posix_memalign(&memory, RTE_CACHE_LINE_SIZE, sizeof(rte_ring) + SIZE * sizeof(void *)))
    std::abort();
  std::memset(memory, 0, sizeof(rte_ring) + SIZE * sizeof(void *));
  rte_ring *ring = static_cast<rte_ring *>(memory);
  ring->prod.sync_type = ring->cons.sync_type = RTE_RING_SYNC_MT;
  ring->size = SIZE;
  ring->mask = SIZE - 1;
  ring->capacity = SIZE - 1;
  return ring;
}

int main() {
  rte_ring *ring = make_ring();
  const int status = stress::pass_through(
      {}, stress::order::fifo,
      [&](stress::object *one) { return rte_ring_mp_enqueue(ring, one) == 0; },
      [&](stress::object *&one) {
        return rte_ring_mc_dequeue(ring, reinterpret_cast<void **>(&one)) == 0;
      });
  std::free(ring);
  return status;
}
