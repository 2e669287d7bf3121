// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// atomic_queue::AtomicQueue2: a bounded ring, a state byte beside each element. Threads that wait
// for the same element may overtake each other, so the order is not that of a FIFO.

#include <atomic_queue/atomic_queue.h>

#include "stress.hpp"

int main() {
  atomic_queue::AtomicQueue2<stress::object *, 16> queue;
  return stress::pass_through(
      {}, stress::order::any, [&](stress::object *one) { return queue.try_push(one); },
      [&](stress::object *&one) { return queue.try_pop(one); });
}
