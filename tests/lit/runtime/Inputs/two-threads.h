// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two threads at the same time, to their ends.

#include <pthread.h>

static void run(void *(*one)(void *), void *(*two)(void *), void *argument) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, one, argument);
  pthread_create(&threads[1], NULL, two, argument);
  pthread_join(threads[0], NULL);
  pthread_join(threads[1], NULL);
}
