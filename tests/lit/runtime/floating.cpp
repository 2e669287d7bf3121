// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program whose accesses are all seq_cst is robust, also if it adds to an atomic<double>, which
// is a loop with a relaxed load inside libstdc++. A relaxed load of the program's own, in the same
// loop, is reported.
//
// RUN: %buildxx -std=c++20 -O0 %s -o %t.O0
// RUN: %buildxx -std=c++20 -O2 %s -o %t.O2
// RUN: sh %S/Inputs/seeds 12 schedule=mix:system_headers=1 %t.O0 | FileCheck %s
// RUN: sh %S/Inputs/seeds 12 schedule=mix:system_headers=1 %t.O2 | FileCheck %s
// CHECK: reports with 0 of 12 seeds
// RUN: %buildxx -std=c++20 -O0 -DOWN %s -o %t.own.O0
// RUN: %buildxx -std=c++20 -O2 -DOWN %s -o %t.own.O2
// RUN: sh %S/Inputs/seeds 12 schedule=mix %t.own.O0 | FileCheck %s --check-prefix=OWN
// RUN: sh %S/Inputs/seeds 12 schedule=mix %t.own.O2 | FileCheck %s --check-prefix=OWN
// OWN: reports with {{[1-9]}}

#include <atomic>
#include <thread>

#ifndef TYPE
#define TYPE double
#endif

static std::atomic<TYPE> sum;
static std::atomic<int> first, second;

static void add() {
#ifdef OWN
  TYPE old = sum.load(std::memory_order_relaxed);
  while (!sum.compare_exchange_weak(old, old + 1, std::memory_order_seq_cst,
                                    std::memory_order_relaxed)) {
  }
#else
  sum += 1;
#endif
}

static void work(int number) {
  for (int i = 0; i < 20; i++) {
    first++;
    (void)first.load();
    add();
    int value = second.load();
    second.store(value + 1 + number);
  }
}

int main() {
  std::thread threads[3];
  for (int i = 0; i < 3; i++)
    threads[i] = std::thread(work, i);
  for (auto &thread : threads)
    thread.join();
  return sum != 60;
}
