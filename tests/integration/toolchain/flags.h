// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dekker's entry in C++, as a header and as a part of flags.cppm. RAISED and READ are the orders.
std::atomic<int> flag0, flag1;

EXPORT int enter_first() {
  flag0.store(1, RAISED);
  return flag1.load(READ) == 0;
}

EXPORT int enter_second() {
  flag1.store(1, RAISED);
  return flag0.load(READ) == 0;
}
