// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The runtime reports data races as TSan does. With a mutex this program has none.
//
// RUN: %clangxx_rsan %s -o %t && not %run %t 2>&1 | FileCheck %s
// RUN: %clangxx_rsan -DLOCKED %s -o %t.locked
// RUN: %run %t.locked 2>&1 | FileCheck %s --check-prefix=LOCKED

#include <cstdio>
#include <mutex>
#include <thread>

static int shared;
static std::mutex lock;

static void add() {
#ifdef LOCKED
  std::lock_guard<std::mutex> guard(lock);
#endif
  ++shared;
}

int main() {
  std::thread one(add), two(add);
  one.join();
  two.join();
  std::fprintf(stderr, "DONE\n");
}

// CHECK: WARNING: ThreadSanitizer: data race
// CHECK: SUMMARY: ThreadSanitizer: data race {{.*}}data_race.cpp:{{.*}} in add
// CHECK: DONE
// LOCKED-NOT: ThreadSanitizer
// LOCKED: DONE
