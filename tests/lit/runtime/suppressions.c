// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Suppressions: robustness: by any frame of either stack, robustness_top: by an innermost frame,
// robustness_location: by the name of a global or a frame of a heap block's allocation. What is
// suppressed leaves no exit code either.
//
// RUN: split-file %s %t.d && %build %t.d/program.c -o %t

// Names of functions, of any frame and of either stack; of files.
// RUN: echo robustness:look > %t.s     && env RSAN_OPTIONS=suppressions=%t.s %t 2>&1 | count 0
// RUN: echo robustness:other > %t.s    && env RSAN_OPTIONS=suppressions=%t.s %t 2>&1 | count 0
// RUN: echo robustness:write_x > %t.s  && env RSAN_OPTIONS=suppressions=%t.s %t 2>&1 | count 0
// RUN: echo robustness:one > %t.s      && env RSAN_OPTIONS=suppressions=%t.s %t 2>&1 | count 0
// RUN: echo 'robustness:^wri*_x$' > %t.s   && env RSAN_OPTIONS=suppressions=%t.s %t 2>&1 | count 0
// RUN: echo robustness:program.c > %t.s    && env RSAN_OPTIONS=suppressions=%t.s %t 2>&1 | count 0
//
// RUN: echo robustness_top:look > %t.s     && env RSAN_OPTIONS=suppressions=%t.s %t 2>&1 | count 0
// RUN: echo robustness_top:write_x > %t.s  && env RSAN_OPTIONS=suppressions=%t.s %t 2>&1 | count 0
// RUN: echo robustness_location:global > %t.s  && env RSAN_OPTIONS=suppressions=%t.s %t 2>&1 | count 0
// RUN: echo robustness_location:reserve > %t.s && env RSAN_OPTIONS=suppressions=%t.s %t heap 2>&1 | count 0
//
// Any of several lines; comments; TSan's own suppressions beside them.
// RUN: printf '# known\nrace:other\n\nrobustness:nowhere\nrobustness:look\n' > %t.s
// RUN: env RSAN_OPTIONS=suppressions=%t.s %t 2>&1 | count 0
// RUN: env TSAN_OPTIONS=suppressions=%t.s %t 2>&1 | count 0
//
// What is suppressed, and how often, can be printed.
// RUN: env RSAN_OPTIONS=suppressions=%t.s:print_suppressions=1 %t 2>&1 | FileCheck %s --check-prefix=MATCHED
// MATCHED-NOT: WARNING
// MATCHED: ThreadSanitizer: Matched 1 suppressions
// MATCHED: 1 robustness:look
//
// Twins that do not match: another name, not at the top, another kind of suppression, the other
// memory. (Whole names: the path of the file may have a part of one in it.)
// RUN: echo 'robustness:^lookout$' > %t.s && env RSAN_OPTIONS=suppressions=%t.s %exits 66 %t 2>&1 | FileCheck %s
// RUN: echo 'robustness:^ook' > %t.s    && env RSAN_OPTIONS=suppressions=%t.s %exits 66 %t 2>&1 | FileCheck %s
// RUN: echo 'robustness_top:^other$' > %t.s && env RSAN_OPTIONS=suppressions=%t.s %exits 66 %t 2>&1 | FileCheck %s
// RUN: echo 'robustness_top:^one$' > %t.s   && env RSAN_OPTIONS=suppressions=%t.s %exits 66 %t 2>&1 | FileCheck %s
// RUN: printf 'race:look\nrace_top:look\nthread:look\nmutex:look\n' > %t.s
// RUN: env RSAN_OPTIONS=suppressions=%t.s %exits 66 %t 2>&1 | FileCheck %s
// RUN: echo 'robustness_location:^look$' > %t.s && env RSAN_OPTIONS=suppressions=%t.s %exits 66 %t 2>&1 | FileCheck %s
// RUN: echo 'robustness_location:^reserve$' > %t.s && env RSAN_OPTIONS=suppressions=%t.s %exits 66 %t 2>&1 | FileCheck %s
// RUN: echo 'robustness_location:^global$' > %t.s  && env RSAN_OPTIONS=suppressions=%t.s %exits 66 %t heap 2>&1 | FileCheck %s
// CHECK: robustness violation
// CHECK: reported 1 warnings
//
// token: by the report's token, which a data race has, too. Another token is another finding.
// RUN: env RSAN_OPTIONS=dedup_token_length=1 not %t 2>&1 | sed -n 's/DEDUP_TOKEN: /token:/p' > %t.s
// RUN: env RSAN_OPTIONS=suppressions=%t.s %t 2>&1 | count 0
// RUN: env RSAN_OPTIONS=suppressions=%t.s:report_format=json %t 2>&1 | count 0
// RUN: env RSAN_OPTIONS=suppressions=%t.s %exits 66 %t race 2>&1 | FileCheck %s --check-prefix=RACE
// RUN: rev %t.s | sed 's/^\(.*\):nekot$/token:\1/' > %t.other
// RUN: env RSAN_OPTIONS=suppressions=%t.other %exits 66 %t 2>&1 | FileCheck %s
// RUN: env RSAN_OPTIONS=dedup_token_length=1 not %t race 2>&1 | sed -n 's/DEDUP_TOKEN: /token:/p' > %t.r
// RUN: env RSAN_OPTIONS=suppressions=%t.r %t race 2>&1 | count 0
// RUN: env RSAN_OPTIONS=suppressions=%t.r %exits 66 %t 2>&1 | FileCheck %s
//
// A data race is not suppressed by robustness:, and is by race:.
// RUN: printf 'robustness:race\nrobustness_top:race\nrobustness_location:raced\n' > %t.s
// RUN: env RSAN_OPTIONS=suppressions=%t.s %exits 66 %t race 2>&1 | FileCheck %s --check-prefix=RACE
// RACE: data race
// RUN: echo race:race > %t.s && env RSAN_OPTIONS=suppressions=%t.s %t race 2>&1 | count 0
//
// A file that cannot be read or understood: the program does not start, and is told which file and
// which line.
// RUN: env RSAN_OPTIONS=suppressions=%t.nowhere not %t 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING-NOT: robustness violation
// MISSING: failed to read suppressions file '{{.*}}.nowhere': {{..*}}
// MISSING-NOT: robustness violation
// RUN: printf 'robustness:x\nrubustness:look\n' > %t.s
// RUN: env RSAN_OPTIONS=suppressions=%t.s not %t 2>&1 | FileCheck %s --check-prefix=BAD
// RUN: env RSAN_OPTIONS=exitcode=0:suppressions=%t.s %exits 66 %t 2>&1 | FileCheck %s --check-prefix=BAD
// RUN: printf 'race:x\n\000robustness:look\n' > %t.s && env RSAN_OPTIONS=suppressions=%t.s not %t 2>&1 | FileCheck %s --check-prefix=ZERO
// ZERO: has a zero byte: it is no text
// RUN: printf 'a\033[2J\n' > %t.s && env RSAN_OPTIONS=suppressions=%t.s not %t 2>&1 | FileCheck %s --check-prefix=ESCAPED
// ESCAPED: the suppression 'a\x1b[2J':
// BAD-NOT: robustness violation
// BAD: suppression 'rubustness:look'{{.*}}robustness_location
// BAD-NOT: robustness violation
//
// The hook that a program may define in place of a file.
// RUN: %build -DHOOK='"robustness:look"' %t.d/program.c -o %t.hook && %t.hook 2>&1 | count 0
// RUN: %build -DHOOK='"robustness:^lookout$"' %t.d/program.c -o %t.hook && %exits 66 %t.hook 2>&1 | FileCheck %s

//--- program.c
#include "access.h"
#include "turns.h"

#include <string.h>

#ifdef HOOK
const char *__tsan_default_suppressions(void);
const char *__tsan_default_suppressions(void) {
  return HOOK;
}
#endif

static int global, *x, y, raced;

__attribute__((noinline)) static int *reserve(void) {
  return calloc(1, sizeof(int));
}

__attribute__((noinline)) static void write_x(void) {
  STORE(*x, 1);
}

__attribute__((noinline)) static void look(void) {
  LOAD(*x);
}

static void one(void) {
  write_x();
  LOAD(y);
}

static void other(void) {
  STORE(y, 1);
  look();
  STORE(y, 2);
}

static void race(void) {
  raced++;
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "";
  x = strcmp(what, "heap") == 0 ? reserve() : &global;
  if (strcmp(what, "race") == 0)
    one_then_other(race, race);
  else
    one_then_other(one, other);
}
