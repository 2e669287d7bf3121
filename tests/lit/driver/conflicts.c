// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What thread cannot be combined with robustness cannot: clang's own errors, in terms of what the
// user wrote.
//
// RUN: not %rsan_clang -### -fsanitize=robustness,address %s 2>&1 | FileCheck %s --check-prefix=ADDRESS
// RUN: not %rsan_clang -### -fsanitize=address -fsanitize=robustness %s 2>&1 | FileCheck %s --check-prefix=ADDRESS
// ADDRESS: error: invalid argument '-fsanitize=address' not allowed with '-fsanitize=robustness'
// RUN: not %rsan_clang -### -fsanitize=robustness,memory %s 2>&1 | FileCheck %s --check-prefix=MEMORY
// MEMORY: error: invalid argument '-fsanitize=robustness' not allowed with '-fsanitize=memory'
// RUN: not %rsan_clang -### -fsanitize=robustness,leak %s 2>&1 | FileCheck %s --check-prefix=LEAK
// LEAK: error: invalid argument '-fsanitize=leak' not allowed with '-fsanitize=robustness'
// RUN: not %rsan_clang -### -fsanitize=robustness,hwaddress %s 2>&1 | FileCheck %s --check-prefix=HW
// HW: error: invalid argument '-fsanitize=hwaddress' not allowed with '-fsanitize=robustness'
//
// Thread itself, whose runtime is another one, in one option or two and in either order.
// RUN: not %rsan_clang -### -fsanitize=robustness,thread %s 2>&1 | FileCheck %s --check-prefix=BOTH
// RUN: not %rsan_clang -### -fsanitize=thread,robustness %s 2>&1 | FileCheck %s --check-prefix=BOTH
// RUN: not %rsan_clang -### -fsanitize=thread -fsanitize=robustness %s 2>&1 | FileCheck %s --check-prefix=BOTH
// RUN: not %rsan_clangxx -### -fsanitize=robustness -fsanitize=thread -x c++ -c %s 2>&1 | FileCheck %s --check-prefix=BOTH
// BOTH: error: invalid argument '-fsanitize=robustness' not allowed with '-fsanitize=thread'
// BOTH-NOT: error:
// RUN: %rsan_clang -### -fsanitize=thread -fno-sanitize=thread -fsanitize=robustness %s 2>&1 | FileCheck %s --check-prefix=OK
// RUN: %rsan_clang -### -fsanitize=robustness,thread -fno-sanitize=robustness %s 2>&1 | FileCheck %s --check-prefix=OK
//
// A conflict that is taken away again is none. One that remains is reported even when robustness is
// gone.
// RUN: %rsan_clang -### -fsanitize=robustness,address -fno-sanitize=robustness %s 2>&1 | FileCheck %s --check-prefix=OK
// RUN: %rsan_clang -### -fsanitize=robustness,undefined %s 2>&1 | FileCheck %s --check-prefix=OK
// OK-NOT: error:
// RUN: not %rsan_clang -### -fsanitize=thread,address -fno-sanitize=robustness %s 2>&1 | FileCheck %s --check-prefix=LEFT
// LEFT: error: invalid argument '-fsanitize=address' not allowed with '-fsanitize=thread'
//
// RUN: not %rsan_clang -### -fsanitize=robustnes %s 2>&1 | FileCheck %s --check-prefix=TYPO
// TYPO: error: unsupported argument 'robustnes' to option '-fsanitize='
// RUN: not %rsan_clang -### -fsanitize=robustness -fsanitize-trap=robustness %s 2>&1 | FileCheck %s --check-prefix=TRAP
// TRAP: error: unsupported argument '{{.*}}' to option '-fsanitize-trap='
int main(void) {
  return 0;
}
