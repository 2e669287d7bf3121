// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// -fsanitize-robustness-volatile: aligned volatile accesses of 1 to 8 bytes, and what is none.
//
// DEFINE: %{compile} = %rsan_clang -fsanitize=robustness -S -emit-llvm %s -o -
// RUN: %{compile} -O1 -fsanitize-robustness-volatile=relaxed | FileCheck %s --check-prefixes=CHECK,RELAXED
// RUN: %{compile} -O0 -fsanitize-robustness-volatile=relaxed | FileCheck %s --check-prefixes=CHECK,RELAXED
// RUN: %{compile} -O1 -fsanitize-robustness-volatile=acq_rel | FileCheck %s --check-prefixes=CHECK,ACQREL
// RUN: %{compile} -O1 | FileCheck %s --check-prefix=PLAIN
// RUN: %{compile} -O1 -fsanitize-robustness-volatile=none | FileCheck %s --check-prefix=PLAIN
// RUN: %rsan_clang -fsanitize=robustness -O1 -Rrsan -c %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK --implicit-check-not=remark:
// RUN: %rsan_clang -fsanitize=robustness -O1 -Rrsan -fsanitize-robustness-volatile=acq_rel -c %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=LEFT --allow-empty

// PLAIN-NOT: __tsan_atomic
// LEFT-NOT: remark: RSan takes

volatile char c;
volatile short s;
volatile int i;
volatile long l;
void *volatile p;
volatile double d;

// CHECK-LABEL: void @store(
// RELAXED: call void @__tsan_atomic8_store(ptr {{.*}}, i8 {{.*}}, i32 0)
// RELAXED: call void @__tsan_atomic16_store(ptr {{.*}}, i16 {{.*}}, i32 0)
// RELAXED: call void @__tsan_atomic32_store(ptr {{.*}}, i32 {{.*}}, i32 0)
// RELAXED: call void @__tsan_atomic64_store(ptr {{.*}}, i64 {{.*}}, i32 0)
// RELAXED: call void @__tsan_atomic64_store(ptr {{.*}}, i64 {{.*}}, i32 0)
// RELAXED: call void @__tsan_atomic64_store(ptr {{.*}}, i64 {{.*}}, i32 0)
// ACQREL-COUNT-6: _store(ptr {{.*}}, i32 3)
// REMARK: volatile.c:[[#@LINE+2]]:{{[0-9]+}}: remark: RSan takes for plain what is a volatile access and 5 more such in this function: -fsanitize-robustness-volatile=relaxed, or acq_rel, makes it atomic
void store(void) {
  c = 1;
  s = 2;
  i = 3;
  l = 4;
  p = 0;
  d = 5;
}

// CHECK-LABEL: double @load(
// RELAXED: call i8 @__tsan_atomic8_load(ptr {{.*}}, i32 0)
// ACQREL: call i8 @__tsan_atomic8_load(ptr {{.*}}, i32 2)
// CHECK: @__tsan_atomic64_load(
// Once is what the program says.
// CHECK-NOT: load atomic
// CHECK: ret double
// REMARK: remark: RSan takes for plain what is a volatile access and 1 more such
double load(void) {
  return c + d;
}

// A loop that waits is one.
// CHECK-LABEL: void @wait(
// RELAXED: call i32 @__rsan_atomic32_wait_load(ptr {{.*}}@i, i32 0,
// ACQREL: call i32 @__rsan_atomic32_wait_load(ptr {{.*}}@i, i32 2,
// REMARK: remark: RSan takes for plain what is a volatile access:
void wait(void) {
  while (!i)
    ;
}

// A local object that nobody else knows, one that is not aligned, one of another size.
struct __attribute__((packed)) packed {
  char c;
  int i;
};
// CHECK-LABEL: void @none(
// CHECK-NOT: __tsan_atomic
// CHECK: ret void
void none(volatile struct packed *q, volatile long double *r) {
  volatile int local = 1;
  q->i = local;
  *r = 1;
}
