// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The entry points that calls of other functions pass, which do nothing here.

#ifndef RSAN_TEST_CALLS_H
#define RSAN_TEST_CALLS_H

void __rsan_calling(unsigned char *answer, void *function) {
  (void)answer, (void)function;
}
void __rsan_called(unsigned char *answer, void *function) {
  (void)answer, (void)function;
}
void __rsan_passed_assembly(void) {}
void __rsan_calling_pointer(void *function) {
  (void)function;
}
void __rsan_called_pointer(void *function) {
  (void)function;
}

#endif
