// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rsan.h in C++, and libvsync's names for what waits (rsan_await.h): a lock that is a
// std::atomic, and a hint that may be missed, in a benign region that ends with its block.
//
// Verdict: none, exit code 0. With -DUNANNOTATED the benign region is left out: robustness
// violation, exit code 66.
//  rsan-clang++ -fsanitize=robustness -g -O1 -Iinclude examples/annotations.cpp -o annotations &&
//  ./annotations

#include "stage.h"

#include <atomic>
#include <rsan_await.h>
#include <thread>

namespace {

enum class Phase : unsigned char { start, half, end };

std::atomic<Phase> phase{Phase::start};
std::atomic<std::uint32_t> taken;
std::atomic<bool> busy0, busy1;
std::atomic<const char *> name;
int done; // protected by the lock

class Lock {
public:
  Lock() { vatomic32_await_eq_set_acq(&taken, 0, 1); }
  ~Lock() { taken.store(0, std::memory_order_release); }
  Lock(const Lock &) = delete;
  Lock &operator=(const Lock &) = delete;
};

bool look(std::atomic<bool> &mine, std::atomic<bool> &other) {
#ifndef UNANNOTATED
  rsan::benign_region region;
#endif
  mine.store(true, std::memory_order_relaxed);
  return other.load(std::memory_order_relaxed);
}

void work() {
  static const Phase later[] = {Phase::half, Phase::end};
  stage_await(1);
  look(busy1, busy0);
  stage_reach(2);
  rsan_wait_any(&phase, later, 2, std::memory_order_acquire);
  const char *nobody = nullptr;
  rsan_strong_cas(&name, &nobody, "worker", std::memory_order_acq_rel, std::memory_order_acquire);
  Lock lock;
  done++;
}

} // namespace

int main() {
  rsan_track(&phase, Phase::half);
  rsan_track(&phase, Phase::end);
  std::thread worker(work);
  look(busy0, busy1);
  stage_reach(1);
  stage_await(2);
  phase.store(Phase::half, std::memory_order_release);
  {
    Lock lock;
    done++;
  }
  const char *found = rsan_wait_value(&name, RSAN_NE, 0, nullptr, std::memory_order_acquire);
  worker.join();
  return done != 2 || found[0] != 'w';
}
