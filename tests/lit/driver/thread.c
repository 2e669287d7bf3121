// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// -fsanitize=thread, and every other sanitizer, is Debian's: the same commands as clang-19's but
// for the place of the resource directory, and the very runtime.
//
// RUN: %rsan_clang -### -fsanitize=thread %s 2>&1 | FileCheck %s -DRES=%resource_dir
// CHECK-NOT: {{ROBUSTNESS|libclang_rt.rsan}}
// CHECK: "-fsanitize=thread"
// CHECK-NOT: {{ROBUSTNESS|libclang_rt.rsan}}
// CHECK: "[[RES]]/lib/linux/libclang_rt.tsan-x86_64.a"
// CHECK-NOT: {{ROBUSTNESS|libclang_rt.rsan}}
// RUN: cmp %resource_dir/lib/linux/libclang_rt.tsan-x86_64.a %stock_resource_dir/lib/linux/libclang_rt.tsan-x86_64.a
//
// RUN: %rsan_clang -fsanitize=thread -g %s -o %t.thread && not %t.thread 2>&1 | FileCheck %s --check-prefix=RACE
// RACE: WARNING: ThreadSanitizer: data race
// RUN: %llvm_prefix/bin/llvm-nm %t.thread | FileCheck %s --check-prefix=STOCK
// STOCK-NOT: __rsan_
//
// RUN: %rsan_clang -fsanitize=address %s -o %t && %t
// RUN: %rsan_clang -fsanitize=undefined %s -o %t && %t
// RUN: %rsan_clang -fsanitize=leak %s -o %t && %t
// RUN: %rsan_clang -fprofile-instr-generate %s -o %t && env LLVM_PROFILE_FILE=%t.profraw %t
#include <pthread.h>

static int shared, written;

static void *writer(void *unused) {
  (void)unused;
  shared = 1;
  __atomic_store_n(&written, 1, __ATOMIC_RELAXED);
  return 0;
}

int main(void) {
  pthread_t thread;
  if (pthread_create(&thread, 0, writer, 0) != 0)
    return 2;
  // ThreadSanitizer may miss a race of writes at the same moment.
  while (!__atomic_load_n(&written, __ATOMIC_RELAXED))
    ;
  shared = 2;
  return pthread_join(thread, 0);
}
