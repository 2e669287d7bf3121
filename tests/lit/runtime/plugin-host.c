// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A plug-in that is compiled with the sanitizer, in a program that is not: it runs if the shared
// runtime is loaded before the program. Else the dynamic linker says what is missing.
//
// RUN: %build -DPLUGIN -shared -fPIC %s -o %t.so
// RUN: %build -DPLUGIN -shared-libsan -shared -fPIC %s -o %t.with.so
// RUN: %stock_clang %s -o %t
// RUN: env LD_PRELOAD=%resource_dir/lib/linux/libclang_rt.rsan-x86_64.so %exits 66 %t %t.so 2>&1 | FileCheck %s
// RUN: env LD_PRELOAD=%resource_dir/lib/linux/libclang_rt.rsan-x86_64.so %exits 66 %t %t.with.so 2>&1 | FileCheck %s
// RUN: env LD_PRELOAD=%resource_dir/lib/linux/libclang_rt.rsan-x86_64.so %t %t.so repaired 2>&1 | FileCheck %s --check-prefix=REPAIRED
// RUN: not %t %t.so 2>&1 | FileCheck %s --check-prefix=MISSING
// CHECK: WARNING: ThreadSanitizer: robustness violation
// CHECK: the plug-in has run
// REPAIRED-NOT: WARNING
// REPAIRED: the plug-in has run
// MISSING: undefined symbol: __tsan_

#ifdef PLUGIN

#include "turns.h"

static int x, y, fenced;

static void store_x(void) {
  __atomic_store_n(&x, 1, __ATOMIC_RELAXED);
  if (fenced)
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
  __atomic_load_n(&y, __ATOMIC_RELAXED);
}

static void store_y(void) {
  __atomic_store_n(&y, 1, __ATOMIC_RELAXED);
  if (fenced)
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
  __atomic_load_n(&x, __ATOMIC_RELAXED);
}

void run(int repaired);
void run(int repaired) {
  fenced = repaired;
  one_then_other(store_x, store_y);
}

#else

#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv) {
  void *plugin = dlopen(argv[1], RTLD_NOW);
  void (*run)(int) = plugin ? (void (*)(int))dlsym(plugin, "run") : NULL;
  if (!run) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  run(argc > 2);
  fprintf(stderr, "the plug-in has run\n");
  return 0;
}

#endif
