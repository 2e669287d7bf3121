// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Initialisers that throw. The thread that tries again happens after the one that gave up, so it
// does not miss what that one wrote. And it is let in, as it is without the sanitizer.
//
// RUN: %buildxx -O0 %s -o %t.O0 && %t.O0 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: %buildxx -O2 %s -o %t && %t 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: env RSAN_OPTIONS=races=0 %t 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: %buildxx -shared-libsan %s -o %t.shared && %t.shared 2>&1 | FileCheck %s --check-prefix=NONE
// NONE-NOT: WARNING
// NONE: static: 7
// NONE: once: 7
// NONE: exits: 7
// NONE: depth {{[0-9]+}}
//
// RUN: %exits 66 %t apart 2>&1 | FileCheck %s
// CHECK: WARNING: ThreadSanitizer: robustness violation
// CHECK: #0 {{.*}}look
// CHECK: may miss
// CHECK-NEXT: #0 {{.*}}work
#include "access.h"
#include "turns.h"

#include <cstdio>
#include <mutex>

namespace {

int x, y, tries, value;
std::once_flag once, once_exits;

void work() {
  STORE(x, 1);
  STORE(y, 1);
}

void look() {
  if (LOAD(y) != 1 || LOAD(x) != 1)
    abort();
}

// The first one works and gives up, the second one looks at it.
int initialise() {
  if (tries++ == 0) {
    work();
    throw 1;
  }
  look();
  return 7;
}

void use_static() {
  try {
    static int initialised = initialise();
    value = initialised;
  } catch (int) {
  }
}

void use_once() {
  try {
    std::call_once(once, [] { value = initialise(); });
  } catch (int) {
  }
}

void use_exits() {
  std::call_once(once_exits, [] {
    if (tries++ == 0) {
      work();
      pass_turn(2); // in place of who called it
      pthread_exit(nullptr);
    }
    look();
    value = 7;
  });
}

void try_twice(const char *name, void (*use)()) {
  x = y = tries = value = 0;
  one_then_other(use, use);
  std::fprintf(stderr, "%s: %d\n", name, value);
}

} // namespace

int main(int argc, char **) {
  if (argc > 1) {
    one_then_other(work, look);
    return 0;
  }
  try_twice("static", use_static);
  try_twice("once", use_once);
  try_twice("exits", use_exits);
  // Each call that is given up leaves the stack of calls as it was.
  std::once_flag never;
  int thrown = 0;
  for (int i = 0; i < 100000; i++)
    try {
      std::call_once(never, [] { throw 1; });
    } catch (int) {
      thrown++;
    }
  std::fprintf(stderr, "depth %d\n", thrown);
}
