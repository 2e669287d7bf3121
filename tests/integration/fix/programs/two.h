// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two threads, the second one staged behind the first.

#ifndef TWO_H
#define TWO_H

#include "stage.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static inline void run_two(void *(*first)(void *), void *(*second)(void *)) {
  pthread_t threads[2];
  if (pthread_create(&threads[0], NULL, first, NULL) ||
      pthread_create(&threads[1], NULL, second, NULL))
    abort();
  pthread_join(threads[0], NULL);
  pthread_join(threads[1], NULL);
}

#endif
