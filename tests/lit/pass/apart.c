// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The same access in both branches stays two, each with its line, unless the user asks for
// something else: one of both has no line.
//
// RUN: %rsan_clang -fsanitize=robustness -g -O1 -c %s -o %t.o
// RUN: %llvm_prefix/bin/llvm-objdump -dr --no-show-raw-insn %t.o | grep -c PLT32.*tsan_atomic | FileCheck %s
// CHECK: {{^}}8{{$}}
// RUN: %rsan_clang -fsanitize=robustness -g -O2 -c %s -o %t.o
// RUN: %llvm_prefix/bin/llvm-objdump -dr --no-show-raw-insn %t.o | grep -c PLT32.*tsan_atomic | FileCheck %s
// RUN: %rsan_clang -fsanitize=robustness -g -O1 -mllvm -sink-common-insts -mllvm -hoist-common-insts -mllvm -enable-tail-merge -c %s -o %t.o
// RUN: %llvm_prefix/bin/llvm-objdump -dr --no-show-raw-insn %t.o | grep -c PLT32.*tsan_atomic | FileCheck %s --check-prefix=MERGED
// MERGED: {{^}}{{[567]$}}
//
// Each with a line of its own.
// RUN: %rsan_clang -fsanitize=robustness -g -O2 -S -emit-llvm %s -o - | grep 'call.*__tsan_atomic' | grep -o 'dbg !.*' | sort -u | count 8

#include <stdatomic.h>

atomic_int x, y;

int load(int which) {
  int one, other;
  if (which) {
    one = atomic_load_explicit(&x, memory_order_acquire);
    other = atomic_load_explicit(&y, memory_order_acquire);
  } else {
    other = atomic_load_explicit(&y, memory_order_relaxed);
    one = atomic_load_explicit(&x, memory_order_acquire);
    other += atomic_load_explicit(&y, memory_order_acquire);
  }
  return one * 3 + other;
}

void store(int which) {
  if (which) {
    atomic_store_explicit(&x, 1, memory_order_release);
  } else {
    atomic_store_explicit(&y, 1, memory_order_release);
    atomic_store_explicit(&x, 1, memory_order_release);
  }
}
