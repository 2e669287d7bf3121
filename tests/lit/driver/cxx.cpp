// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rsan-clang++ is a C++ driver by its name, and 'rsan' in the name is not taken for a target.
//
// RUN: %rsan_clangxx -### -fsanitize=robustness %s 2>&1 | FileCheck %s
// CHECK: Target: x86_64-pc-linux-gnu
// CHECK: "-cc1" "-triple" "x86_64-pc-linux-gnu"
// CHECK: "{{.*}}/libclang_rt.rsan-x86_64.a"
// CHECK-SAME: "{{.*}}/libclang_rt.rsan_cxx-x86_64.a"
// CHECK-SAME: "-lstdc++"
//
// RUN: %rsan_clang -### -fsanitize=robustness %s 2>&1 | FileCheck %s --check-prefix=C
// C: "{{.*}}/libclang_rt.rsan-x86_64.a"
// C-NOT: {{rsan_cxx|stdc}}
//
// RUN: %rsan_clangxx -fsanitize=robustness -O1 %s -o %t && %t | FileCheck %s --check-prefix=OUT
// OUT: caught 3, joined 1
#include <atomic>
#include <cstdio>
#include <stdexcept>
#include <thread>

int main() {
  std::atomic<int> joined{0};
  int caught = 0;
  std::thread thread([&] { joined = 1; });
  thread.join();
  try {
    throw std::runtime_error("abc");
  } catch (const std::exception &e) {
    for (const char *c = e.what(); *c; c++)
      caught++;
  }
  std::printf("caught %d, joined %d\n", caught, joined.load());
}
