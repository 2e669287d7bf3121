// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RSAN_OPTIONS on top of TSAN_OPTIONS on top of what the program itself asks for; RSan's own
// options.
//
// RUN: %build %s -o %t
// RUN: %build -DREPAIRED %s -o %t.repaired
// RUN: %build '-DDEFAULTS="exitcode=3:halt_on_error=1"' %s -o %t.defaults
//
// RUN: env TSAN_OPTIONS=exitcode=4 %exits 4 %t
// RUN: env RSAN_OPTIONS=exitcode=5 %exits 5 %t
// RUN: env TSAN_OPTIONS=exitcode=4 RSAN_OPTIONS=exitcode=5 %exits 5 %t
// RUN: env TSAN_OPTIONS=exitcode=4 RSAN_OPTIONS=stats=0 %exits 4 %t
// RUN: %exits 3 %t.defaults 2>&1 | FileCheck %s --check-prefix=HALT
// RUN: env TSAN_OPTIONS=exitcode=4 %exits 4 %t.defaults 2>&1 | FileCheck %s --check-prefix=HALT
// RUN: env TSAN_OPTIONS=exitcode=4 RSAN_OPTIONS=exitcode=5:halt_on_error=0 %exits 5 %t.defaults 2>&1 | FileCheck %s --check-prefix=GOES_ON
// HALT: robustness violation
// HALT-NOT: end
// GOES_ON: robustness violation
// GOES_ON: end
//
// TSAN_OPTIONS takes RSan's options, RSAN_OPTIONS takes TSan's, separated by space, comma or colon.
// RUN: env TSAN_OPTIONS=robustness=0 %t 2>&1 | FileCheck %s --check-prefix=OFF
// RUN: env TSAN_OPTIONS=robustness=0 RSAN_OPTIONS=robustness=1 %exits 66 %t 2>&1 | FileCheck %s --check-prefix=GOES_ON
// RUN: env 'RSAN_OPTIONS=stats=1,exitcode=4 print_summary=0:color=never' %exits 4 %t 2>&1 | FileCheck %s --check-prefixes=GOES_ON,STATS
//
// Off: no report, nothing counted, and plain data races are still found.
// RUN: env RSAN_OPTIONS=robustness=0 %t 2>&1 | FileCheck %s --check-prefix=OFF
// RUN: env RSAN_OPTIONS=robustness=0:stats=1 %t 2>&1 | FileCheck %s --check-prefix=OFF
// RUN: env RSAN_OPTIONS=robustness=0 %exits 66 %t race 2>&1 | FileCheck %s --check-prefix=RACE
// OFF-NOT: {{WARNING|violations}}
// OFF: end, 0 counted
// RACE: data race
//
// Both engines say the same.
// RUN: env RSAN_OPTIONS=clocks=compact %exits 66 %t 2>&1 | FileCheck %s --check-prefix=ENGINE
// RUN: env RSAN_OPTIONS=clocks=explicit %exits 66 %t 2>&1 | FileCheck %s --check-prefix=ENGINE
// RUN: env RSAN_OPTIONS=clocks=compact %t.repaired 2>&1 | FileCheck %s --check-prefix=OFF
// RUN: env RSAN_OPTIONS=clocks=explicit %t.repaired 2>&1 | FileCheck %s --check-prefix=OFF
// ENGINE: Atomic read of size 4 at {{.*}} by thread T2 (memory_order_relaxed):
// ENGINE: #0 other {{.*}}options.c:
// ENGINE: may miss the atomic write of size 4 by thread T1 (memory_order_relaxed):
// ENGINE: #0 one {{.*}}options.c:
// ENGINE: It would read 0 in place of 1.
// ENGINE-NOT: WARNING
// ENGINE: end, 1 counted
//
// Statistics: after the last report, with every counter's meaning; only when asked for.
// RUN: env RSAN_OPTIONS=stats=1 %t.repaired 2>&1 | FileCheck %s --check-prefix=STATS0
// RUN: not %t 2>&1 | FileCheck %s --check-prefix=NOSTATS
// STATS: RSan statistics (pid={{[0-9]+}}):
// STATS-NEXT: violations 1 {{[a-z]+ .*}}
// STATS-NEXT: locations 2 {{[a-z]+ .*}}
// STATS-DAG: foreign_writes 0 {{[a-z]+ .*}}
// STATS-DAG: mixed_locations 0 {{[a-z]+ .*}}
// STATS-DAG: index_reuse 0 {{[a-z]+ .*}}
// STATS-DAG: forced_reuse 0 {{[a-z]+ .*}}
// STATS0: end
// STATS0: violations 0 {{[a-z]+ .*}}
// STATS0: locations 2 {{[a-z]+ .*}}
// NOSTATS-NOT: {{statistics|foreign_writes}}
//
// Help: our options beside TSan's.
// RUN: env RSAN_OPTIONS=help=1 %t.repaired 2>&1 | FileCheck %s --check-prefix=HELP
// HELP: Available flags for ThreadSanitizer:
// HELP-DAG: {{^.}}robustness{{$}}
// HELP-DAG: - Detect robustness violations. (Current Value: true)
// HELP-DAG: {{^.}}clocks{{$}}
// HELP-DAG: compact: {{.*}}explicit: {{.*}} (Current Value: compact)
// HELP-DAG: {{^.}}stats{{$}}
// HELP-DAG: {{.*}}statistics{{.*}} (Current Value: false)
// HELP-DAG: {{^.}}halt_on_error{{$}}
// HELP-DAG: {{^.}}exitcode{{$}}
// Not what the commands of rsan set in the processes that they start.
// RUN: env RSAN_OPTIONS=help=1 %t.repaired 2>&1 | FileCheck %s --check-prefix=PRIVATE
// PRIVATE: {{^.}}explore_loop{{$}}
// PRIVATE-NOT: {{^.(explore|explore_jobs|explore_resume|checked_file|time_limit_at|weak_log)$}}
// RUN: %t.repaired 2>&1 | FileCheck %s --check-prefix=NOHELP
// NOHELP-NOT: Available flags
//
// A name that does not exist: one line, with what to do; the program runs.
// RUN: env RSAN_OPTIONS=stat=1 %t.repaired 2>&1 | FileCheck %s --check-prefix=UNKNOWN -DNAME=stat
// RUN: env TSAN_OPTIONS=stat=1 %t.repaired 2>&1 | FileCheck %s --check-prefix=UNKNOWN -DNAME=stat
// RUN: env RSAN_OPTIONS=clocks=compact:wrong=1:stats=0 %t.repaired 2>&1 | FileCheck %s --check-prefix=UNKNOWN -DNAME=wrong
// UNKNOWN: {{^WARNING: .*}}'[[NAME]]'{{.*help=1}}
// UNKNOWN-NEXT: end
//
// If there are many, 20 are named.
// RUN: env RSAN_OPTIONS=a=1:b=1:c=1:d=1:e=1:f=1:g=1:h=1:i=1:j=1:k=1:l=1:m=1:n=1:o=1:p=1:q=1:r=1:s=1:t=1 %t.repaired 2>&1 | FileCheck %s --check-prefix=TWENTY
// RUN: env RSAN_OPTIONS=a=1:b=1:c=1:d=1:e=1:f=1:g=1:h=1:i=1:j=1:k=1:l=1:m=1:n=1:o=1:p=1:q=1:r=1:s=1:t=1:u=1:v=1 %t.repaired 2>&1 | FileCheck %s --check-prefix=MANY
// TWENTY-COUNT-20: WARNING: unknown option
// TWENTY-NEXT: end
// MANY-COUNT-20: WARNING: unknown option
// MANY-NEXT: WARNING: 2 more unknown options are ignored
// MANY-NEXT: end
//
// A value that makes no sense: one line, the program does not start.
// RUN: env RSAN_OPTIONS=clocks=sundial not %t 2>&1 | FileCheck %s --check-prefix=CLOCKS
// CLOCKS-NOT: end
// CLOCKS: clocks=sundial{{.*}}compact{{.*}}explicit
// CLOCKS-NOT: {{end|violation}}
// RUN: env RSAN_OPTIONS=robustness=maybe %exits 66 %t 2>&1 | FileCheck %s --check-prefix=VALUE -DSAYS="robustness=maybe in RSAN_OPTIONS: must be 0 or 1"
// RUN: env RSAN_OPTIONS=exitcode=abc %exits 66 %t 2>&1 | FileCheck %s --check-prefix=VALUE -DSAYS="exitcode=abc in RSAN_OPTIONS: must be a whole number"
// RUN: env RSAN_OPTIONS=exitcode= %exits 66 %t 2>&1 | FileCheck %s --check-prefix=VALUE -DSAYS="exitcode= in RSAN_OPTIONS: must be a whole number"
// RUN: env TSAN_OPTIONS=exitcode=4294967296 %exits 66 %t 2>&1 | FileCheck %s --check-prefix=VALUE -DSAYS="exitcode=4294967296 in TSAN_OPTIONS: must be a whole number"
// RUN: env RSAN_OPTIONS=exitcode=5:memory_limit_mb=1e3 %exits 5 %t 2>&1 | FileCheck %s --check-prefix=VALUE -DSAYS="memory_limit_mb=1e3 in RSAN_OPTIONS: must be a whole number"
// RUN: env RSAN_OPTIONS=soft_rss_limit_mb=10x %exits 66 %t 2>&1 | FileCheck %s --check-prefix=VALUE -DSAYS="soft_rss_limit_mb=10x in RSAN_OPTIONS: must be a whole number"
// RUN: env RSAN_OPTIONS=handle_segv=no_way %exits 66 %t 2>&1 | FileCheck %s --check-prefix=VALUE -DSAYS="handle_segv=no_way in RSAN_OPTIONS: must be 0, 1 or 2"
// RUN: env RSAN_OPTIONS=io_sync=3 %exits 66 %t 2>&1 | FileCheck %s --check-prefix=VALUE -DSAYS="io_sync=3 in the options: must be 0, 1 or 2"
// RUN: env RSAN_OPTIONS=include=%t.nowhere %exits 66 %t 2>&1 | FileCheck %s --check-prefix=VALUE -DSAYS="include=%t.nowhere in RSAN_OPTIONS: must be a file that can be read"
// RUN: echo exitcode=x > %t.bad && env RSAN_OPTIONS=include=%t.bad %exits 66 %t 2>&1 | FileCheck %s --check-prefix=VALUE -DSAYS="exitcode=x in %t.bad: must be a whole number"
// No start is no success.
// RUN: env RSAN_OPTIONS=exitcode=0:robustness=maybe %exits 66 %t 2>&1 | FileCheck %s --check-prefix=VALUE -DSAYS="robustness=maybe in RSAN_OPTIONS: must be 0 or 1"
// RUN: env RSAN_OPTIONS=exitcode=0:history=none %exits 66 %t 2>&1 | FileCheck %s --check-prefix=VALUE -DSAYS="history=none in the options: must be bounded or exact"
// RUN: env RSAN_OPTIONS=exitcode=0:robustness=no:io_sync=2:handle_segv=exclusive:memory_limit_mb=-0 %t 2>&1 | FileCheck %s --check-prefix=OFF
// VALUE-NOT: {{.}}
// VALUE: {{^}}ThreadSanitizer: [[SAYS]]{{$}}
// VALUE-NOT: {{.}}
// RUN: env RSAN_OPTIONS=robustness not %t 2>&1 | FileCheck %s --check-prefix=EQUALS
// EQUALS-NOT: end
// EQUALS: expected '=' after 'robustness' in RSAN_OPTIONS
// EQUALS-NOT: {{end|violation}}
//
// Options from a file.
// RUN: echo exitcode=4 > %t.options && env RSAN_OPTIONS=include=%t.options %exits 4 %t
// The runtime refuses a file that includes itself, one that is longer than 32768 bytes, and one
// that is no text. The message escapes what it quotes from the file.
// RUN: echo include=%t.options > %t.options && env RSAN_OPTIONS=include=%t.options %exits 66 %t 2>&1 | FileCheck %s --check-prefix=ITSELF
// ITSELF: {{^ThreadSanitizer: include=.* must be a file that does}} {{not include itself$}}
// RUN: awk 'BEGIN { for (i = 0; i < 4096; i++) printf "stats=0 " }' > %t.options && env RSAN_OPTIONS=include=%t.options %t.repaired 2>&1 | FileCheck %s --check-prefix=WHOLE
// WHOLE-NOT: WARNING
// WHOLE: end
// RUN: echo >> %t.options && env RSAN_OPTIONS=include=%t.options %exits 66 %t 2>&1 | FileCheck %s --check-prefix=VALUE -DSAYS="include=%t.options in RSAN_OPTIONS: must be a file of at most 32768 bytes"
// RUN: printf 'stats=0 \000' > %t.options && env RSAN_OPTIONS=exitcode=0:include=%t.options %exits 66 %t 2>&1 | FileCheck %s --check-prefix=VALUE -DSAYS="include=%t.options in RSAN_OPTIONS: must be a text file, without a zero byte"
// RUN: printf 'a\033[2J\342\200\256b' > %t.options && env RSAN_OPTIONS=include=%t.options %exits 66 %t 2>&1 | FileCheck %s --check-prefix=ESCAPED
// ESCAPED: expected '=' after 'a\x1b[2J\xe2\x80\xaeb' in
#include "access.h"
#include "turns.h"

#include <stdio.h>

#ifdef DEFAULTS
const char *__tsan_default_options(void);
const char *__tsan_default_options(void) {
  return DEFAULTS;
}
#endif

unsigned long __rsan_violation_count(void);

static int x, y, raced;

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

static void race(void) {
  raced++;
}

int main(int argc, char **argv) {
  (void)argv;
  if (argc > 1)
    one_then_other(race, race);
  else
    one_then_other(one, other);
  fprintf(stderr, "end, %lu counted\n", __rsan_violation_count());
}
