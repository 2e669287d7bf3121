// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Synchronisation by inline assembly: RSan does not see it, and reports a data race and a violation
// that cannot happen. Told of it, it reports neither. Twins: not told, told of another address,
// told of one half alone.
//
// RUN: %build %s -o %t && %t 2>&1 | count 0
// RUN: %buildxx -x c++ %s -o %t && %t 2>&1 | count 0
// RUN: %build -DBEFORE= %s -o %t && %exits 66 %t 2>&1 | FileCheck %s
// RUN: %build -DAFTER= %s -o %t && %exits 66 %t 2>&1 | FileCheck %s
// RUN: %build "-DAFTER=rsan_happens_after(&message)" %s -o %t && %exits 66 %t 2>&1 | FileCheck %s
// CHECK: WARNING: ThreadSanitizer: data race
// CHECK: WARNING: ThreadSanitizer: robustness violation
// CHECK: reported 2 warnings
#include "access.h"
#include "turns.h"

#include "rsan.h"

#ifndef BEFORE
#define BEFORE rsan_happens_before(&bell)
#endif
#ifndef AFTER
#define AFTER rsan_happens_after(&bell)
#endif

static int x, y, bell, message;

static void ring(void) {
  __asm__ volatile("movl $1, %0" : "=m"(bell) : : "memory");
}

static void await_ring(void) {
  int rung;
  do
    __asm__ volatile("movl %1, %0" : "=r"(rung) : "m"(bell) : "memory");
  while (!rung);
}

static void *one(void *unused) {
  message = 42;
  STORE(x, 1);
  LOAD(y);
  BEFORE;
  ring();
  return unused;
}

static void *other(void *unused) {
  await_ring();
  AFTER;
  if (message != 42)
    abort();
  STORE(y, 1);
  LOAD(x);
  return unused;
}

int main(void) {
  LOAD(x);
  pthread_t threads[] = {start(one, NULL), start(other, NULL)};
  pthread_join(threads[0], NULL);
  pthread_join(threads[1], NULL);
}
