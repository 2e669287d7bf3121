// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A library that losses.c loads.
static long other;
long loaded_data = 17;
long *loaded_relocated = &other;
long *const loaded_relro = &other;
const long loaded_constant = 19;
extern long copied; // of another module
long *loaded_foreign = &copied;
