// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rsan::check, with lambdas: explored with the sanitizer, executed once without it.
//
// RUN: %buildxx %strict -std=c++11 %s -o %t && %t 2>&1 | FileCheck %s --check-prefix=PROVED
// RUN: %exits 66 %t fail 2>&1 | FileCheck %s --check-prefix=FOUND
// RUN: %stock_clangxx %strict -std=c++11 %s -o %t.plain && %t.plain 2>&1 | FileCheck %s --check-prefix=ONCE
// RUN: %exits 1 %t.plain fail 2>&1 | FileCheck %s --check-prefix=ONCE
// PROVED: proved: no finding in 3 executions
// PROVED: 3 executions
// FOUND: check() says that it has failed
// FOUND: 1 finding in 3 executions
// ONCE: 1 executions
#include <atomic>
#include <stdio.h>

#include "rsan.h"

int main(int argc, char **argv) {
  (void)argv;
  std::atomic<int> x(0), y(0);
  int a = 0, b = 0, executions = 0;
  const int result = rsan::check(
      [&] {
        x = y = a = b = 0;
        executions++;
      },
      [&] { return (a || b) && argc < 2 + a * b; },
      [&] {
        x = 1;
        a = y;
      },
      [&] {
        y = 1;
        b = x;
      });
  printf("%d executions\n", executions);
  return result;
}
