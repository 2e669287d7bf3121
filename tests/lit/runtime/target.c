// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// target=: which machine shows a violation. Litmus tests by their shapes, with relaxed accesses and
// with release and acquire; each in a run whose last access violates robustness if C11 allows that.
//
// RUN: %build %s -o %t
// RUN: %build -DORDERED %s -o %t.ordered
//
// What x86 shows as well.
// RUN: env RSAN_OPTIONS=target=c11+x86 %exits 66 %t SB 2>&1 | FileCheck %s --check-prefix=X86
// RUN: env RSAN_OPTIONS=target=c11+x86 %exits 66 %t R 2>&1 | FileCheck %s --check-prefix=X86
// RUN: env RSAN_OPTIONS=target=c11+x86 %exits 66 %t RWC 2>&1 | FileCheck %s --check-prefix=X86
// RUN: env RSAN_OPTIONS=target=c11+x86 %exits 66 %t Z6.U 2>&1 | FileCheck %s --check-prefix=X86
// RUN: env RSAN_OPTIONS=target=c11+x86 %exits 66 %t forwarded 2>&1 | FileCheck %s --check-prefix=X86
// RUN: env RSAN_OPTIONS=target=c11+x86 %exits 66 %t.ordered SB 2>&1 | FileCheck %s --check-prefix=X86
// RUN: env RSAN_OPTIONS=target=c11+x86 %exits 66 %t.ordered RWC 2>&1 | FileCheck %s --check-prefix=X86
// X86: It would
// X86: but it does not happen before this access.
// X86-EMPTY:
// X86-NEXT: {{^}}  Observable on: C11 yes, x86-64 yes{{$}}
// X86-EMPTY:
// X86-NOT: WARNING
//
// What C11 alone allows.
// RUN: env RSAN_OPTIONS=target=c11+x86 %exits 66 %t MP 2>&1 | FileCheck %s --check-prefix=C11
// RUN: env RSAN_OPTIONS=target=c11+x86 %exits 66 %t S 2>&1 | FileCheck %s --check-prefix=C11
// RUN: env RSAN_OPTIONS=target=c11+x86 %exits 66 %t ISA2 2>&1 | FileCheck %s --check-prefix=C11
// RUN: env RSAN_OPTIONS=target=c11+x86 %exits 66 %t WRC 2>&1 | FileCheck %s --check-prefix=C11
// RUN: env RSAN_OPTIONS=target=c11+x86 %exits 66 %t WWC 2>&1 | FileCheck %s --check-prefix=C11
// RUN: env RSAN_OPTIONS=target=c11+x86 %exits 66 %t 2+2W 2>&1 | FileCheck %s --check-prefix=C11
// RUN: env RSAN_OPTIONS=target=c11+x86 %exits 66 %t Z6.3 2>&1 | FileCheck %s --check-prefix=C11
// RUN: env RSAN_OPTIONS=target=c11+x86 %exits 66 %t IRIW 2>&1 | FileCheck %s --check-prefix=C11
// RUN: env RSAN_OPTIONS=target=c11+x86 %exits 66 %t exchange 2>&1 | FileCheck %s --check-prefix=C11
// RUN: env RSAN_OPTIONS=target=c11+x86 %exits 66 %t.ordered IRIW 2>&1 | FileCheck %s --check-prefix=C11
// RUN: env RSAN_OPTIONS=target=c11+x86 %exits 66 %t.ordered 2+2W 2>&1 | FileCheck %s --check-prefix=C11
// C11: {{^}}  Observable on: C11 yes, x86-64 no{{$}}
// C11-NOT: WARNING
//
// With x86 alone that is not reported, nor counted, with either engine; what x86 shows is.
// RUN: env RSAN_OPTIONS=target=x86:stats=1 %t MP 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: env RSAN_OPTIONS=target=x86:clocks=explicit:stats=1 %t IRIW 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: env RSAN_OPTIONS=target=x86:stats=1 %t.ordered 2+2W 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: env RSAN_OPTIONS=target=x86 %exits 66 %t SB 2>&1 | FileCheck %s --check-prefix=X86
// RUN: env RSAN_OPTIONS=target=x86:clocks=explicit %exits 66 %t.ordered SB 2>&1 | FileCheck %s --check-prefix=X86
// NONE-NOT: WARNING
// NONE: violations 0
//
// ARMv8: definitely, unless a dependency forbids it, or not. With LDAR in place of LDAPR store
// buffering is none of it; x86 shows that.
// RUN: env RSAN_OPTIONS=target=c11+x86+armv8 %exits 66 %t MP 2>&1 | FileCheck %s --check-prefix=ARM
// RUN: env RSAN_OPTIONS=target=c11+x86+armv8-ldar-lse %exits 66 %t 2+2W 2>&1 | FileCheck %s --check-prefix=ARM
// RUN: env RSAN_OPTIONS=target=x86+armv8 %exits 66 %t WRC 2>&1 | FileCheck %s --check-prefix=MAY
// RUN: env RSAN_OPTIONS=target=c11+x86+armv8 %exits 66 %t IRIW 2>&1 | FileCheck %s --check-prefix=MAY
// RUN: env RSAN_OPTIONS=target=c11+x86+armv8 %exits 66 %t.ordered IRIW 2>&1 | FileCheck %s --check-prefix=NO_ARM
// RUN: env RSAN_OPTIONS=target=c11+x86+armv8 %exits 66 %t.ordered 2+2W 2>&1 | FileCheck %s --check-prefix=NO_ARM
// RUN: env RSAN_OPTIONS=target=armv8 %t.ordered IRIW 2>&1 | count 0
// RUN: env RSAN_OPTIONS=target=c11+x86+armv8-ldar %exits 66 %t.ordered SB 2>&1 | FileCheck %s --check-prefix=LDAR
// RUN: env RSAN_OPTIONS=target=c11+x86+armv8-ldapr %exits 66 %t.ordered SB 2>&1 | FileCheck %s --check-prefix=LDAPR
// RUN: env RSAN_OPTIONS=target=armv8-ldar %t.ordered SB 2>&1 | count 0
// RUN: env RSAN_OPTIONS=target=c11+armv8:report_format=json %exits 66 %t WRC 2>&1 | FileCheck %s --check-prefix=ARM_RECORD
// ARM: {{^}}  Observable on: C11 yes, x86-64 no, ARMv8 yes{{$}}
// MAY: {{^}}  Observable on: C11 yes, x86-64 no, ARMv8 may (needs a missing dependency){{$}}
// NO_ARM: {{^}}  Observable on: C11 yes, x86-64 no, ARMv8 no{{$}}
// LDAR: {{^}}  Observable on: C11 yes, x86-64 yes, ARMv8 no{{$}}
// LDAPR: {{^}}  Observable on: C11 yes, x86-64 yes, ARMv8 yes{{$}}
// ARM_RECORD: "targets":{"c11":"yes","armv8":"may"}
//
// C11 alone, by itself or in words: no line. Robust programs stay that.
// RUN: %exits 66 %t MP 2>&1 | FileCheck %s --check-prefix=SILENT
// RUN: env RSAN_OPTIONS=target=c11 %exits 66 %t MP 2>&1 | FileCheck %s --check-prefix=SILENT
// RUN: env RSAN_OPTIONS=target=c11+x86 %t.ordered MP 2>&1 | count 0
// RUN: env RSAN_OPTIONS=target=c11+x86 %t.ordered WRC 2>&1 | count 0
// SILENT-NOT: Observable
// SILENT: reported 1 warnings
//
// In records.
// RUN: env RSAN_OPTIONS=target=c11+x86:report_format=json %exits 66 %t MP 2>&1 | FileCheck %s --check-prefix=RECORD
// RUN: env RSAN_OPTIONS=report_format=json %exits 66 %t MP 2>&1 | FileCheck %s --check-prefix=NO_MEMBER
// RECORD: "seen":"0x1","targets":{"c11":"yes","x86":"no"},"location"
// NO_MEMBER-NOT: "targets"
//
// A pair of places is told again where it is found that more targets show it: first the message is
// passed by a store, then by one that is read while it may be in the buffer yet.
// RUN: env RSAN_OPTIONS=target=c11+x86 %exits 66 %t twice 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: Observable on: C11 yes, x86-64 no
// TWICE: Observable on: C11 yes, x86-64 yes
// TWICE: reported 2 warnings
//
// A load that is left out because it repeats one still counts for the machine: since then a fence
// has made known what the thread had stored.
// RUN: env RSAN_OPTIONS=target=x86 %t repeated 2>&1 | count 0
//
// Values that make no sense.
// RUN: env RSAN_OPTIONS=target=x87 %exits 66 %t MP 2>&1 | FileCheck %s --check-prefix=VALUE
// RUN: env RSAN_OPTIONS=target=x86+ %exits 66 %t MP 2>&1 | FileCheck %s --check-prefix=VALUE
// VALUE: ThreadSanitizer: target={{[x8-]+[67][+]?}} in the options: must be c11, x86, armv8[-ldar][-lse], or several of them joined by +{{$}}
// RUN: env "RSAN_OPTIONS=target='c11,x86'" %exits 66 %t MP 2>&1 | FileCheck %s --check-prefix=C11
#include "turns.h"

#include <stdatomic.h>
#include <string.h>

#ifdef ORDERED
#define LOAD  memory_order_acquire
#define STORE memory_order_release
#define BOTH  memory_order_acq_rel
#else
#define LOAD  memory_order_relaxed
#define STORE memory_order_relaxed
#define BOTH  memory_order_relaxed
#endif

static atomic_int x, y, z;

static void st(atomic_int *at, int value) {
  atomic_store_explicit(at, value, STORE);
}

static int ld(atomic_int *at) {
  return atomic_load_explicit(at, LOAD);
}

static void xc(atomic_int *at, int value) {
  (void)atomic_exchange_explicit(at, value, BOTH);
}

#define ACT(name, ...)                                                                             \
  static void name(void) {                                                                         \
    __VA_ARGS__;                                                                                   \
  }
ACT(x1, st(&x, 1))
ACT(x2, st(&x, 2))
ACT(y1, st(&y, 1))
ACT(x1_y1, (st(&x, 1), st(&y, 1)))
ACT(x2_y1, (st(&x, 2), st(&y, 1)))
ACT(x1_ry, (st(&x, 1), ld(&y)))
ACT(y1_rx, (st(&y, 1), ld(&x)))
ACT(y2_rx, (st(&y, 2), ld(&x)))
ACT(z2_rx, (st(&z, 2), ld(&x)))
ACT(y2_z1, (st(&y, 2), st(&z, 1)))
ACT(y2_x2, (st(&y, 2), st(&x, 2)))
ACT(rx_y1, (ld(&x), st(&y, 1)))
ACT(rx_ry, (ld(&x), ld(&y)))
ACT(ry_rx, (ld(&y), ld(&x)))
ACT(rz_rx, (ld(&z), ld(&x)))
ACT(ry_x1, (ld(&y), st(&x, 1)))
ACT(ry_z1, (ld(&y), st(&z, 1)))
ACT(xc_x_ry, (xc(&x, 1), ld(&y)))
ACT(xc_y_rx, (xc(&y, 1), ld(&x)))
ACT(x1_rx_ry, (st(&x, 1), ld(&x), ld(&y)))
ACT(y1_ry_rx, (st(&y, 1), ld(&y), ld(&x)))

// The write and the load that may miss it, by either way.
__attribute__((noinline)) static void write_x(void) {
  st(&x, 1);
}
__attribute__((noinline)) static void read_x(void) {
  ld(&x);
}
ACT(wx_y1, (write_x(), st(&y, 1)))
ACT(ry_read, (ld(&y), read_x()))
ACT(wx_rz, (write_x(), ld(&z)))
ACT(z1_read, (st(&z, 1), read_x()))

// The second load of x comes before the exchange, and after what is stored in z.
static void twice_x(void) {
  st(&z, 1);
  ld(&x);
  atomic_thread_fence(memory_order_seq_cst);
  ld(&x);
}
ACT(xc_x_rz, (xc(&x, 1), ld(&z)))

static const struct shape {
  const char *name;
  void (*acts[4])(void);
} shapes[] = {
    {"SB", {x1_ry, y1_rx}},
    {"R", {x1_y1, y2_rx}},
    {"RWC", {x1, rx_ry, y1_rx}},
    {"Z6.U", {x1_y1, ry_z1, z2_rx}},
    {"forwarded", {x1_rx_ry, y1_ry_rx}},
    {"exchange", {xc_x_ry, xc_y_rx}},
    {"MP", {x1_y1, ry_rx}},
    {"S", {x2_y1, ry_x1}},
    {"ISA2", {x1_y1, ry_z1, rz_rx}},
    {"WRC", {x1, rx_y1, ry_rx}},
    {"WWC", {x2, rx_y1, ry_x1}},
    {"2+2W", {x1_y1, y2_x2}},
    {"Z6.3", {x1_y1, y2_z1, rz_rx}},
    {"IRIW", {x1, rx_ry, y1, ry_rx}},
    {"twice", {wx_y1, ry_read, wx_rz, z1_read}},
    {"repeated", {twice_x, xc_x_rz}},
};

int main(int argc, char **argv) {
  for (size_t i = 0; argc == 2 && i < sizeof shapes / sizeof *shapes; i++) {
    const struct shape *shape = &shapes[i];
    int count = 0;
    while (count < 4 && shape->acts[count])
      count++;
    if (strcmp(shape->name, argv[1]) == 0)
      in_turn(count, shape->acts);
  }
}
