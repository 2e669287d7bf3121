// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which functions only pass on an atomic access, so that reports name their callers. Calls of them
// are inlined at every level; calls of others are not at -O0, and nothing is written of them.
//
// RUN: %rsan_clangxx -fsanitize=robustness -O0 -g -DACCEPTED -S -emit-llvm %s -o %t.ll
// RUN: FileCheck %s --check-prefix=ACCEPTED <%t.ll
// ACCEPTED: @rsan.wrappers = private constant [15 x i64] {{.*}}, section "rsan_wrappers"
// ACCEPTED: @llvm.used = {{.*}}@rsan.wrappers
// ACCEPTED-LABEL: define {{.*}}@use(
// ACCEPTED-NOT: call {{.*}}@_ZL{{[0-9]+}}w_
// ACCEPTED: ret void
// ACCEPTED: call void @__rsan_note_wrappers(ptr @rsan.wrappers, i32 15)
//
// RUN: %rsan_clangxx -fsanitize=robustness -O0 -g -S -emit-llvm %s -o - | FileCheck %s --implicit-check-not=rsan.wrappers --implicit-check-not=__rsan_note_wrappers
//
// Without the option there is nothing; what is to stay a function at -O2 stays one.
// RUN: %rsan_clangxx -fsanitize=thread -O0 -g -DACCEPTED -S -emit-llvm %s -o - | FileCheck %s --check-prefix=THREAD
// THREAD-NOT: {{rsan[._]}}
// THREAD: call {{.*}}w_load
// RUN: %rsan_clangxx -fsanitize=robustness -O2 -g -DACCEPTED -DKEEP -S -emit-llvm %s -o - | FileCheck %s --check-prefix=KEPT
// KEPT: @rsan.wrappers = private constant [1 x i64]
// KEPT-LABEL: define {{.*}}@use(
// KEPT: call {{.*}}@_ZL{{[0-9]+}}w_kept
// KEPT: ret void
#include <assert.h>

#define RLX __ATOMIC_RELAXED
#define ACQ __ATOMIC_ACQUIRE
#define REL __ATOMIC_RELEASE
#define SEQ __ATOMIC_SEQ_CST

struct one {
  int value;
};
struct padded {
  long value;
  char rest[56];
};
struct two {
  int first, second;
};
struct list {
  list *next;
};

static int object;
static two pair;
static list head;
static int array[4];

extern "C" {
void unknown(void);

#if defined(KEEP)

__attribute__((noinline)) static int w_kept(const int *p) {
  return __atomic_load_n(p, ACQ);
}

void use(void) {
  w_kept(&object);
}

#elif defined(ACCEPTED)

static int w_load(const int *p) {
  return __atomic_load_n(p, ACQ);
}
static int w_load_order(const int *p, int order) {
  return __atomic_load_n(p, order);
}
static void w_store(int *p, int v) {
  __atomic_store_n(p, v + 1, REL);
}
static bool w_exchange_if(int *p, int *expected, int v) {
  return __atomic_compare_exchange_n(p, expected, v, false, SEQ, ACQ);
}
static int w_exchange_value(int *p, int expected, int v) {
  __atomic_compare_exchange_n(p, &expected, v, true, SEQ, ACQ);
  return expected;
}
static void w_fence(void) {
  __atomic_thread_fence(SEQ);
}
static int w_nested(const int *p) {
  return -w_load(p);
}
static int twice(int v) {
  return 2 * v;
}
static int w_with_helper(int *p, int v) {
  return twice(__atomic_fetch_add(p, twice(v), RLX));
}
static list *w_untagged(list **p) {
  return (list *)((unsigned long)__atomic_load_n(p, ACQ) & ~1ul);
}
static int w_element(int *p, unsigned i) {
  return __atomic_load_n(&p[i % 4], RLX);
}
static int w_member(one *p) {
  return __atomic_load_n(&p->value, RLX);
}
static long w_padded(padded *p) {
  return __atomic_exchange_n(&p->value, 1, ACQ);
}
static int w_checked(int *p, int order) {
  assert(order != REL);
  return order == ACQ ? __atomic_load_n(p, ACQ) : __atomic_load_n(p, RLX);
}
static void w_barrier(int *p) {
  __asm__ volatile("" ::: "memory");
  __atomic_store_n(p, 0, REL);
}

void use(void) {
  static one single;
  static padded line;
  static list *pointer;
  int expected = 0;
  w_load(&object), w_load_order(&object, ACQ), w_store(&object, 1), w_fence();
  w_exchange_if(&object, &expected, 1), w_exchange_value(&object, 0, 1);
  w_nested(&pair.second), w_with_helper(&object, 1), w_untagged(&pointer), w_element(array, 1);
  w_member(&single), w_padded(&line), w_checked(&object, ACQ), w_barrier(&object);
}

#else

// CHECK-LABEL: define {{.*}}@use(
// CHECK: {{call|invoke}} {{.*}}@_ZL{{[0-9]+}}two_accessesP{{.*}}(
static void two_accesses(int *p) {
  __atomic_store_n(p, __atomic_load_n(p, RLX) + 1, REL);
}
// CHECK: {{call|invoke}} {{.*}}@_ZL{{[0-9]+}}access_and_fenceP{{.*}}(
static void access_and_fence(int *p) {
  __atomic_store_n(p, 1, RLX);
  __atomic_thread_fence(SEQ);
}
// CHECK: {{call|invoke}} {{.*}}@_ZL{{[0-9]+}}repeatedP{{.*}}(
static void repeated(int *p) {
  for (int i = 0; i < 2; i++)
    __atomic_fetch_add(p, 1, RLX);
}
// CHECK: {{call|invoke}} {{.*}}@_ZL{{[0-9]+}}of_globalv(
static int of_global(void) {
  return __atomic_load_n(&object, ACQ);
}
// CHECK: {{call|invoke}} {{.*}}@_ZL{{[0-9]+}}of_memberP{{.*}}(
static int of_member(two *p) {
  return __atomic_load_n(&p->second, ACQ);
}
// CHECK: {{call|invoke}} {{.*}}@_ZL{{[0-9]+}}of_what_it_readsP{{.*}}(
static list *of_what_it_reads(list *p) {
  return __atomic_load_n(&p->next->next, ACQ);
}
// CHECK: {{call|invoke}} {{.*}}@_ZL{{[0-9]+}}and_plain_writeP{{.*}}(
static void and_plain_write(int *p, int *data) {
  *data = 1;
  __atomic_store_n(p, 1, REL);
}
// CHECK: {{call|invoke}} {{.*}}@_ZL{{[0-9]+}}and_plain_readP{{.*}}(
static void and_plain_read(int *p) {
  __atomic_store_n(p, pair.first, REL);
}
// CHECK: {{call|invoke}} {{.*}}@_ZL{{[0-9]+}}and_unknownP{{.*}}(
static void and_unknown(int *p) {
  __atomic_store_n(p, 1, REL);
  unknown();
}
// CHECK: {{call|invoke}} {{.*}}@_ZL{{[0-9]+}}calling_itselfP{{.*}}(
static int calling_itself(int *p, int depth) {
  return depth ? calling_itself(p, depth - 1) : __atomic_load_n(p, ACQ);
}
// CHECK: {{call|invoke}} {{.*}}@_ZL{{[0-9]+}}calling_anyP{{.*}}(
static int calling_any(int *p, int (*f)(int *)) {
  return f(p);
}
// CHECK: {{call|invoke}} {{.*}}@_ZL{{[0-9]+}}with_its_addressP{{.*}}(
static int with_its_address(int *p) {
  return __atomic_load_n(p, ACQ);
}
// CHECK: {{call|invoke}} {{.*}}@_ZL{{[0-9]+}}and_assemblyP{{.*}}(
static void and_assembly(int *p) {
  __atomic_store_n(p, 1, REL);
  __asm__ volatile("mfence" ::: "memory");
}
// CHECK: {{call|invoke}} {{.*}}@_ZL{{[0-9]+}}left_outP{{.*}}(
__attribute__((no_sanitize("thread"))) static int left_out(int *p) {
  return __atomic_load_n(p, ACQ);
}
// CHECK: ret void

void use(void) {
  two_accesses(&object), access_and_fence(&object), repeated(&object), of_global();
  of_member(&pair), of_what_it_reads(&head), and_plain_write(&object, array);
  and_plain_read(&object), and_unknown(&object), calling_itself(&object, 1);
  calling_any(&object, with_its_address), with_its_address(&object), and_assembly(&object);
  left_out(&object);
}

#endif
}
