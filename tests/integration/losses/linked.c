// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A library that losses.c is linked with.
long copied = 13;
