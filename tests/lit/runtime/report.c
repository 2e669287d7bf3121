// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A report from the header to the summary, and the run-time flags that decide where it goes and how
// the program ends.
//
// RUN: %build %s -o %t
// RUN: %exits 66 %t >%t.out 2>%t.err
// RUN: FileCheck %s --match-full-lines --strict-whitespace <%t.err
// RUN: FileCheck %s --check-prefix=OUT <%t.out
// OUT-NOT: Sanitizer
// OUT: end
//
//      CHECK:==================
// CHECK-NEXT:WARNING: ThreadSanitizer: robustness violation (pid={{[1-9][0-9]*}})
// CHECK-NEXT:  Atomic read of size 4 at 0x[[ADDR:[0-9a-f]+]] by thread T2 (memory_order_acquire):
// CHECK-NEXT:    #0 look {{.*}}/report.c:[[#@LINE+81]]:10 ({{.*}}
// CHECK-NEXT:    #1 enter_second {{.*}}/report.c:[[#@LINE+94]]:15 ({{.*}}
//      CHECK:  may miss the atomic write of size 4 by thread T1 (memory_order_release):
// CHECK-NEXT:    #0 raise_flag {{.*}}/report.c:[[#@LINE+71]]:3 ({{.*}}
// CHECK-NEXT:    #1 enter_first {{.*}}/report.c:[[#@LINE+82]]:3 ({{.*}}
//      CHECK:  It would read 40 in place of 41.
// CHECK-NEXT:  Every sequentially consistent run orders that write first, through
// CHECK-NEXT:    write flag0   T1   enter_first {{.*}}/report.c:[[#@LINE+79]]:3 via raise_flag {{.*}}/report.c:[[#@LINE+67]]:3    memory_order_release
// CHECK-NEXT:    read  flag1   T1   enter_first {{.*}}/report.c:[[#@LINE+79]]:14 via look {{.*}}/report.c:[[#@LINE+73]]:10        memory_order_acquire   (before the next write)
// CHECK-NEXT:    write flag1   T2   enter_second {{.*}}/report.c:[[#@LINE+85]]:3 via raise_flag {{.*}}/report.c:[[#@LINE+65]]:3   memory_order_release
// CHECK-NEXT:    read  flag0   T2   enter_second {{.*}}/report.c:[[#@LINE+85]]:15 via look {{.*}}/report.c:[[#@LINE+71]]:10       memory_order_acquire   <- here
// CHECK-NEXT:  but it does not happen before this access.
// CHECK-EMPTY:
// CHECK-NEXT:  Location is global 'flag0' of size 4 at 0x[[ADDR]] ({{.*}}+0x{{[0-9a-f]+}})
// CHECK-EMPTY:
// CHECK-NEXT:  Thread T2 'second' (tid={{[1-9][0-9]*}}, running) created by main thread at:
//      CHECK:    #{{[0-9]+}} main {{.*}}/report.c:[[#@LINE+88]]{{:[0-9]+}} ({{.*}}
//      CHECK:  Thread T1 'first' (tid={{[1-9][0-9]*}}, {{running|finished}}) created by main thread at:
//      CHECK:    #{{[0-9]+}} main {{.*}}/report.c:[[#@LINE+85]]{{:[0-9]+}} ({{.*}}
//      CHECK:  Suggested repair: atomic_thread_fence(memory_order_seq_cst) after {{.*}}/report.c:[[#@LINE+67]]:3 and after {{.*}}/report.c:[[#@LINE+75]]:3
// CHECK-EMPTY:
// CHECK-NEXT:DEDUP_TOKEN: {{[0-9a-f]+}}
// CHECK-NEXT:SUMMARY: ThreadSanitizer: robustness violation {{.*}}/report.c:[[#@LINE+73]]:15 in enter_second
// CHECK-NEXT:==================
//  CHECK-NOT:{{.*}}WARNING{{.*}}
//      CHECK:ThreadSanitizer: reported 1 warnings
//
// One fence more in each thread: nothing at all.
// RUN: %build %s -DREPAIRED -o %t.repaired
// RUN: %t.repaired >%t.out 2>%t.err && FileCheck %s --check-prefix=OUT <%t.out && count 0 <%t.err
//
// The exit code.
// RUN: env RSAN_OPTIONS=exitcode=7 %exits 7 %t 2>&1 | FileCheck %s --check-prefix=REPORT
// RUN: env RSAN_OPTIONS=exitcode=0 %exits 0 %t 2>&1 | FileCheck %s --check-prefix=REPORT
// RUN: env RSAN_OPTIONS=exitcode=7 %exits 0 %t.repaired
// RUN: %exits 3 %t.repaired 3
// REPORT: robustness violation
//
// The report ends the program, or does not.
// RUN: env RSAN_OPTIONS=halt_on_error=1 %exits 66 %t 2>&1 | FileCheck %s --check-prefix=HALT
// RUN: env RSAN_OPTIONS=halt_on_error=0 %exits 66 %t 2>&1 | FileCheck %s --check-prefixes=REPORT,OUT-AFTER
// HALT: SUMMARY: ThreadSanitizer: robustness violation
// HALT-NOT: end
// OUT-AFTER: end
//
// A file for each process takes the report; without a violation there is none.
// RUN: rm -f %t.log*
// RUN: env RSAN_OPTIONS=log_path=%t.log %exits 0 %t.repaired
// RUN: not ls %t.log.* 2>/dev/null
// RUN: env RSAN_OPTIONS=log_path=%t.log %exits 66 %t 2>&1 | FileCheck %s --check-prefix=OUT
// RUN: cat %t.log.* | FileCheck %s --match-full-lines --strict-whitespace
//
// Colours, paths and the summary, as one likes.
// RUN: env RSAN_OPTIONS=color=always %exits 66 %t 2>&1 | FileCheck %s --check-prefix=COLOUR
// COLOUR: {{.\[1m.\[31m}}WARNING: ThreadSanitizer: robustness violation
// COLOUR: {{.\[1m.\[34m  Atomic read of size 4 .*:$}}
// COLOUR: {{.\[1m.\[34m  may miss the atomic write .*:$}}
// RUN: not %t 2>&1 | FileCheck %s --check-prefix=PALE
// PALE-NOT: {{.\[1m}}
// RUN: env RSAN_OPTIONS=strip_path_prefix=%S/ not %t 2>&1 | FileCheck %s --check-prefix=STRIPPED
// STRIPPED: #0 look report.c:
// STRIPPED: SUMMARY: ThreadSanitizer: robustness violation report.c:
// RUN: env RSAN_OPTIONS=print_summary=0 not %t 2>&1 | FileCheck %s --check-prefix=BRIEF
// BRIEF: robustness violation
// BRIEF-NOT: SUMMARY
// RUN: env RSAN_OPTIONS=report_bugs=0 %exits 0 %t 2>&1 | FileCheck %s --check-prefix=OUT
#include "turns.h"

#include <stdatomic.h>
#include <stdio.h>

static atomic_int flag0 = 40, flag1;

__attribute__((noinline)) static void raise_flag(atomic_int *flag) {
  atomic_store_explicit(flag, 41, memory_order_release);
#ifdef REPAIRED
  atomic_thread_fence(memory_order_seq_cst);
#endif
}

__attribute__((noinline)) static int look(atomic_int *flag) {
  return atomic_load_explicit(flag, memory_order_acquire);
}

static void *enter_first(void *arg) {
  await_turn(1);
  raise_flag(&flag0);
  int flag = look(&flag1);
  pass_turn(2);
  return flag ? arg : NULL;
}

static void *enter_second(void *arg) {
  await_turn(2);
  raise_flag(&flag1);
  int other = look(&flag0);
  pass_turn(3);
  await_turn(4);
  return other ? arg : NULL;
}

int main(int argc, char **argv) {
  pthread_t threads[2];
  threads[0] = start(enter_first, NULL);
  threads[1] = start(enter_second, NULL);
  pthread_setname_np(threads[0], "first");
  pthread_setname_np(threads[1], "second");
  pass_turn(1);
  pthread_join(threads[0], NULL);
  await_turn(3);
  pass_turn(4);
  pthread_join(threads[1], NULL);
  puts("end");
  return argc > 1 ? atoi(argv[1]) : 0;
}
