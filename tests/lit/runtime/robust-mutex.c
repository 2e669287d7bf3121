// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread ends while it holds a robust mutex. The next owner gets EOWNERDEAD and acquires what the
// dead thread had done, so there is no race. The broken twin does not lock the mutex.
//
// RUN: %build -O1 %s -o %t
// RUN: %t 2>&1 | FileCheck --check-prefix=WHOLE %s
// RUN: not %t broken 2>&1 | FileCheck --check-prefix=BROKEN %s
// WHOLE-NOT: WARNING
// WHOLE: done
// BROKEN: WARNING: ThreadSanitizer: data race
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t mutex;
static int data;

static void *die(void *unused) {
  if (pthread_mutex_lock(&mutex) != 0)
    abort();
  data = 1;
  return unused;
}

static void *inherit(void *broken) {
  int got;
  if (broken) {
    data++;
    return NULL;
  }
  while ((got = pthread_mutex_lock(&mutex)) == 0 && !data)
    pthread_mutex_unlock(&mutex);
  if (got == EOWNERDEAD)
    pthread_mutex_consistent(&mutex);
  data++;
  pthread_mutex_unlock(&mutex);
  return NULL;
}

int main(int argc, char **argv) {
  pthread_mutexattr_t attributes;
  pthread_t threads[2];
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&mutex, &attributes);
  pthread_create(&threads[0], NULL, die, NULL);
  pthread_create(&threads[1], NULL, inherit, argc > 1 ? argv[1] : NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], NULL);
  puts("done");
  return 0;
}
