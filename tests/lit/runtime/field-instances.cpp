// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A report names the field of the template's instance that was executed. Other files of the
// program, and the order in which they are linked, do not change that. If two files compile one
// function with different fields, the report names none.
//
// RUN: %buildxx -O0 -c %s -o %t.O0.o
// RUN: %buildxx -O0 -c -DOTHER %s -o %t.other.O0.o
// RUN: %buildxx -O2 -c %s -o %t.O2.o
// RUN: %buildxx -O2 -c -DOTHER %s -o %t.other.O2.o
// RUN: %buildxx %t.O0.o %t.other.O0.o -o %t.O0
// RUN: %buildxx %t.other.O0.o %t.O0.o -o %t.reversed
// RUN: %buildxx %t.other.O2.o %t.O2.o -o %t.O2
// RUN: %buildxx -O2 %s -o %t.alone
// RUN: %exits 66 %t.O0 2>&1 | FileCheck %s --check-prefixes=CHECK,TWO
// RUN: %exits 66 %t.reversed 2>&1 | FileCheck %s --check-prefixes=CHECK,TWO
// RUN: %exits 66 %t.O2 2>&1 | FileCheck %s --check-prefixes=CHECK,TWO
// RUN: %exits 66 %t.alone 2>&1 | FileCheck %s --check-prefixes=CHECK,ONE
//
// CHECK: The object is pair<2>.value, 8 bytes into a block of
// CHECK: SUMMARY: {{.*}}pair<2>::get()
// ONE: The object is first.value, 8 bytes into a block of
// TWO-NOT: The object is
// CHECK: SUMMARY: {{.*}}get_kind
struct first {
  int pad[2], value;
};

struct second {
  int pad[1], value;
};

void use_other();

#ifdef OTHER
#define KIND second
#include "field-instances.h"

void use_other() {
  pair<1> *one = new pair<1>;
  one->set();
  second kind;
  set_kind(&kind);
  if (one->get() + get_kind(&kind) != 2)
    __builtin_abort();
  delete one;
}
#else
#define KIND first
#include "field-instances.h"
#include "turns.h"

pair<2> *object; // not static: the optimiser would make globals of the blocks
first *kind;
static int flag;

static void work() {
  object->set();
  set_kind(kind);
  __atomic_store_n(&flag, 1, __ATOMIC_RELAXED);
}

static void look() {
  int sum = __atomic_load_n(&flag, __ATOMIC_RELAXED);
  sum += object->get();
  sum += get_kind(kind);
  if (sum != 3)
    abort();
}

__attribute__((weak)) void use_other() {}

int main() {
  use_other();
  object = static_cast<pair<2> *>(calloc(1, sizeof *object));
  kind = static_cast<first *>(calloc(1, sizeof *kind));
  one_then_other(work, look);
}
#endif
