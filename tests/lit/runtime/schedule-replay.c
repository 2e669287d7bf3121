// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A record that is not of this run: another build is said, and the first step that differs is named
// with both program points (of another program, that is its offset there); what is no record ends
// the program with one line.
//
// RUN: %build %s -o %t && %build -DOTHER %s -o %t.other && rm -rf %t.dir && mkdir %t.dir && cd %t.dir
// RUN: env RSAN_OPTIONS=schedule=random:seed=2:schedule_file=record %t 2> first
// RUN: env RSAN_OPTIONS=replay=record %t 2> second && cmp first second
// RUN: not grep WARNING first
//
// RUN: env RSAN_OPTIONS=replay=record %t.other 2>&1 | FileCheck %s
// CHECK: WARNING: ThreadSanitizer: record was recorded with another build of the program
// CHECK: WARNING: ThreadSanitizer: the run differs from record at step {{[0-9]+}}: thread {{[0-9]+}} made: atomic read-modify-write at 0x{{[0-9a-f]+}} of a module that is not loaded; here it is about to make: atomic {{[a-z-]+}} in {{[a-z]+}} schedule-replay.c:{{[0-9]+}}; from here on the policy chooses
// CHECK: 400
//
// Other arguments: the same, in the same build.
// RUN: env RSAN_OPTIONS=replay=record %t more 2>&1 | FileCheck %s --check-prefix=MORE --implicit-check-not=another
// MORE: the run differs from record at step {{[0-9]+}}: thread {{[0-9]+}} made: end of the thread; here it is about to make: atomic read-modify-write in work schedule-replay.c:{{[0-9]+}}; from here on the policy chooses
//
// The record of a run that was killed has no last line, and repeats what it has.
// RUN: head -c -20 record > cut && env RSAN_OPTIONS=replay=cut %t 2>&1 | FileCheck %s --check-prefix=CUT
// CUT: 400
//
// RUN: echo x > bad && env RSAN_OPTIONS=replay=bad %exits 66 %t 2>&1 | FileCheck %s --check-prefix=BAD
// BAD: ThreadSanitizer: replay=bad in RSAN_OPTIONS: this is no recorded schedule
// RUN: env RSAN_OPTIONS=replay=none %exits 66 %t 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: ThreadSanitizer: replay=none in RSAN_OPTIONS: the file cannot be read
// RUN: env RSAN_OPTIONS=schedule=mix:schedule_file=a/b %exits 66 %t 2>&1 | FileCheck %s --check-prefix=WRITE
// WRITE: ThreadSanitizer: schedule_file=a/b in RSAN_OPTIONS: the file cannot be written
// RUN: env RSAN_OPTIONS=schedule=wild %exits 66 %t 2>&1 | FileCheck %s --check-prefix=POLICY
// POLICY: ThreadSanitizer: schedule=wild in the options: must be off, random, pct, pos, mix or delay
// RUN: env RSAN_OPTIONS=schedule=random:switch=0 %exits 66 %t 2>&1 | FileCheck %s --check-prefix=SWITCH
// SWITCH: ThreadSanitizer: switch=0 in RSAN_OPTIONS: must be 1 to 100

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int sum, rounds = 100;

static void add(void) {
#ifdef OTHER
  atomic_load(&rounds);
#endif
  atomic_fetch_add(&sum, 2);
}

static void *work(void *more) {
  for (int i = 0; i < 100; i++)
    add();
  for (int i = 0; more && i < 100; i++)
    atomic_fetch_add(&rounds, 1);
  return NULL;
}

int main(int argc, char **argv) {
  pthread_t threads[2];
  (void)argv;
  for (int i = 0; i < 2; i++)
    pthread_create(&threads[i], NULL, work, argc > 1 ? &sum : NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], NULL);
  fprintf(stderr, "%d\n", atomic_load(&sum));
}
