// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The same in C++.
//
// RUN: %rsan_clangxx -fsanitize=robustness -std=c++11 -O1 %strict %s -o %t && %exits 100 %t
// RUN: %rsan_clangxx -fsanitize=robustness -std=c++14 -O1 %strict %s -o %t && %exits 100 %t
// RUN: %rsan_clangxx -fsanitize=robustness -std=c++17 -O1 %strict %s -o %t && %exits 100 %t
// RUN: %rsan_clangxx -fsanitize=robustness -std=c++20 -O1 %strict %s -o %t && %exits 100 %t
// RUN: %stock_clangxx -std=c++11 -O1 %strict %s -o %t && %exits 0 %t
// RUN: %stock_clangxx -std=c++14 -O1 %strict %s -o %t && %exits 0 %t
// RUN: %stock_clangxx -std=c++17 -O1 %strict %s -o %t && %exits 0 %t
// RUN: %stock_clangxx -std=c++20 -O1 %strict %s -o %t && %exits 0 %t
// RUN: %rsan_clangxx -fsanitize=robustness -std=c++23 -O0 %strict %s -o %t && %exits 100 %t
// RUN: %rsan_clangxx -fsanitize=robustness -std=c++11 -O2 %strict %s -o %t && %exits 100 %t
// RUN: %stock_clangxx -std=c++20 -O0 %strict %s -o %t && %exits 0 %t

#include <atomic>

#include "rsan.h"

#pragma clang diagnostic ignored "-Wc11-extensions"

namespace {

enum colour { red, green };
enum class tint : short { dark = -1, light };
int object, plain;
std::atomic<int> x;
std::atomic<unsigned char> byte(200);
std::atomic<tint> half(tint::dark);
std::atomic<long long> word(-1);
std::atomic<bool> flag(true);
std::atomic<colour> shade(green);
std::atomic<int *> pointer(&object);
_Atomic(short) c_half = -1;
const std::atomic<int> constant(7);

constexpr auto acquire = std::memory_order_acquire;
constexpr auto acq_rel = std::memory_order_acq_rel;

RSAN_UNINSTRUMENTED void on_violation(const rsan_violation_report *violation) {
  (void)violation;
}

void waits() {
  rsan_wait(&x, 0, acquire);
  rsan_wait(&byte, 200, std::memory_order_relaxed);
  rsan_wait(&half, tint::dark, std::memory_order_seq_cst);
  rsan_wait(&word, -1, acquire);
  rsan_wait(&flag, true, acquire);
  rsan_wait(&shade, green, acquire);
  rsan_wait(&pointer, &object, acquire);
  rsan_wait(&plain, 0, __ATOMIC_ACQUIRE);
  rsan_wait(&c_half, -1, acquire);
  rsan_wait(&constant, 7, acquire);
  rsan_wait_until(&c_half, RSAN_LT_S, 0, 0, acquire);
  rsan_wait_until(&byte, RSAN_EQ, 0xF0, 192, acquire);
}

void tracks() {
  rsan_track(&x, 5);
  rsan_track(&byte, 200);
  rsan_track(&half, tint::dark);
  rsan_track(&word, -1);
  rsan_track(&flag, true);
  rsan_track(&shade, green);
  rsan_track(&pointer, nullptr);
  rsan_track(&plain, 0);
  rsan_track(&c_half, -1);
  rsan_track(&constant, 7);
}

int values() {
  static const int numbers[] = {3, 0};
  static const tint tints[] = {tint::light, tint::dark};
  if (rsan_wait_value(&pointer, RSAN_NE, 0, nullptr, acquire) != &object)
    return 1;
  if (rsan_wait_any(&x, numbers, 2, acquire) != 0)
    return 2;
  if (rsan_wait_any(&half, tints, 2, acquire) != tint::dark)
    return 3;
  return 0;
}

int exchanges() {
  int expected = 4;
  rsan_bcas(&x, 0, 5, acq_rel);
  rsan_bcas(&half, tint::dark, tint::light, std::memory_order_seq_cst);
  rsan_bcas(&pointer, &object, nullptr, acq_rel);
  if (rsan_strong_cas(&x, &expected, 6, acq_rel, acquire) || expected != 5)
    return 4;
  if (!rsan_strong_cas(&x, &expected, 6, acq_rel, acquire) || x.load() != 6)
    return 5;
  return half.load() != tint::light || pointer.load() != nullptr;
}

RSAN_IGNORE void ignored() {
  x.store(0);
}

} // namespace

RSAN_ON_VIOLATION(on_violation);

int main() {
  tracks();
  waits();
  int failed = values();
  if (!failed)
    failed = exchanges();
  {
    rsan::benign_region region;
    ignored();
  }
  {
    RSAN_BENIGN_SCOPE();
    ignored();
  }
  rsan_happens_before(&x);
  rsan_happens_after(&x);
  return failed ? failed : (int)rsan_violation_count() + (rsan_check_instrumented() ? 100 : 0);
}
