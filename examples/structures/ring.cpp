// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A ring of one producer and one consumer, checked without a test. With -DWEAKENED a push does not
// release what it has put into the cell.
#include <rsan_structure.h>

#include <atomic>

#ifdef WEAKENED
#define PUBLISH std::memory_order_relaxed
#else
#define PUBLISH std::memory_order_release
#endif

class Ring {
  static const unsigned size = 2;
  std::atomic<int> cell[size] = {};
  std::atomic<unsigned> head{0}, tail{0};

public:
  bool push(int value) {
    const unsigned last = tail.load(std::memory_order_relaxed);
    if (last - head.load(std::memory_order_acquire) == size)
      return false;
    cell[last % size].store(value, std::memory_order_relaxed);
    tail.store(last + 1, PUBLISH);
    return true;
  }
  bool pop(int &value) {
    const unsigned first = head.load(std::memory_order_relaxed);
    if (tail.load(std::memory_order_acquire) == first)
      return false;
    value = cell[first % size].load(std::memory_order_relaxed);
    head.store(first + 1, std::memory_order_release);
    return true;
  }
};

int main() {
  auto ring = rsan::structure<Ring>();
  ring.op("push", &Ring::push, rsan::fresh()).by_one("producer");
  ring.op("pop", &Ring::pop).by_one("consumer");
  return ring.check();
}
