// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// report_format=json: each report is one line, and nothing else is; where it goes and how the
// program ends is as in text.
//
// RUN: %build %s -o %t
// RUN: %build %s -DREPAIRED -o %t.repaired
// RUN: env RSAN_OPTIONS=report_format=json %exits 66 %t 2>%t.err >%t.out
// RUN: FileCheck %s --check-prefix=OUT <%t.out
// RUN: %S/Inputs/check-record %t.err 'robustness violation'
// RUN: FileCheck %s --match-full-lines --strict-whitespace <%t.err
// OUT: end
//      CHECK:{"rsan_report":1,"type":"robustness violation","pid":{{[1-9][0-9]*}},"program":"{{/.*}}/record.c.tmp","token":"[[TOKEN:[0-9a-f]+]]","token_v1":"{{[0-9a-f]+}}","accesses":[{{.*}}],"stale":"0x28","seen":"0x29","location":{"kind":"global","name":"flag0",{{.*}}},"threads":[{{.*}}]}
//  CHECK-NOT:{{.+}}
//
// No explanation, no cycle.
// RUN: env RSAN_OPTIONS=report_format=json:explain=0 %exits 66 %t 2>&1 | FileCheck %s --check-prefix=WHY
// WHY-NOT: "cycle"
// WHY: {"rsan_report"
// WHY-NOT: {{"cycle"|"repairs"}}
//
// No violation, no line.
// RUN: env RSAN_OPTIONS=report_format=json %t.repaired 2>%t.err >%t.out
// RUN: count 0 <%t.err
//
// Raw: module, offset and build id, of frames and of the location; no names.
// RUN: env RSAN_OPTIONS=report_format=json:symbolize=0 %exits 66 %t 2>%t.raw
// RUN: %S/Inputs/check-record %t.raw 'robustness violation' raw
// RUN: FileCheck %s --check-prefix=RAW <%t.raw
// RAW-NOT: "function"
// RAW: "build_id":"{{[0-9a-f]+}}"
// RAW: "location":{"kind":"global","address":"0x{{[0-9a-f]+}}","module":"{{/.*}}/record.c.tmp","offset":"0x{{[0-9a-f]+}}"}
//
// The token is the same in each run and in text, and another one for another type, and without
// names; `rsan report` makes the same of such a record.
// RUN: env RSAN_OPTIONS=report_format=json not %t 2>%t.err >%t.out
// RUN: sed 's/.*"token":"\([0-9a-f]*\)".*/\1/' %t.err >%t.token
// RUN: not grep -F -f %t.token %t.raw
// RUN: %build_dir/bin/rsan report --format json %t.raw | grep -F -f %t.token | count 1
// RUN: env RSAN_OPTIONS=report_format=json not %t 2>&1 >%t.out | grep -F -f %t.token | count 1
// RUN: env RSAN_OPTIONS=report_format=text not %t 2>&1 >%t.out | grep DEDUP_TOKEN: | grep -F -f %t.token | count 1
// RUN: env RSAN_OPTIONS=report_format=json:robustness=0 %exits 66 %t race 2>%t.race
// RUN: %S/Inputs/check-record %t.race 'data race'
// RUN: not grep -F -f %t.token %t.race
//
// A data race has TSan's text to the letter, and the token where TSan's option for it is set.
// RUN: env RSAN_OPTIONS=robustness=0 %exits 66 %t race 2>&1 | FileCheck %s --check-prefix=PLAIN
// PLAIN: WARNING: ThreadSanitizer: data race
// PLAIN-NOT: DEDUP_TOKEN
// PLAIN: SUMMARY
// RUN: env RSAN_OPTIONS=robustness=0:dedup_token_length=3 %exits 66 %t race 2>&1 | FileCheck %s --check-prefix=DEDUP
// DEDUP: DEDUP_TOKEN: {{[0-9a-f]+$}}
// DEDUP-NEXT: SUMMARY
//
// Other types, names with quotes and with bytes that are no UTF-8.
// RUN: env RSAN_OPTIONS=report_format=json %exits 66 %t unlock 2>%t.unlock
// RUN: %S/Inputs/check-record %t.unlock 'unlock of an unlocked mutex (or by a wrong thread)'
// RUN: env RSAN_OPTIONS=report_format=json:detect_deadlocks=1:second_deadlock_stack=1 %exits 66 %t deadlock 2>%t.deadlock
// RUN: %S/Inputs/check-record %t.deadlock 'lock-order-inversion (potential deadlock)'
// RUN: env RSAN_OPTIONS=report_format=json:robustness=0 %exits 66 %t race name 2>%t.name
// RUN: %S/Inputs/check-record %t.name 'data race'
// RUN: FileCheck %s --check-prefix=NAME <%t.name
// NAME: "name":"a\"b\\\u0001{{...}}é"
//
// The options that go with every report.
// RUN: env RSAN_OPTIONS=report_format=json:exitcode=7 %exits 7 %t 2>&1 | grep -c '^{"rsan_report"' | grep -x 1
// RUN: env RSAN_OPTIONS=report_format=json:halt_on_error=1 %exits 66 %t 2>%t.err >%t.out
// RUN: count 1 <%t.err
// RUN: count 0 <%t.out
// RUN: rm -f %t.log.*
// RUN: env RSAN_OPTIONS=report_format=json:log_path=%t.log %exits 66 %t 2>%t.err
// RUN: count 0 <%t.err
// RUN: cat %t.log.* | count 1
// RUN: echo 'robustness_top:^look$' >%t.suppressions
// RUN: env RSAN_OPTIONS=report_format=json:suppressions=%t.suppressions %t 2>%t.err
// RUN: count 0 <%t.err
//
// The program's own functions are called as ever: with the summary, and with what is printed.
// RUN: %build %s -DHOOKS -o %t.hooks
// RUN: env RSAN_OPTIONS=report_format=json %exits 66 %t.hooks 2>&1 | FileCheck %s --check-prefix=HOOKS
// HOOKS: {"rsan_report":1,
// HOOKS: printed a record
// HOOKS: summary: SUMMARY: ThreadSanitizer: robustness violation {{.*}}record.c:{{[0-9]+:[0-9]+}} in enter_second
// RUN: env RSAN_OPTIONS=report_format=json:print_summary=0 %exits 66 %t.hooks 2>&1 | FileCheck %s --check-prefix=NOSUMMARY
// NOSUMMARY-NOT: summary:
//
// A value that makes no sense.
// RUN: env RSAN_OPTIONS=report_format=xml not %t 2>%t.err
// RUN: count 1 <%t.err
// RUN: FileCheck %s --check-prefix=VALUE <%t.err
// VALUE: report_format=xml{{.*}}text{{.*}}json
#include "turns.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

static atomic_int flag0 = 40, flag1;
static int plain;

#ifdef HOOKS
void __sanitizer_report_error_summary(const char *summary) {
  fprintf(stderr, "summary: %s\n", summary);
}
void __sanitizer_on_print(const char *text) {
  if (strncmp(text, "{\"rsan_report\":1,", 17) == 0)
    fputs("printed a record\n", stderr);
}
#endif

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
  return other ? arg : NULL;
}

static void *touch(void *arg) {
  plain++;
  pass_turn(1);
  await_turn(2);
  return arg;
}

static void race(int with_name) {
  pthread_t thread = start(touch, NULL);
  if (with_name)
    pthread_setname_np(thread, "a\"b\\\001\377\303\251");
  await_turn(1);
  plain++;
  pass_turn(2);
  pthread_join(thread, NULL);
}

static void deadlock(void) {
  static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&a);
  pthread_mutex_lock(&b);
  pthread_mutex_unlock(&b);
  pthread_mutex_unlock(&a);
  pthread_mutex_lock(&b);
  pthread_mutex_lock(&a);
}

static void bad_unlock(void) {
  static pthread_mutex_t mutex;
  pthread_mutex_init(&mutex, NULL);
  pthread_mutex_unlock(&mutex);
}

int main(int argc, char **argv) {
  if (argc > 1) {
    if (strcmp(argv[1], "race") == 0)
      race(argc > 2);
    else if (strcmp(argv[1], "deadlock") == 0)
      deadlock();
    else
      bad_unlock();
    return 0;
  }
  pthread_t threads[] = {start(enter_first, NULL), start(enter_second, NULL)};
  pass_turn(1);
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], NULL);
  puts("end");
  return 0;
}
