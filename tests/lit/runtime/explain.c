// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Why: the critical cycle of a violation, step by step, and what would break it.
//
// RUN: %build %s -o %t
//
// Store buffering, two writes each, and two readers who disagree about two writers.
// RUN: not %t sb 2>&1 | FileCheck %s --check-prefix=SB --match-full-lines --strict-whitespace
//      SB:  It would read 0 in place of 1.
// SB-NEXT:  Every sequentially consistent run orders that write first, through
// SB-NEXT:    write x   T1   {{.*}}explain.c:[[#WRITE_X:]]:{{[0-9]+ +}}memory_order_relaxed
// SB-NEXT:    read  y   T1   {{.*}}explain.c:[[#READ_Y:]]:{{[0-9]+ +}}memory_order_relaxed   (before the next write)
// SB-NEXT:    write y   T2   {{.*}}explain.c:[[#WRITE_Y:]]:{{[0-9]+ +}}memory_order_relaxed
// SB-NEXT:    read  x   T2   {{.*}}explain.c:[[#READ_X:]]:{{[0-9]+ +}}memory_order_relaxed   <- here
// SB-NEXT:  but it does not happen before this access.
//      SB:  Suggested repair: atomic_thread_fence(memory_order_seq_cst) after {{.*}}explain.c:[[#WRITE_X]]:{{[0-9]+}} and after {{.*}}explain.c:[[#WRITE_Y]]:{{[0-9]+}}
//
// RUN: not %t 2+2w 2>&1 | FileCheck %s --check-prefix=WW --match-full-lines --strict-whitespace
//      WW:  It would overwrite 0 and then be overwritten itself by 1.
// WW-NEXT:  Every sequentially consistent run orders that write first, through
// WW-NEXT:    write x   T1   {{.*}}explain.c:[[#WRITE_X:]]:{{[0-9]+ +}}memory_order_relaxed
// WW-NEXT:    write y   T1   {{.*}}explain.c:[[#WRITE_Y:]]:{{[0-9]+ +}}memory_order_relaxed
// WW-NEXT:    write y   T2   {{.*}}explain.c:[[#WRITE_Y]]:{{[0-9]+ +}}memory_order_relaxed
// WW-NEXT:    write x   T2   {{.*}}explain.c:[[#WRITE_X]]:{{[0-9]+ +}}memory_order_relaxed   <- here
// WW-NEXT:  but it does not happen before this access.
//      WW:  Suggested repair: atomic_thread_fence(memory_order_seq_cst) after {{.*}}explain.c:[[#WRITE_X]]:{{[0-9]+}} and after {{.*}}explain.c:[[#WRITE_Y]]:{{[0-9]+}}
//
// RUN: not %t iriw 2>&1 | FileCheck %s --check-prefix=IRIW --match-full-lines --strict-whitespace
//      IRIW:  It would read 0 in place of 1.
// IRIW-NEXT:  Every sequentially consistent run orders that write first, through
// IRIW-NEXT:    write x   T1   {{.*}}explain.c:[[#WRITE_X:]]:{{[0-9]+ +}}memory_order_relaxed
// IRIW-NEXT:    read  x   T2   {{.*}}explain.c:[[#READ_X:]]:{{[0-9]+ +}}memory_order_acquire
// IRIW-NEXT:    read  y   T2   {{.*}}explain.c:[[#READ_Y:]]:{{[0-9]+ +}}memory_order_acquire   (before the next write)
// IRIW-NEXT:    write y   T3   {{.*}}explain.c:[[#WRITE_Y:]]:{{[0-9]+ +}}memory_order_relaxed
// IRIW-NEXT:    read  y   T4   {{.*}}explain.c:[[#READ_Y]]:{{[0-9]+ +}}memory_order_acquire
// IRIW-NEXT:    read  x   T4   {{.*}}explain.c:[[#READ_X]]:{{[0-9]+ +}}memory_order_acquire   <- here
// IRIW-NEXT:  but it does not happen before this access.
//      IRIW:  Thread T3 {{.*}} created by main thread at:
//      IRIW:  Suggested repair: atomic_thread_fence(memory_order_seq_cst) after {{.*}}explain.c:[[#READ_X]]:{{[0-9]+}} and after {{.*}}explain.c:[[#READ_Y]]:{{[0-9]+}}
//
// A message: stronger orders are enough. One side has one already.
// RUN: not %t message 2>&1 | FileCheck %s --check-prefix=MESSAGE
// MESSAGE:      write x   T1   {{.*}}:[[#]]:{{[0-9]+ +}}memory_order_relaxed
// MESSAGE-NEXT: write y   T1   {{.*}}:[[#WRITE_Y:]]:{{[0-9]+ +}}memory_order_relaxed
// MESSAGE-NEXT: read  y   T2   {{.*}}:[[#READ_Y:]]:{{[0-9]+ +}}memory_order_relaxed
// MESSAGE-NEXT: read  x   T2   {{.*}}:[[#]]:{{[0-9]+ +}}memory_order_relaxed   <- here
// MESSAGE:      Suggested repair: memory_order_release at {{.*}}:[[#WRITE_Y]]:{{[0-9]+}} and memory_order_acquire at {{.*}}:[[#READ_Y]]:{{[0-9]+$}}
// RUN: not %t message-released 2>&1 | FileCheck %s --check-prefix=RELEASED
// RELEASED: read  y   T2   {{.*}}:[[#READ_Y:]]:{{[0-9]+ +}}memory_order_relaxed
// RELEASED: Suggested repair: memory_order_acquire at {{.*}}:[[#READ_Y]]:{{[0-9]+$}}
//
// A fence that is there need not be put there.
// RUN: not %t sb-half 2>&1 | FileCheck %s --check-prefix=HALF
// HALF: write y   T2   {{.*}}:[[#WRITE_Y:]]:
// HALF: Suggested repair: atomic_thread_fence(memory_order_seq_cst) after {{[^ ]*}}:[[#WRITE_Y]]:{{[0-9]+$}}
// RUN: %t sb-both 2>&1 | count 0
//
// Through a mutex, and through the creation and the end of a thread.
// RUN: not %t mutex 2>&1 | FileCheck %s --check-prefix=MUTEX
// MUTEX:      write  x       T1   {{.*}}:[[#WRITE_X:]]:{{[0-9]+ +}}memory_order_relaxed
// MUTEX-NEXT: unlock mutex   T1   {{.*}}:[[#]]:{{[0-9]+$}}
// MUTEX-NEXT: lock   mutex   T2   {{.*}}:[[#]]:{{[0-9]+$}}
// MUTEX-NEXT: read   y       T2   {{.*}}:{{[0-9]+ +}}memory_order_relaxed   (before the next write)
// MUTEX-NEXT: write  y       T3   {{.*}}:[[#WRITE_Y:]]:{{[0-9]+ +}}memory_order_relaxed
// MUTEX-NEXT: read   x       T3   {{.*}}:{{[0-9]+ +}}memory_order_relaxed   <- here
// MUTEX:      Suggested repair: atomic_thread_fence(memory_order_seq_cst) after {{.*}}:[[#WRITE_X]]:{{[0-9]+}} and after {{.*}}:[[#WRITE_Y]]:{{[0-9]+$}}
// RUN: not %t create 2>&1 | FileCheck %s --check-prefix=CREATE
// CREATE:      write  x    T1   {{.*}}:{{[0-9]+ +}}memory_order_relaxed
// CREATE-NEXT: create T3   T1   {{.*}}:[[#]]:{{[0-9]+$}}
// CREATE-NEXT: start       T3{{$}}
// CREATE-NEXT: read   y    T3   {{.*}}:{{[0-9]+ +}}memory_order_relaxed   (before the next write)
// CREATE-NEXT: write  y    T2   {{.*}}:{{[0-9]+ +}}memory_order_relaxed
// CREATE-NEXT: read   x    T2   {{.*}}:{{[0-9]+ +}}memory_order_relaxed   <- here
// RUN: not %t join 2>&1 | FileCheck %s --check-prefix=JOIN
// JOIN:      write  x    T3   {{.*}}:{{[0-9]+ +}}memory_order_relaxed
// JOIN-NEXT: finish      T3{{$}}
// JOIN-NEXT: join   T3   T1   {{.*}}:[[#]]:{{[0-9]+$}}
// JOIN-NEXT: read   y    T1   {{.*}}:{{[0-9]+ +}}memory_order_relaxed   (before the next write)
// JOIN-NEXT: write  y    T2   {{.*}}:{{[0-9]+ +}}memory_order_relaxed
// JOIN-NEXT: read   x    T2   {{.*}}:{{[0-9]+ +}}memory_order_relaxed   <- here
//
// What has left the log is not invented: 16 entries are not enough, 1024 are.
// RUN: not %t far 2>&1 | FileCheck %s --check-prefix=FAR
// FAR:      run orders that write first, through
// FAR-NEXT: write x   T1
// FAR:      Suggested repair:
// RUN: env RSAN_OPTIONS=explain_history=16:stats=1 not %t far 2>&1 | FileCheck %s --check-prefix=LEFT
// LEFT:      {{^}}  It would read 0 in place of 1.
// LEFT-NEXT: {{^}}  Every sequentially consistent run orders that write first, but it does not happen before this access.
// LEFT-NEXT: {{^}}  The order passes through accesses older than the last 16 of a thread, which is what explain_history keeps.
// LEFT-EMPTY:
// LEFT-NEXT: {{^}}  Location is global 'x'
// LEFT-NOT:  Suggested
// LEFT:      explained 0
// LEFT:      unexplained 1
//
// If writes repeat each other, the log has the first few and the last.
// RUN: env RSAN_OPTIONS=explain_history=16 not %t tally 2>&1 | FileCheck %s --check-prefix=FAR
//
// The missed write alone has left it: what its thread's log has comes after it, and the location's
// order still begins with it.
// RUN: env RSAN_OPTIONS=explain_history=16 not %t late 2>&1 | FileCheck %s --check-prefix=LATE
// LATE:      may miss
// LATE-NEXT: #0 write_x {{.*}}explain.c:[[#WRITE_X:]]:
// LATE:      write x   T1   {{.*}}:[[#WRITE_X]]:{{[0-9]+ +}}memory_order_relaxed
// LATE-NEXT: read  y   T1   {{.*}}:{{[0-9]+ +}}memory_order_relaxed   (before the next write)
// LATE-NEXT: write y   T2   {{.*}}:[[#WRITE_Y:]]:{{[0-9]+ +}}memory_order_relaxed
// LATE-NEXT: read  x   T2   {{.*}}:{{[0-9]+ +}}memory_order_relaxed   <- here
// LATE:      Suggested repair: atomic_thread_fence(memory_order_seq_cst) after {{.*}}:[[#WRITE_X]]:{{[0-9]+}} and after {{.*}}:[[#WRITE_Y]]:{{[0-9]+$}}
// RUN: env RSAN_OPTIONS=explain_history=16 not %t far-read 2>&1 | FileCheck %s --check-prefix=READ
// READ:      may miss
// READ-NEXT: #0 write_x {{.*}}explain.c:[[#WRITE_X:]]:
// READ:      write x   T1   {{.*}}:[[#WRITE_X]]:{{[0-9]+ +}}memory_order_relaxed
// READ-NEXT: read  x   T2   {{.*}}:[[#READ_X:]]:{{[0-9]+ +}}memory_order_acquire
// READ-NEXT: read  y   T2   {{.*}}:{{[0-9]+ +}}memory_order_acquire   (before the next write)
// READ-NEXT: write y   T3   {{.*}}:[[#WRITE_Y:]]:{{[0-9]+ +}}memory_order_relaxed
// READ-NEXT: read  x   T3   {{.*}}:{{[0-9]+ +}}memory_order_relaxed   <- here
//
// Off: no steps, no repair, no word about the log; the values make sense or the program does not
// start.
// RUN: env RSAN_OPTIONS=explain=0 not %t sb 2>&1 | FileCheck %s --check-prefix=OFF
// OFF:      {{^}}  It would read 0 in place of 1.
// OFF-NEXT: {{^}}  Every sequentially consistent run orders that write first, but it does not happen before this access.
// OFF-EMPTY:
// OFF-NEXT: Location is global 'x'
// OFF-NOT:  Suggested
// RUN: env RSAN_OPTIONS=explain_history=0 not %t sb 2>&1 | FileCheck %s --check-prefix=ZERO
// ZERO: explain_history=0 in RSAN_OPTIONS: must be 1 to 2147483647
// ZERO-NOT: violation
#include "access.h"
#include "turns.h"

#include <string.h>

int x, y, other, another;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static const char *what;

#define ACQUIRE(x) __atomic_load_n(&(x), __ATOMIC_ACQUIRE)

static int is(const char *name) {
  return strncmp(what, name, strlen(name)) == 0;
}

static void fence_if(int there) {
  if (there)
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

static void write_x(void) {
  STORE(x, 1);
}

static void write_y(void) {
  STORE(y, 1);
}

static void x_then_read_y(void) {
  write_x();
  fence_if(is("sb-"));
  LOAD(y);
}

static void y_then_read_x(void) {
  write_y();
  fence_if(is("sb-both"));
  LOAD(x);
}

static void x_then_y(void) {
  write_x();
  if (is("message-released"))
    __atomic_thread_fence(__ATOMIC_RELEASE);
  write_y();
}

static void y_then_x(void) {
  write_y();
  write_x();
}

static int acquire_x(void) {
  return ACQUIRE(x);
}

static int acquire_y(void) {
  return ACQUIRE(y);
}

static void read_x_then_y(void) {
  acquire_x();
  acquire_y();
}

static void read_y_then_x(void) {
  acquire_y();
  acquire_x();
}

static void hear_y_then_read_x(void) {
  LOAD(y);
  LOAD(x);
}

static void x_in_mutex(void) {
  pthread_mutex_lock(&mutex);
  write_x();
  pthread_mutex_unlock(&mutex);
}

static void read_y_after_mutex(void) {
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  LOAD(y);
}

static void *read_y(void *arg) {
  LOAD(y);
  return arg;
}

static void *run_write_x(void *arg) {
  write_x();
  return arg;
}

static void x_then_create(void) {
  write_x();
  pthread_join(start(read_y, NULL), NULL);
}

static void join_then_read_y(void) {
  pthread_join(start(run_write_x, NULL), NULL);
  LOAD(y);
}

static void much_else(void) {
  for (int i = 0; i < 100; i++) {
    STORE(other, i);
    STORE(another, i);
  }
}

static void x_much_else_read_y(void) {
  write_x();
  much_else();
  LOAD(y);
}

static void x_much_else(void) {
  write_x();
  much_else();
}

static void x_read_y_much_else(void) {
  x_then_read_y();
  much_else();
}

static void x_read_y_then_tally(void) {
  x_then_read_y();
  for (int i = 0; i < 100; i++)
    STORE(other, i);
}

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    int count;
    void (*acts[4])(void);
  } programs[] = {
      {"sb", 2, {x_then_read_y, y_then_read_x}},
      {"2+2w", 2, {x_then_y, y_then_x}},
      {"iriw", 4, {write_x, read_x_then_y, write_y, read_y_then_x}},
      {"message", 2, {x_then_y, hear_y_then_read_x}},
      {"mutex", 3, {x_in_mutex, read_y_after_mutex, y_then_read_x}},
      {"create", 2, {x_then_create, y_then_read_x}},
      {"join", 2, {join_then_read_y, y_then_read_x}},
      {"far-read", 3, {x_much_else, read_x_then_y, y_then_read_x}},
      {"tally", 2, {x_read_y_then_tally, y_then_read_x}},
      {"far", 2, {x_read_y_much_else, y_then_read_x}},
      {"late", 2, {x_much_else_read_y, y_then_read_x}},
  };
  what = argc > 1 ? argv[1] : "";
  for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++)
    if (is(programs[i].name)) {
      in_turn(programs[i].count, programs[i].acts);
      return 0;
    }
  return 2;
}
