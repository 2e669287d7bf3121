// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// examples/targets.c, as docs/guide/TARGETS.md tells of it.
//
// RUN: %build %source_dir/examples/targets.c -o %t
// RUN: env RSAN_OPTIONS=target=c11+x86+armv8 %exits 66 %t iriw 2>&1 | FileCheck %s --check-prefixes=IRIW,NO
// RUN: env RSAN_OPTIONS=target=c11+x86+armv8 %exits 66 %t dekker 2>&1 | FileCheck %s --check-prefixes=DEKKER,YES
// RUN: env RSAN_OPTIONS=target=c11+x86+armv8 %exits 66 %t mp 2>&1 | FileCheck %s --check-prefixes=MP,YES
// IRIW: write x T1 {{.*}}targets.c:18:3 memory_order_release
// IRIW: read x T4 {{.*}}targets.c:29:3 memory_order_acquire <- here
// DEKKER: write x T1 {{.*}}targets.c:34:3 memory_order_seq_cst
// DEKKER: read x T2 {{.*}}targets.c:39:3 memory_order_relaxed <- here
// MP: write x T1 {{.*}}targets.c:44:3 memory_order_relaxed
// MP: read x T2 {{.*}}targets.c:49:5 memory_order_relaxed <- here
// NO: Observable on: C11 yes, x86-64 no, ARMv8 no
// YES: Observable on: C11 yes, x86-64 no, ARMv8 yes
//
// RUN: env RSAN_OPTIONS=target=armv8 %t iriw 2>&1 | count 0
// RUN: env RSAN_OPTIONS=target=x86 %t iriw 2>&1 | count 0
// RUN: env RSAN_OPTIONS=target=x86 %t dekker 2>&1 | count 0
// RUN: env RSAN_OPTIONS=target=x86 %t mp 2>&1 | count 0
