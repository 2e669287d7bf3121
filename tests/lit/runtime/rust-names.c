// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names that Rust's compiler makes, in its newer form and in the older one, are shown as the source
// has them, and without the numbers that each build appends: ` (.llvm.N)`, `.llvm.N`, and the hash
// of the older form. (A label in assembly is such a name; no compiler of Rust is needed.)
//
// RUN: %build %s -o %t
// RUN: not %t 2>&1 | FileCheck %s
// RUN: env RSAN_OPTIONS=symbolize=0 not %t 2>%t.raw
// RUN: %build_dir/bin/rsan-symbolize %t.raw | FileCheck %s --check-prefix=FRAMES
// RUN: env RSAN_OPTIONS=report_format=json:symbolize=0 not %t 2>%t.json
// RUN: %build_dir/bin/rsan report %t.json | FileCheck %s --check-prefixes=FRAMES,OBJECT
// RUN: env RSAN_OPTIONS=report_format=json not %t 2>&1 | FileCheck %s --check-prefix=JSON
// CHECK:  Atomic read
// CHECK-NEXT: #0 lock::other {{.*}}rust-names.c:
// CHECK:  may miss
// CHECK-NEXT: #0 lock::one::<i32> {{.*}}rust-names.c:
// CHECK:      write lock::FLAG     T1   lock::one::<i32> {{.*}}rust-names.c:
// CHECK-NEXT: read  lock::LEGACY   T1   lock::one::<i32> {{.*}}rust-names.c:
// CHECK-NEXT: write lock::LEGACY   T2   lock::other {{.*}}rust-names.c:
// CHECK-NEXT: read  lock::FLAG     T2   lock::other {{.*}}rust-names.c:
// CHECK:  Location is global 'lock::FLAG' of size 4
// CHECK:  SUMMARY: {{.*}} in lock::other{{$}}
// FRAMES: #0 lock::other {{.*}}rust-names.c:
// FRAMES: #0 lock::one::<i32> {{.*}}rust-names.c:
// OBJECT: Location is global 'lock::FLAG' of size 4
// JSON-DAG: "function":"lock::other"
// JSON-DAG: "function":"lock::one::<i32>"
// JSON-DAG: "name":"lock::LEGACY"
// JSON-NOT: {{llvm\.[0-9]|h0123456789abcdef}}
//
// Names that resemble these, and are whole.
// RUN: %build -DWHOLE %s -o %t.whole
// RUN: not %t.whole 2>&1 | FileCheck %s --check-prefix=WHOLE
// WHOLE:  #0 h0123456789abcdef {{.*}}rust-names.c:
// WHOLE:  #0 lock::one::h0123456789abcde {{.*}}rust-names.c:
// WHOLE:      write flag.llvm.12a   T1
// WHOLE-NEXT: read  legacy.llvm.    T1
#include "access.h"
#include "turns.h"

#ifdef WHOLE
#define FLAG   "flag.llvm.12a"
#define LEGACY "legacy.llvm."
#define ONE    "_ZN4lock3one16h0123456789abcdeE"
#define OTHER  "h0123456789abcdef"
#else
#define FLAG   "_RNvCs1_4lock4FLAG.llvm.11400684181936864211"
#define LEGACY "_ZN4lock6LEGACY17h0123456789abcdefE.llvm.77"
#define ONE    "_RINvCs1_4lock3onelE.llvm.123"
#define OTHER  "_ZN4lock5other17h0123456789abcdefE"
#endif

int flag __asm__(FLAG);
int legacy __asm__(LEGACY);
void one(void) __asm__(ONE);
void other(void) __asm__(OTHER);

__attribute__((noinline)) void one(void) {
  STORE(flag, 1);
  LOAD(legacy);
}

__attribute__((noinline)) void other(void) {
  STORE(legacy, 1);
  LOAD(flag);
}

int main(void) {
  one_then_other(one, other);
}
