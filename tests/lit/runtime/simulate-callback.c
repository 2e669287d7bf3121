// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program point that is first seen while the dynamic linker's lock is held, in a callback of
// dl_iterate_phdr, and another one, of code in no module, that a second thread sees meanwhile:
// neither waits for the other.
//
// RUN: %build %s -o %t
// RUN: echo 'fence-after nowhere+0x1' > %t.rules
// RUN: echo 'fence-after nowhere.c:1' > %t.lines
// RUN: env RSAN_OPTIONS=simulate=%t.rules timeout 20 %t 2>&1 | FileCheck %s
// RUN: env RSAN_OPTIONS=simulate=%t.lines timeout 20 %t 2>&1 | FileCheck %s
// CHECK: both are through

#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define HIDDEN __attribute__((noinline, disable_sanitizer_instrumentation))

enum { BEGINNING, IN_CALLBACK, STORING, STORED };

static int step, second_id;
atomic_int x, y;

HIDDEN static int get(int *p) {
  return __atomic_load_n(p, __ATOMIC_SEQ_CST);
}

HIDDEN static void set(int *p, int value) {
  __atomic_store_n(p, value, __ATOMIC_SEQ_CST);
}

HIDDEN static void await(int value) {
  while (get(&step) < value)
    sched_yield();
}

// Until the second thread has made its store, or is blocked in it: asleep however often one looks.
HIDDEN static void await_second(void) {
  char path[64], text[256];
  await(STORING);
  snprintf(path, sizeof path, "/proc/self/task/%d/stat", get(&second_id));
  for (int asleep = 0; get(&step) != STORED && asleep < 1000; sched_yield()) {
    FILE *file = fopen(path, "r");
    const char *end = file && fgets(text, sizeof text, file) ? strrchr(text, ')') : NULL;
    asleep = end && end[2] == 'S' ? asleep + 1 : 0;
    if (file)
      fclose(file);
  }
}

static int callback(struct dl_phdr_info *info, size_t size, void *data) {
  (void)info, (void)size, (void)data;
  set(&step, IN_CALLBACK);
  await_second();
  atomic_store_explicit(&y, 1, memory_order_release);
  return 1;
}

void __tsan_atomic32_store(volatile int *a, int v, int order);
typedef void store(volatile int *a, int v, int order);

// movabs rax, FUNCTION; sub rsp, 8; call rax; add rsp, 8; ret
static store *make_code(store *function) {
  unsigned char code[] = {0x48, 0xb8, 0, 0,    0,    0,    0,    0,    0, 0,   0x48,
                          0x83, 0xec, 8, 0xff, 0xd0, 0x48, 0x83, 0xc4, 8, 0xc3};
  unsigned char *at = (unsigned char *)mmap(NULL, sizeof code, PROT_READ | PROT_WRITE | PROT_EXEC,
                                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED)
    abort();
  memcpy(code + 2, &function, sizeof function);
  memcpy(at, code, sizeof code);
  return (store *)at;
}

static void *second(void *code) {
  store *store_there = (store *)code;
  set(&second_id, gettid());
  await(IN_CALLBACK);
  set(&step, STORING);
  store_there((volatile int *)&x, 1, __ATOMIC_RELEASE);
  set(&step, STORED);
  return NULL;
}

int main(void) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, second, (void *)make_code(__tsan_atomic32_store)) != 0)
    return 2;
  dl_iterate_phdr(callback, NULL);
  pthread_join(thread, NULL);
  puts("both are through");
  return 0;
}
