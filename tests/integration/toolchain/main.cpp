// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two threads at flags.h, which is imported or included. The second waits until the first has
// looked.
#include "stage.h"

#include <pthread.h>
#ifdef IMPORT
import flags;
#else
#include <atomic>
#define EXPORT
#include "flags.h"
#endif

static int inside;

static void *first(void *arg) {
  if (enter_first())
    ++inside;
  stage_reach(1);
  return arg;
}

static void *second(void *arg) {
  stage_await(1);
  if (enter_second())
    ++inside;
  return arg;
}

int main() {
  pthread_t t1, t2;
  if (pthread_create(&t1, nullptr, first, nullptr) || pthread_create(&t2, nullptr, second, nullptr))
    return 2;
  pthread_join(t1, nullptr);
  pthread_join(t2, nullptr);
  return inside > 1;
}
