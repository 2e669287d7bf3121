// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options about volatile accesses and assembly: clang's words for a wrong value and for one
// that is not used; of several the last.
//
// RUN: not %rsan_clang -fsanitize=robustness -fsanitize-robustness-volatile=seq_cst -c %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=VOLATILE
// VOLATILE: error: invalid value 'seq_cst' in '-fsanitize-robustness-volatile='
// RUN: not %rsan_clang -fsanitize=robustness -fsanitize-robustness-volatile= -c %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=EMPTY
// EMPTY: error: invalid value '' in '-fsanitize-robustness-volatile='
// RUN: not %rsan_clang -fsanitize-robustness-asm=arm -c %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=ASM
// ASM: error: invalid value 'arm' in '-fsanitize-robustness-asm='
// RUN: not %rsan_clang -fsanitize=robustness --target=aarch64-linux-gnu -fsanitize-robustness-asm=x86 -c %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=TARGET
// TARGET: error: unsupported option '-fsanitize-robustness-asm=x86' for target 'aarch64-unknown-linux-gnu'
// RUN: %rsan_clang -fsanitize=robustness --target=aarch64-linux-gnu -fsanitize-robustness-asm=none -fsanitize-robustness-volatile=acq_rel -c %s -o /dev/null 2>&1 | count 0
// RUN: not %rsan_clang -fsanitize=robustness -fsanitize-robustness-volatile -c %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: error: unknown argument{{.*}}'-fsanitize-robustness-volatile'
//
// RUN: %rsan_clang -fsanitize-robustness-asm=x86 -c %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=UNUSED
// RUN: %rsan_clang -fsanitize=thread -fsanitize-robustness-asm=x86 -c %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=UNUSED
// UNUSED: warning: argument unused during compilation: '-fsanitize-robustness-asm=x86' [-Wunused-command-line-argument]
//
// RUN: %rsan_clang -fsanitize=robustness -fsanitize-robustness-volatile=relaxed -fsanitize-robustness-asm=x86 -fsanitize-robustness-volatile=acq_rel -### -c %s 2>&1 | FileCheck %s --check-prefix=PASS
// PASS-NOT: "-rsan-volatile=relaxed"
// PASS: "-mllvm" "-rsan-volatile=acq_rel" "-mllvm" "-rsan-asm=x86"
// RUN: %rsan_clang -fsanitize=robustness -fsanitize-robustness-volatile=acq_rel -c %s -o %t.o 2>&1 | count 0
// RUN: echo "-fsanitize-robustness-volatile=acq_rel" >%t.rsp && %rsan_clang -fsanitize=robustness @%t.rsp -### -c %s 2>&1 | FileCheck %s --check-prefix=FILE
// FILE: "-rsan-volatile=acq_rel"
// Linking takes no notice of them.
// RUN: %rsan_clang -fsanitize=robustness -fsanitize-robustness-volatile=acq_rel %t.o -o %t 2>&1 | count 0

int main(void) {}
