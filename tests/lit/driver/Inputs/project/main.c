// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
int part(void);
int main(void) {
  return part();
}
