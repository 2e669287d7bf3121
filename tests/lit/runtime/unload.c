// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A library that is unloaded takes the history of its variables along. One thread uses an atomic in
// a library that is then unloaded and loaded again, to the same place; another, with nothing that
// orders the two but relaxed steps, finds the value there that the first one left. A library that
// stays loaded goes on with its history.
//
// The library asks for an address that nothing else asks for.
// RUN: %build -shared -fPIC -DLIBRARY -fuse-ld=lld -Wl,--image-base=0x200000000 %s -o %t.so
// RUN: %build %s -o %t
// RUN: %t %t.so reload 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: env RSAN_OPTIONS=clocks=explicit %t %t.so reload 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: %t %t.so twice 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: %exits 66 %t %t.so keep 2>&1 | FileCheck %s
// RUN: %exits 66 %t %t.so nodelete 2>&1 | FileCheck %s
// NONE-NOT: WARNING
// NONE: same place
// NONE-NOT: WARNING
//
// CHECK: WARNING: ThreadSanitizer: robustness violation
// CHECK: Atomic read of size 4 at 0x{{[0-9a-f]+}} by thread T2 (memory_order_relaxed):
// CHECK-NEXT: #0 library_load {{.*}}unload.c:
// CHECK-NEXT: #1 other {{.*}}unload.c:
// CHECK: may miss the atomic write of size 4 by thread T1 (memory_order_relaxed):
// CHECK-NEXT: #0 library_store {{.*}}unload.c:
// CHECK: Location is global 'variable' of size 4 at 0x{{[0-9a-f]+}} (unload.c.tmp.so+0x{{[0-9a-f]+}})
// CHECK: same place
//
// The same with the shared runtime.
// RUN: %build -shared-libsan %s -o %t.shared
// RUN: %t.shared %t.so reload 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: %exits 66 %t.shared %t.so keep 2>&1 | FileCheck %s
#include "access.h"

#ifdef LIBRARY
int variable = 1;

int library_load(void);
int library_load(void) {
  return LOAD(variable);
}

void library_store(int value);
void library_store(int value) {
  STORE(variable, value);
}
#else
#include "turns.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

struct library {
  void *handle;
  int (*load)(void);
  void (*store)(int);
  int *variable;
};

static const char *path, *what;
static int step, *variable_before;

// Looked up by each thread on its own: no pointer is passed on.
static struct library library(void) {
  int flags = RTLD_NOW | (strcmp(what, "nodelete") == 0 ? RTLD_NODELETE : 0);
  struct library it = {.handle = dlopen(path, flags)};
  if (!it.handle)
    exit(3);
  *(void **)&it.load = dlsym(it.handle, "library_load");
  *(void **)&it.store = dlsym(it.handle, "library_store");
  it.variable = dlsym(it.handle, "variable");
  return it;
}

UNSEEN static void note(int *variable) {
  variable_before = variable;
}
UNSEEN static int noted(const int *variable) {
  return variable_before == variable;
}

static void one(void) {
  struct library it = library();
  note(it.variable);
  it.store(2);
  it.store(1);
  ADD(step, 1);
  if (strcmp(what, "keep") != 0)
    dlclose(it.handle);
}

static void other(void) {
  ADD(step, 1);
  struct library it = library();
  if (strcmp(what, "twice") == 0) {
    dlclose(it.handle);
    it = library();
  }
  it.load();
  it.store(1);
  fputs(noted(it.variable) ? "same place\n" : "elsewhere\n", stderr);
}

int main(int argc, char **argv) {
  if (argc < 3)
    return 2;
  path = argv[1];
  what = argv[2];
  one_then_other(one, other);
}
#endif
