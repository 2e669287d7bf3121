// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Three threads look at a shared node for a while, put another one in its place, and retire it: a
// node must live as long as somebody looks at it. The library's own assertions are on.

#undef NDEBUG

#include "xenium.hpp"

#include <xenium/reclamation/stamp_it.hpp>

#include "window.hpp"

using reclaimer = xenium::reclamation::stamp_it;

class node : public reclaimer::enable_concurrent_ptr<node> {
public:
  ~node() { state_.store(DEAD, std::memory_order_relaxed); }
  bool is_alive() const { return state_.load(std::memory_order_relaxed) == ALIVE; }

private:
  enum : unsigned { ALIVE = 0xa11fe, DEAD = 0xdead };
  std::atomic<unsigned> state_{ALIVE};
};

using pointer = reclaimer::concurrent_ptr<node, 0>;

static void look(const pointer::guard_ptr &found) {
  assert(found->is_alive());
  sched_yield();
  assert(found->is_alive());
}

static void replace(pointer &shared) {
  node *mine = new node;
  pointer::guard_ptr found;
  pointer::marked_ptr old;
  do {
    found.acquire(shared, std::memory_order_acquire);
    look(found);
    old = found.get();
  } while (!shared.compare_exchange_weak(old, mine, std::memory_order_release,
                                         std::memory_order_relaxed));
  found.reclaim();
}

static void look_and_replace() {
  pointer shared;
  shared.store(new node, std::memory_order_release);
  const auto part = [&] {
    for (int i = 0; i < 3; i++) {
      pointer::guard_ptr found;
      found.acquire(shared, std::memory_order_acquire);
      look(found);
      found.reset();
      replace(shared);
    }
  };
  window::together(part, part, part);
  delete shared.load(std::memory_order_relaxed).get();
}

int main() {
  for (int round = 0; round < 10; round++)
    look_and_replace();
}
