// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the short tests of the subjects share (window-*.cpp): a few operations of a few threads, all
// at once, on an object that is new each time, and assertions on what came of them. Included after
// the library, whose own assertions stay off if NDEBUG was defined by then.

#ifndef RSAN_EVAL_WINDOW_HPP
#define RSAN_EVAL_WINDOW_HPP

#include "stress.hpp"

#include <cstring>

#undef NDEBUG
#include <cassert>

namespace window {

// Calls each of these in a thread of its own, and waits until all have returned.
template <class Scope = stress::no_scope, class... Parts> void together(Parts... parts) {
  stress::gate start(sizeof...(Parts));
  std::vector<std::thread> threads;
  (threads.emplace_back([&] {
    Scope scope;
    start.pass();
    parts();
  }),
   ...);
  for (std::thread &thread : threads)
    thread.join();
}

// Memory that shows it when it is used before it was written: no pointer, and no value that means
// anything.
template <class T> struct poisoning_allocator {
  using value_type = T;
  poisoning_allocator() = default;
  template <class Other> poisoning_allocator(const poisoning_allocator<Other> &) {}
  T *allocate(std::size_t count, const void * = nullptr) {
    void *memory = ::operator new(count * sizeof(T));
    return static_cast<T *>(std::memset(memory, 0xdb, count * sizeof(T)));
  }
  void deallocate(T *memory, std::size_t) { ::operator delete(memory); }
  template <class Other> bool operator==(const poisoning_allocator<Other> &) const { return true; }
  template <class Other> bool operator!=(const poisoning_allocator<Other> &) const { return false; }
};

} // namespace window

#endif
