// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A report says which field of which structure is accessed, through pointers, arrays, nested and
// nameless structures, std::atomic's members and wrappers, at each level of optimisation; the first
// field of a structure, too. It does not for an object that is no field's, or where the source has
// no types. It says how the source reaches the field where that begins with a variable: not from
// another element of what the variable points to, nor through a second pointer. Where the source
// has only a pointer to the field at one access, the report has the name from the other one.
//
// RUN: %buildxx -O0 %s -o %t.O0
// RUN: %buildxx -O2 %s -o %t.O2
// RUN: %buildxx -O2 -flto %s -o %t.lto
// RUN: %buildxx -O2 -g0 %s -o %t.g0
// RUN: %exits 66 %t.O0 2>&1 | FileCheck %s
// RUN: %exits 66 %t.O2 2>&1 | FileCheck %s
// RUN: %exits 66 %t.lto 2>&1 | FileCheck %s
// RUN: %exits 66 %t.g0 2>&1 | FileCheck %s --check-prefix=BARE
// RUN: %exits 66 env RSAN_OPTIONS=report_format=json:log_path=%t.log %t.O2
// RUN: cat %t.log.* | FileCheck %s --check-prefix=JSON
// RUN: rm %t.log.*
// BARE-NOT: The object is
//
// CHECK: write queue.inner.flag@[[FLAG:0x[0-9a-f]+]] T1
// CHECK: read queue.inner.flag@[[FLAG]] T2
// CHECK: read queue.tail@0x{{[0-9a-f]+}} T2 {{.*}} <- here
// CHECK: The object is queue.tail (q->tail), 64 bytes into a block of {{[0-9]+}} bytes.
// CHECK: Location is heap block
// CHECK: The object is queue.slots[].seq (local->slots[].seq), 92 bytes into a block of
// CHECK: The object is queue.atomic (q->atomic), 68 bytes into a block of
// CHECK: The object is queue.wrapped (q->wrapped), 72 bytes into a block of
// CHECK: The object is cell.seq, {{[0-9]+}} bytes into a block of
// CHECK: The object is cell.seq, {{[0-9]+}} bytes into a block of
// CHECK: The object is first.head (first_field->head), 0 bytes into a block of
// CHECK: The object is nested.head.next (nested_field->head.next), 0 bytes into a block of
// CHECK: The object is array.values[] (array_field->values[]), 4 bytes into a block of
// CHECK: write queue.aliased@[[ALIASED:0x[0-9a-f]+]] T1
// CHECK: read queue.aliased@[[ALIASED]] T2 {{.*}} <- here
// CHECK: The object is queue.aliased (q->aliased), 76 bytes into a block of
// CHECK: read queue.tail@jobs+64 T2 {{.*}} <- here
// CHECK: The object is queue.tail (jobs.tail).
// CHECK: read first.head@front T2 {{.*}} <- here
// CHECK: The object is first.head (front.head).
// CHECK: read nested.head.next@deep T2 {{.*}} <- here
// CHECK: The object is nested.head.next (deep.head.next).
// CHECK: read both T2 {{.*}} <- here
// CHECK-NOT: The object is
// CHECK: Location is global 'both'
// CHECK: #0 look
// CHECK-NOT: The object is
// CHECK: SUMMARY
// JSON: "field":"queue.tail","expression":"q->tail"
// JSON-SAME: "address":"0x{{[0-9a-f]+}}"},"field":"queue.inner.flag"
// JSON: "field":"queue.aliased","expression":"q->aliased"
// JSON-SAME: "field":"queue.aliased","expression":"q->aliased"
#include "turns.h"

#include <atomic>

namespace ns {

struct cell {
  int data, seq;
};

struct first {
  int head, rest;
};

struct nested {
  struct {
    std::atomic<int> next;
  } head;
  int rest;
};

struct array {
  int values[2], rest;
};

struct queue {
  char before[64];
  int tail;
  std::atomic<int> atomic;
  int wrapped, aliased;
  cell slots[4];
  struct {
    int flag;
  } inner;
};

} // namespace ns

ns::queue *q; // not static: the optimiser would make globals of the blocks
ns::first *first_field;
ns::nested *nested_field;
ns::array *array_field;
ns::queue jobs;
alignas(8) ns::first front, both; // an access to all of a structure is none to its first field
ns::nested deep;
int *lone, *alias;
ns::cell *cells;
struct {
  ns::cell *cells;
} holder;

static inline int load_wrapped(int *object) {
  return __atomic_load_n(object, __ATOMIC_RELAXED);
}

static ns::first one_and_none = {1, 0};

static void work() {
  __atomic_store_n(&q->tail, 1, __ATOMIC_RELAXED);
  __atomic_store_n(&q->slots[1].seq, 1, __ATOMIC_RELAXED);
  q->atomic.store(1, std::memory_order_relaxed);
  __atomic_store_n(&q->wrapped, 1, __ATOMIC_RELAXED);
  __atomic_store_n(&cells[1].seq, 1, __ATOMIC_RELAXED);
  __atomic_store_n(&holder.cells->seq, 1, __ATOMIC_RELAXED);
  __atomic_store_n(&first_field->head, 1, __ATOMIC_RELAXED);
  nested_field->head.next.store(1, std::memory_order_relaxed);
  __atomic_store_n(&array_field->values[1], 1, __ATOMIC_RELAXED);
  __atomic_store_n(&q->aliased, 1, __ATOMIC_RELAXED);
  __atomic_store_n(&jobs.tail, 1, __ATOMIC_RELAXED);
  __atomic_store_n(&front.head, 1, __ATOMIC_RELAXED);
  deep.head.next.store(1, std::memory_order_relaxed);
  __atomic_store(&both, &one_and_none, __ATOMIC_RELAXED);
  __atomic_store_n(lone, 1, __ATOMIC_RELAXED);
  __atomic_store_n(&q->inner.flag, 1, __ATOMIC_RELAXED);
}

static void look() {
  ns::queue *local = q;
  volatile int one = 1;
  int sum = __atomic_load_n(&q->inner.flag, __ATOMIC_RELAXED);
  sum += __atomic_load_n(&q->tail, __ATOMIC_RELAXED);
  sum += __atomic_load_n(&local->slots[1].seq, __ATOMIC_RELAXED);
  sum += q->atomic.load(std::memory_order_relaxed);
  sum += load_wrapped(&q->wrapped);
  sum += __atomic_load_n(&cells[1].seq, __ATOMIC_RELAXED);
  sum += __atomic_load_n(&holder.cells->seq, __ATOMIC_RELAXED);
  sum += load_wrapped(&first_field->head);
  sum += nested_field->head.next.load(std::memory_order_relaxed);
  sum += __atomic_load_n(&array_field->values[one], __ATOMIC_RELAXED);
  sum += __atomic_load_n(alias, __ATOMIC_RELAXED);
  sum += __atomic_load_n(&jobs.tail, __ATOMIC_RELAXED);
  sum += __atomic_load_n(&front.head, __ATOMIC_RELAXED);
  sum += deep.head.next.load(std::memory_order_relaxed);
  ns::first read;
  __atomic_load(&both, &read, __ATOMIC_RELAXED);
  sum += read.head;
  sum += __atomic_load_n(lone, __ATOMIC_RELAXED);
  if (sum != 16)
    abort();
}

int main() {
  q = static_cast<ns::queue *>(calloc(1, sizeof *q));
  alias = &q->aliased;
  cells = static_cast<ns::cell *>(calloc(2, sizeof *cells));
  holder.cells = cells;
  first_field = static_cast<ns::first *>(calloc(1, sizeof *first_field));
  nested_field = static_cast<ns::nested *>(calloc(1, sizeof *nested_field));
  array_field = static_cast<ns::array *>(calloc(1, sizeof *array_field));
  lone = static_cast<int *>(calloc(1, sizeof *lone));
  one_then_other(work, look);
}
