// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Store buffering by functions of a header of the system that are inlined here.

#include <box.h>
#include <pthread.h>
#include <stddef.h>

static atomic_int x, y;

static void *first(void *result) {
  put(&x);
  *(int *)result = get(&y);
  return NULL;
}

static void *second(void *result) {
  put(&y);
  *(int *)result = get(&x);
  return NULL;
}

int main(void) {
  pthread_t threads[2];
  int results[2];
  pthread_create(&threads[0], NULL, first, &results[0]);
  pthread_create(&threads[1], NULL, second, &results[1]);
  pthread_join(threads[0], NULL);
  pthread_join(threads[1], NULL);
  return results[0] + results[1] == 0;
}
