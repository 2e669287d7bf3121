// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ThreadSanitizer's hooks and its interface for debuggers see violations as they see races.
// (__tsan_default_suppressions: suppressions.c.)
//
// RUN: %build %s -o %t
// RUN: %exits 66 %t 2>&1 | FileCheck %s
//
// CHECK:      WARNING: ThreadSanitizer: robustness violation
// CHECK:      SUMMARY: ThreadSanitizer
// CHECK:      on_report: robustness-violation count=0 stacks=0 accesses=2 locations=1 mutexes=0 threads=2
// CHECK-NEXT: access 0: size=4 write=0 atomic=1 x tid=2
// CHECK-NEXT: access 1: size=4 write=1 atomic=1 x tid=1
// CHECK-NEXT: location 0: global
// CHECK-NEXT: thread 0: tid=2 parent=0
// CHECK-NEXT: thread 1: tid=1 parent=0
// CHECK:      end, 1 counted
//
// The summary goes through its hook, so that a program can take it elsewhere.
// RUN: %build -DSUMMARY %s -o %t.summary && %exits 66 %t.summary 2>&1 | FileCheck %s --check-prefix=TAKEN
// TAKEN-NOT: {{^SUMMARY}}
// TAKEN: taken: SUMMARY: ThreadSanitizer: robustness violation {{.*}}hooks.c:{{[0-9]+}}:{{[0-9]+}} in other
// TAKEN-NOT: {{^SUMMARY}}
//
// The death callback, at the halt that a report brings.
// RUN: %build -DDEATH %s -o %t.death
// RUN: env RSAN_OPTIONS=halt_on_error=1 %exits 66 %t.death 2>&1 | FileCheck %s --check-prefix=DEATH
// DEATH: WARNING: ThreadSanitizer: robustness violation
// DEATH: dying
// DEATH-NOT: end
// RUN: %build -DDEATH -DREPAIRED %s -o %t.repaired
// RUN: env RSAN_OPTIONS=halt_on_error=1 %t.repaired 2>&1 | FileCheck %s --check-prefix=NONE
// NONE-NOT: {{WARNING|dying|on_report}}
// NONE: end, 0 counted
#include "access.h"
#include "turns.h"

#include <stdio.h>
#include <sys/types.h>

int __tsan_get_report_data(void *report, const char **description, int *count, int *stacks,
                           int *accesses, int *locations, int *mutexes, int *threads, int *tids,
                           void **sleep_trace, unsigned long trace_size);
int __tsan_get_report_mop(void *report, unsigned long i, int *tid, void **addr, int *size,
                          int *write, int *atomic, void **trace, unsigned long trace_size);
int __tsan_get_report_loc(void *report, unsigned long i, const char **type, void **addr,
                          unsigned long *start, unsigned long *size, int *tid, int *fd,
                          int *suppressable, void **trace, unsigned long trace_size);
int __tsan_get_report_thread(void *report, unsigned long i, int *tid, pid_t *os_id, int *running,
                             const char **name, int *parent, void **trace,
                             unsigned long trace_size);
unsigned long __rsan_violation_count(void);
void __tsan_on_report(void *report);

static int x, y;

// Hooks are called within the runtime: not a place for instrumented code.
UNSEEN static void print_access(void *report, unsigned long i) {
  int tid, size, write, atomic;
  void *addr, *trace[8] = {NULL};
  __tsan_get_report_mop(report, i, &tid, &addr, &size, &write, &atomic, trace, 8);
  fprintf(stderr, "access %lu: size=%d write=%d atomic=%d %s tid=%d%s\n", i, size, write, atomic,
          addr == &x ? "x" : "elsewhere", tid, trace[0] ? "" : " no stack");
}

UNSEEN static void print_threads(void *report, int threads) {
  for (int i = 0; i < threads; i++) {
    int tid, running, parent;
    pid_t os_id;
    const char *name;
    void *trace[8] = {NULL};
    __tsan_get_report_thread(report, i, &tid, &os_id, &running, &name, &parent, trace, 8);
    fprintf(stderr, "thread %d: tid=%d parent=%d%s\n", i, tid, parent, trace[0] ? "" : " no stack");
  }
}

UNSEEN void __tsan_on_report(void *report) {
  const char *description, *type;
  int count, stacks, accesses, locations, mutexes, threads, tids, tid, fd, suppressable;
  void *sleep_trace[1], *addr, *trace[8];
  unsigned long start, size;
  __tsan_get_report_data(report, &description, &count, &stacks, &accesses, &locations, &mutexes,
                         &threads, &tids, sleep_trace, 1);
  fprintf(stderr,
          "on_report: %s count=%d stacks=%d accesses=%d locations=%d mutexes=%d threads=%d\n",
          description, count, stacks, accesses, locations, mutexes, threads);
  for (int i = 0; i < accesses; i++)
    print_access(report, i);
  for (int i = 0; i < locations; i++) {
    __tsan_get_report_loc(report, i, &type, &addr, &start, &size, &tid, &fd, &suppressable, trace,
                          8);
    fprintf(stderr, "location %d: %s\n", i, type);
  }
  print_threads(report, threads);
}

#ifdef SUMMARY
void __sanitizer_report_error_summary(const char *summary);
UNSEEN void __sanitizer_report_error_summary(const char *summary) {
  fprintf(stderr, "taken: %s\n", summary);
}
#endif

void __sanitizer_set_death_callback(void (*callback)(void));
UNSEEN static void dying(void) {
  fputs("dying\n", stderr);
}

static void fence(void) {
#ifdef REPAIRED
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
}

static void one(void) {
  STORE(x, 1);
  fence();
  LOAD(y);
}

static void other(void) {
  STORE(y, 1);
  fence();
  LOAD(x);
}

int main(void) {
#ifdef DEATH
  __sanitizer_set_death_callback(dying);
#endif
  one_then_other(one, other);
  fprintf(stderr, "end, %lu counted\n", __rsan_violation_count());
}
