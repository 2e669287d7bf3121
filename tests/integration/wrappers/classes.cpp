// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Wrappers as C++ has them: members and operators of templates, lambdas, and functions that are not
// inlined. What picks a member of a structure is none.

#include "turns.h"
#include <atomic>
#include <thread>
template <class T> struct Atom {
  std::atomic<T> value;
  T get() const { return value.load(std::memory_order_acquire); }
  void set(T v) { value.store(v, std::memory_order_release); }
  operator T() const { return get(); }
  T operator=(T v) {
    set(v);
    return v;
  }
};
static Atom<int> x, y;
struct Queue {
  Atom<int> head, tail;
  bool empty() const { return head.get() == tail.get(); }
  int first() const { return head; }
  void put(int v) { tail = v; }
};
static Queue q;
__attribute__((noinline)) static int kept(const Atom<int> &a) {
  return a.get();
}
__attribute__((noinline)) static int kept2(const Atom<int> &a) {
  int v = kept(a);
  asm volatile("" ::: "memory");
  return v;
}
static void one() {
  x = 1;
  kept2(y);
}
static void other() {
  y = 1;
  auto l = [](Atom<int> &a) { return a.get(); };
  l(x);
}
static void one_queue() {
  q.put(1);
  q.first();
}
static void other_queue() {
  q.head = 1;
  q.tail.get();
}
int main() {
  one_then_other(one, other);
  one_then_other(one_queue, other_queue);
}
