// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// xenium compiles other memory orders under ThreadSanitizer than it ships: TSan does not know
// fences, so detail/port.hpp gives it acquire loads and release stores in their place
// (TSAN_MEMORY_ORDER). RSan knows fences and is to check what ships. To be included before any
// other header of xenium; with -DXENIUM_OWN_CHOICE the choice stays xenium's.

#ifndef RSAN_TESTS_XENIUM_ORDERS_HPP
#define RSAN_TESTS_XENIUM_ORDERS_HPP

// What xenium's headers use and forget to include.
#include <atomic>
#include <cassert>
#include <cstddef>

#include <xenium/detail/port.hpp>

#ifndef XENIUM_OWN_CHOICE
#undef TSAN_MEMORY_ORDER
#define TSAN_MEMORY_ORDER(tsan_order, shipped_order) shipped_order
#endif

#endif
