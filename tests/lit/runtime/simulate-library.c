// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Simulated repairs in libraries that come and go: a point is looked for when it is reached, in
// what is loaded there by then. Two libraries, at the same address one after the other, have the
// same code at other lines. Each is loaded twice, and each time its initialiser and a function do
// one access.
//
// RUN: rm -rf %t.dir && mkdir %t.dir && cd %t.dir
// RUN: %build -shared -fPIC -DLINE=80 -DINITIALISER=81 -fuse-ld=lld -Wl,--image-base=0x200000000 %s -o first.so
// RUN: %build -shared -fPIC -DLINE=90 -DINITIALISER=91 -fuse-ld=lld -Wl,--image-base=0x200000000 %s -o second.so
// RUN: %build %s -o %t
//
// RUN: printf 'fence-before library.c:80\nfence-before library.c:81\n' > first
// RUN: env RSAN_OPTIONS=simulate=first:stats=1 %t 2>&1 | FileCheck %s -DN=4 -DUNMATCHED=0
// RUN: printf 'fence-before library.c:80\n' > function
// RUN: env RSAN_OPTIONS=simulate=function:stats=1 %t 2>&1 | FileCheck %s -DN=2 -DUNMATCHED=0
// RUN: printf 'fence-after library.c:81\n' > initialiser
// RUN: env RSAN_OPTIONS=simulate=initialiser:stats=1 %t 2>&1 | FileCheck %s -DN=2 -DUNMATCHED=0
// RUN: printf 'fence-before library.c:90\nfence-after library.c:91\nfence-before library.c:80\n' > both
// RUN: env RSAN_OPTIONS=simulate=both:stats=1 %t 2>&1 | FileCheck %s -DN=6 -DUNMATCHED=0
// RUN: printf 'fence-before library.c:70\n' > none
// RUN: env RSAN_OPTIONS=simulate=none:stats=1 %t 2>&1 | FileCheck %s -DN=0 -DUNMATCHED=1
//
// By module and link-time address, that of the call's return here.
// RUN: %llvm_prefix/bin/llvm-objdump -d --no-show-raw-insn --disassemble-symbols=act second.so > code
// RUN: grep -A1 __tsan_atomic32_load code | sed -n '$s/^ *\([0-9a-f]*\):.*/fence-before second.so+0x\1/p' > module
// RUN: env RSAN_OPTIONS=simulate=module:stats=1 %t 2>&1 | FileCheck %s -DN=2 -DUNMATCHED=0
// CHECK: same place
// CHECK: unmatched [[UNMATCHED]] {{[a-z]+ .*}}
// CHECK-NEXT: simulated_fences [[N]] {{[a-z]+ .*}}

#ifdef LINE
int x = 1;

int act(void);
int act(void) {
#line LINE "library.c"
  return __atomic_load_n(&x, __ATOMIC_RELAXED) + 1;
}

__attribute__((constructor)) static void begin(void) {
#line INITIALISER "library.c"
  __atomic_fetch_add(&x, 0, __ATOMIC_RELAXED);
}
#else
#include <dlfcn.h>
#include <stdio.h>

static void *use(const char *path) {
  void *handle = dlopen(path, RTLD_NOW), *found;
  int (*act)(void);
  if (!handle || !(found = dlsym(handle, "act")))
    return NULL;
  *(void **)&act = found;
  if (act() != 2)
    return NULL;
  dlclose(handle);
  return found;
}

int main(void) {
  void *first = use("./first.so"), *second = use("./second.so");
  if (!first || use("./first.so") != first || use("./second.so") != second)
    return 2;
  fputs(first == second ? "same place\n" : "elsewhere\n", stderr);
}
#endif
