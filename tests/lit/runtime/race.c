// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Data races, and all else that ThreadSanitizer reports, are reported as it reports them: the very
// text.
//
// RUN: %build %s -o %t
// RUN: %rsan_clang -fsanitize=thread -D_GNU_SOURCE -g -O1 -I%S/Inputs %s -o %t.thread
// RUN: %exits 66 %t race 2>&1 | FileCheck %s
// RUN: %exits 66 %t.thread race 2>&1 | FileCheck %s
// CHECK: WARNING: ThreadSanitizer: data race (pid={{[0-9]+}})
// CHECK-NEXT: Write of size 4 at 0x[[ADDR:[0-9a-f]+]] by thread T2:
// CHECK-NEXT: #0 increase {{.*}}race.c:[[#@LINE+40]]:9
// CHECK: Previous write of size 4 at 0x[[ADDR]] by thread T1:
// CHECK-NEXT: #0 increase {{.*}}race.c:[[#@LINE+38]]:9
// CHECK: Location is global 'plain' of size 4 at 0x[[ADDR]]
// CHECK: Thread T2 (tid={{[0-9]+}}, running) created by main thread at:
// CHECK: Thread T1 (tid={{[0-9]+}}, {{running|finished}}) created by main thread at:
// CHECK: SUMMARY: ThreadSanitizer: data race {{.*}}race.c:{{[0-9]+:[0-9]+}} in increase
// CHECK: ThreadSanitizer: reported 1 warnings
//
// RUN: %exits 66 %t atomic-race 2>&1 | FileCheck %s --check-prefix=ATOMIC
// RUN: %exits 66 %t.thread atomic-race 2>&1 | FileCheck %s --check-prefix=ATOMIC
// ATOMIC: WARNING: ThreadSanitizer: data race
// ATOMIC-NEXT: Write of size 4 at 0x[[ADDR:[0-9a-f]+]] by thread T2:
// ATOMIC: Previous atomic write of size 4 at 0x[[ADDR]] by thread T1:
//
// RUN: %exits 66 %t free-race 2>&1 | FileCheck %s --check-prefix=FREE
// RUN: %exits 66 %t.thread free-race 2>&1 | FileCheck %s --check-prefix=FREE
// FREE: WARNING: ThreadSanitizer: data race
// FREE: #0 free
//
// RUN: %exits 66 %t deadlock 2>&1 | FileCheck %s --check-prefix=DEADLOCK
// RUN: %exits 66 %t.thread deadlock 2>&1 | FileCheck %s --check-prefix=DEADLOCK
// DEADLOCK: WARNING: ThreadSanitizer: lock-order-inversion (potential deadlock)
//
// RUN: %t locked 2>&1 | count 0
// RUN: env RSAN_OPTIONS=robustness=0 %exits 66 %t race 2>&1 | FileCheck %s
#include "access.h"
#include "turns.h"

#include <string.h>

static const char *what;
static int plain, *heap;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;

static int is(const char *word) {
  return strcmp(what, word) == 0;
}

__attribute__((noinline)) static void increase(void) {
  plain += 1;
}

static void lock_both(pthread_mutex_t *a, pthread_mutex_t *b) {
  pthread_mutex_lock(a);
  pthread_mutex_lock(b);
  pthread_mutex_unlock(b);
  pthread_mutex_unlock(a);
}

static void one(void) {
  if (is("race"))
    increase();
  if (is("atomic-race"))
    STORE(plain, 1);
  if (is("free-race"))
    STORE(*heap, 1);
  if (is("deadlock"))
    lock_both(&mutex, &second);
  if (is("locked")) {
    pthread_mutex_lock(&mutex);
    increase();
    pthread_mutex_unlock(&mutex);
  }
}

static void other(void) {
  if (is("race"))
    increase();
  if (is("atomic-race"))
    plain = 2;
  if (is("free-race"))
    free(heap);
  if (is("deadlock"))
    lock_both(&second, &mutex);
  if (is("locked")) {
    pthread_mutex_lock(&mutex);
    increase();
    pthread_mutex_unlock(&mutex);
  }
}

int main(int argc, char **argv) {
  what = argc > 1 ? argv[1] : "";
  heap = malloc(sizeof *heap);
  one_then_other(one, other);
}
