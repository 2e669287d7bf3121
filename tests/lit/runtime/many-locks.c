// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread holds more locks than the detector of lock-order inversions has places for, and one lock
// as often. An inversion of the first two is reported all the same; without one nothing is.
//
// RUN: %build %s -o %t
// RUN: %t 1 >%t.out 2>&1 && %t 64 >>%t.out 2>&1 && %t 65 >>%t.out 2>&1
// RUN: %t 66 >>%t.out 2>&1 && %t 500 >>%t.out 2>&1
// RUN: FileCheck %s < %t.out
// CHECK-NOT: ThreadSanitizer
// CHECK-COUNT-5: end
// RUN: %exits 66 %t 65 inverted 2>&1 | FileCheck %s --check-prefix=INVERTED
// INVERTED: WARNING: ThreadSanitizer: lock-order-inversion
// INVERTED: end

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  const int count = argc > 1 ? atoi(argv[1]) : 1;
  pthread_mutex_t *locks = calloc(count, sizeof *locks), recursive;
  pthread_mutexattr_t attribute;
  pthread_mutexattr_init(&attribute);
  pthread_mutexattr_settype(&attribute, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&recursive, &attribute);
  for (int i = 0; i < count; i++) {
    pthread_mutex_init(&locks[i], NULL);
    pthread_mutex_lock(&locks[i]);
  }
  for (int i = count; i--;)
    pthread_mutex_unlock(&locks[i]);
  for (int i = 0; i < count; i++)
    pthread_mutex_lock(&recursive);
  for (int i = 0; i < count; i++)
    pthread_mutex_unlock(&recursive);
  if (argc > 2) {
    pthread_mutex_lock(&locks[1]);
    pthread_mutex_lock(&locks[0]);
    pthread_mutex_unlock(&locks[0]);
    pthread_mutex_unlock(&locks[1]);
  }
  puts("end");
}
