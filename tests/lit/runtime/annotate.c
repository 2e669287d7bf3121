// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ThreadSanitizer's annotations. Synchronisation that is ignored is not analysed: what is done
// there is seen as a write from outside. Reads and writes that are ignored are the plain ones;
// atomics are still analysed. Happens-before that is annotated counts.
//
// RUN: %build %s -o %t
// RUN: env RSAN_OPTIONS=stats=1 %t ignore-sync 2>&1 | FileCheck %s --check-prefix=FOREIGN
// RUN: env RSAN_OPTIONS=stats=1 %t ignore-thread 2>&1 | FileCheck %s --check-prefix=FOREIGN
// FOREIGN-NOT: WARNING
// FOREIGN: foreign_writes {{[1-9].*}}
// RUN: env RSAN_OPTIONS=stats=1 %exits 66 %t nothing 2>&1 | FileCheck %s --check-prefixes=CHECK,NOFOREIGN
// RUN: env RSAN_OPTIONS=stats=1 %exits 66 %t ignored-before 2>&1 | FileCheck %s
// RUN: env RSAN_OPTIONS=stats=1 %exits 66 %t ignore-reads 2>&1 | FileCheck %s
// RUN: env RSAN_OPTIONS=stats=1 %exits 66 %t ignore-writes 2>&1 | FileCheck %s
// CHECK: WARNING: ThreadSanitizer: robustness violation
// CHECK: #0 other
// CHECK: may miss
// CHECK-NEXT: #0 one
// CHECK: RSan statistics
// NOFOREIGN: foreign_writes 0 {{.*}}
//
// RUN: %t happens 2>&1 | count 0
// RUN: %t acquire-release 2>&1 | count 0
// RUN: %t lock 2>&1 | count 0
// RUN: env RSAN_OPTIONS=enable_annotations=0 %exits 66 %t happens 2>&1 | FileCheck %s --check-prefix=OFF
// RUN: %exits 66 %t happens-elsewhere 2>&1 | FileCheck %s --check-prefix=OFF
// OFF: WARNING: ThreadSanitizer: robustness violation
//
// RUN: %t benign 2>&1 | count 0
// RUN: %exits 66 %t benign-elsewhere 2>&1 | FileCheck %s --check-prefix=OFF
//
// Code that is not instrumented.
// RUN: env RSAN_OPTIONS=stats=1 %t disabled 2>&1 | FileCheck %s --check-prefix=FOREIGN
#include "access.h"
#include "turns.h"

#include <string.h>

void AnnotateIgnoreReadsBegin(const char *file, int line);
void AnnotateIgnoreReadsEnd(const char *file, int line);
void AnnotateIgnoreWritesBegin(const char *file, int line);
void AnnotateIgnoreWritesEnd(const char *file, int line);
void AnnotateIgnoreSyncBegin(const char *file, int line);
void AnnotateIgnoreSyncEnd(const char *file, int line);
void AnnotateHappensBefore(const char *file, int line, unsigned long address);
void AnnotateHappensAfter(const char *file, int line, unsigned long address);
void AnnotateBenignRaceSized(const char *file, int line, unsigned long address, unsigned long size,
                             const char *description);
void AnnotateRWLockAcquired(const char *file, int line, unsigned long lock, unsigned long write);
void AnnotateRWLockReleased(const char *file, int line, unsigned long lock, unsigned long write);
void __tsan_acquire(void *address);
void __tsan_release(void *address);

static int x, y, lock;
static const char *what;

#define WHERE __FILE__, __LINE__

static int is(const char *word) {
  return strcmp(what, word) == 0;
}

static void begin(void) {
  if (is("ignore-sync") || is("ignored-before"))
    AnnotateIgnoreSyncBegin(WHERE);
  if (is("ignore-reads") || is("ignore-thread"))
    AnnotateIgnoreReadsBegin(WHERE);
  if (is("ignore-writes") || is("ignore-thread"))
    AnnotateIgnoreWritesBegin(WHERE);
  if (is("ignore-thread"))
    AnnotateIgnoreSyncBegin(WHERE);
}

static void end(void) {
  if (is("ignore-sync") || is("ignored-before"))
    AnnotateIgnoreSyncEnd(WHERE);
  if (is("ignore-reads") || is("ignore-thread"))
    AnnotateIgnoreReadsEnd(WHERE);
  if (is("ignore-writes") || is("ignore-thread"))
    AnnotateIgnoreWritesEnd(WHERE);
  if (is("ignore-thread"))
    AnnotateIgnoreSyncEnd(WHERE);
}

UNSEEN static void store_unseen(int *object) {
  __atomic_store_n(object, 1, __ATOMIC_RELAXED);
}

static void one(void) {
  begin();
  if (is("ignored-before"))
    end();
  if (is("disabled"))
    store_unseen(&x);
  else if (is("lock"))
    AnnotateRWLockAcquired(WHERE, (unsigned long)&lock, 1);
  STORE(x, is("disabled") ? 2 : 1);
  LOAD(y);
  if (is("disabled"))
    store_unseen(&x);
  if (!is("ignored-before"))
    end();
  if (is("happens") || is("happens-elsewhere"))
    AnnotateHappensBefore(WHERE, (unsigned long)&lock);
  if (is("acquire-release"))
    __tsan_release(&lock);
  if (is("lock"))
    AnnotateRWLockReleased(WHERE, (unsigned long)&lock, 1);
}

static void other(void) {
  if (is("happens"))
    AnnotateHappensAfter(WHERE, (unsigned long)&lock);
  if (is("happens-elsewhere"))
    AnnotateHappensAfter(WHERE, (unsigned long)&what);
  if (is("acquire-release"))
    __tsan_acquire(&lock);
  if (is("lock"))
    AnnotateRWLockAcquired(WHERE, (unsigned long)&lock, 1);
  STORE(y, 1);
  LOAD(x);
  if (is("lock"))
    AnnotateRWLockReleased(WHERE, (unsigned long)&lock, 1);
}

int main(int argc, char **argv) {
  what = argc > 1 ? argv[1] : "";
  LOAD(x);
  if (is("benign"))
    AnnotateBenignRaceSized(WHERE, (unsigned long)&x, sizeof x, "known");
  if (is("benign-elsewhere"))
    AnnotateBenignRaceSized(WHERE, (unsigned long)&y, sizeof y, "known");
  one_then_other(one, other);
}
