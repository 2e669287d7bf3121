// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// UBSan's check of virtual calls looks at memory by system calls of its own. Threads that make such
// calls at the same time do not race for it, and their atomics are analysed as ever.
//
// RUN: %buildxx -fsanitize=undefined,vptr %s -o %t
// RUN: %t right 2>&1 | FileCheck %s --check-prefix=NONE
// NONE-NOT: {{WARNING|runtime error}}
// NONE: end
// RUN: %t wrong 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG-NOT: WARNING
// WRONG: vptr.cpp:{{[0-9]+:[0-9]+}}: runtime error: member call on address {{.*}} which does not point to an object of type 'Other'
// WRONG-NOT: WARNING
// WRONG: end
// RUN: %exits 66 %t violation 2>&1 | FileCheck %s --check-prefix=VIOLATION
// VIOLATION: WARNING: ThreadSanitizer: robustness violation
// VIOLATION: #0 other
// VIOLATION: end
// VIOLATION: reported 1 warnings
#include "access.h"
#include "turns.h"

#include <cstdio>
#include <cstring>

struct Base {
  virtual ~Base() {}
  virtual int number() { return 1; }
};

struct Derived : Base {
  int number() override { return 2; }
};

struct Other : Base {
  int number() override { return 3; }
};

// One type a class, for the check remembers which it has seen.
template <int N> struct Numbered : Derived {
  int number() override { return N; }
};

static const char *what;
static int x, y, sum;

template <int N> static void call_all(Base *as) {
  Numbered<N> object;
  Base *base = &object;
  __asm__ volatile("" : "+r"(base));
  ADD(sum, base->number());
  ADD(sum, static_cast<Derived *>(base)->number());
  if (std::strcmp(what, "wrong") == 0)
    ADD(sum, static_cast<Other *>(as)->number());
  if constexpr (N > 0)
    call_all<N - 1>(as);
}

static void *run(void *arg) {
  Derived derived;
  Base *base = &derived;
  __asm__ volatile("" : "+r"(base));
  call_all<30>(base);
  return arg;
}

static void one() {
  STORE(x, 1);
  run(nullptr);
  LOAD(y);
}

static void other() {
  STORE(y, 1);
  run(nullptr);
  LOAD(x);
}

int main(int argc, char **argv) {
  what = argc > 1 ? argv[1] : "";
  if (std::strcmp(what, "violation") == 0)
    one_then_other(one, other);
  pthread_t threads[4];
  for (auto &thread : threads)
    thread = start(run, nullptr);
  for (auto &thread : threads)
    pthread_join(thread, nullptr);
  std::fputs("end\n", stderr);
}
