// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One thread finds a key and looks at its value for a while, another erases the key, and a third
// one waits for a grace period and frees what was erased before: the value must live as long as the
// first one looks at it.

#include "cds.hpp"

#include <cds/urcu/general_buffered.h>

#include <cds/container/michael_kvlist_rcu.h>

#include "window.hpp"

using reclamation_type = cds::urcu::gc<cds::urcu::general_buffered<>>;

class value {
public:
  value() = default;
  value(value &&) {}
  ~value() { state_.store(DEAD, std::memory_order_relaxed); }
  bool is_alive() const { return state_.load(std::memory_order_relaxed) == ALIVE; }

private:
  enum : unsigned { ALIVE = 0xa11fe, DEAD = 0xdead };
  std::atomic<unsigned> state_{ALIVE};
};

using list_type = cds::container::MichaelKVList<reclamation_type, unsigned, value>;

static void find_and_erase() {
  list_type list;
  assert(list.insert(1) && list.insert(2));
  window::together<stress::cds_scope>(
      [&] {
        list.find(1, [](list_type::value_type &found) {
          for (int look = 0; look < 3; look++) {
            sched_yield();
            assert(found.second.is_alive());
          }
        });
      },
      [&] { assert(list.erase(1)); }, [&] { reclamation_type::synchronize(); });
}

int main() {
  stress::cds_library library;
  reclamation_type reclamation;
  stress::cds_scope scope;
  for (int round = 0; round < 20; round++)
    find_and_erase();
}
