// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// xenium compiles other memory orders under ThreadSanitizer than it ships, because TSan does not
// know fences. Here both tools are to check what ships. Included before any other header of xenium.

#ifndef RSAN_EVAL_XENIUM_HPP
#define RSAN_EVAL_XENIUM_HPP

// What xenium's headers use and forget to include.
#include <atomic>
#include <cassert>
#include <cstddef>

#include <xenium/detail/port.hpp>

#undef TSAN_MEMORY_ORDER
#define TSAN_MEMORY_ORDER(tsan_order, shipped_order) shipped_order

#include "stress.hpp"

// An unbounded queue, as all of xenium's are used.
template <class Queue> int pass_through_queue() {
  Queue queue;
  return stress::pass_through(
      {}, stress::order::fifo,
      [&](stress::object *one) {
        queue.push(one);
        return true;
      },
      [&](stress::object *&one) { return queue.try_pop(one); });
}

#endif
