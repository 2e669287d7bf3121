// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Control characters in names of files, objects, threads and programs are escaped in every text;
// letters are not. Records have the names as they are.
//
// RUN: rm -rf %t.dir && mkdir %t.dir
// RUN: %build %s -o %t
// RUN: %exits 66 %t 2>%t.err
// RUN: FileCheck %s <%t.err
// RUN: not grep -P '[\x00-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]' %t.err
// CHECK: #0 other /tmp/d\x1b[31mir\x7f/ét\xc2\x9bé.c:{{[0-9]+}}:
// CHECK: write y\x1b[1m T1 one /tmp/d\x1b[31mir\x7f/ét\xc2\x9bé.c:
// CHECK: read x T1
// CHECK: Location is global 'y\x1b[1m' of size 8
// CHECK: Thread T2 'a\x1bb\té' (tid=
// CHECK: Suggested repair: {{.*}} after /tmp/d\x1b[31mir\x7f/ét\xc2\x9bé.c:
// CHECK: SUMMARY: ThreadSanitizer: robustness violation /tmp/d\x1b[31mir\x7f/ét\xc2\x9bé.c:{{.*}} in other
//
// A newline in a program's path would be two requests to the symbolizer.
// RUN: %exits 66 sh -c 'name=$(printf "%t.dir/a\033[2mb\nc") && cp %t "$name" && exec "$name"' 2>%t.err
// RUN: FileCheck %s --check-prefix=PROGRAM <%t.err
// RUN: not grep -P '[\x00-\x09\x0b-\x1f\x7f]' %t.err
// PROGRAM: #0 <null> <null> (a\x1b[2mb\nc+0x{{[0-9a-f]+}})
// PROGRAM: Thread T2 'a\x1bb\té' (tid=
// PROGRAM: SUMMARY: ThreadSanitizer: robustness violation ({{.*}}/a\x1b[2mb\nc+0x
//
// TSan's own reports, and crashes.
// RUN: env RSAN_OPTIONS=robustness=0 %exits 66 %t race 2>%t.err
// RUN: FileCheck %s --check-prefix=RACE <%t.err
// RUN: env RSAN_OPTIONS=handle_segv=1 not %t crash 2>>%t.err
// RUN: not grep -P '[\x00-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]' %t.err
// RUN: FileCheck %s --check-prefix=CRASH <%t.err
// RACE: WARNING: ThreadSanitizer: data race
// RACE: #0 {{[a-z]+}} /tmp/d\x1b[31mir\x7f/ét\xc2\x9bé.c:
// CRASH: ERROR: ThreadSanitizer: SEGV
// CRASH: #0 {{.*}} /tmp/d\x1b[31mir\x7f/ét\xc2\x9bé.c:
//
// The runtime escapes names only. It does not escape newlines, colours and markup that an option
// adds around them, in RSan's reports, TSan's reports and crash reports.
// RUN: %exits 66 %S/Inputs/with-format '' %t 2>%t.err
// RUN: grep -A1 '^    @0$' %t.err | grep -P '^\t\x1b\[1mother /tmp/d\\x1b\[31mir\\x7f/.*\x1b\[0m$'
// RUN: %exits 66 %S/Inputs/with-format robustness=0 %t race 2>%t.err
// RUN: grep -A1 '^    @0$' %t.err | grep -P '^\t\x1b\[1m[a-z]+ /tmp/d\\x1b\[31mir\\x7f/.*\x1b\[0m$'
// RUN: not %S/Inputs/with-format handle_segv=1 %t crash 2>%t.err
// RUN: grep -P '^\t\x1b\[1m.* /tmp/d\\x1b\[31mir\\x7f/.*\x1b\[0m$' %t.err
// RUN: env RSAN_OPTIONS=enable_symbolizer_markup=1 %exits 66 %t 2>%t.err
// RUN: FileCheck %s --check-prefix=MARKUP <%t.err
// MARKUP: {{^}}{{[{][{][{]}}reset{{[}][}][}]$}}
// MARKUP-NEXT: {{^}}{{[{][{][{]}}module:0:
// MARKUP: {{^}}{{[{][{][{]}}bt:0:0x
//
// RUN: env RSAN_OPTIONS=report_format=json %exits 66 %t 2>&1 | FileCheck %s --check-prefix=JSON
// JSON: "file":"/tmp/d\u001b[31mir\u007f/ét{{[^\\]+}}é.c"
// JSON-SAME: "name":"a\u001bb\u0009é"
#include "access.h"
#include "turns.h"

#include <string.h>

static long x, y __asm__("y\033[1m");
static volatile long plain;
static int races;

#line 100 "/tmp/d\033[31mir\177/\303\251t\302\233\303\251.c"
static void one(void) {
  if (races)
    plain = 1;
  STORE(y, 1);
  LOAD(x);
}

static void other(void) {
  pthread_setname_np(pthread_self(), "a\033b\t\303\251");
  if (races)
    plain = 2;
  STORE(x, 1);
  LOAD(y);
}

int main(int argc, char **argv) {
  races = argc > 1 && strcmp(argv[1], "race") == 0;
  if (argc > 1 && !races)
    *(volatile int *)16 = 0;
  one_then_other(one, other);
}
