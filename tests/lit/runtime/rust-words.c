// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Repairs are worded as the source has it that they are for: Rust's words in files *.rs, C's in all
// others. (What this program says its lines are makes the difference; no compiler of Rust is
// needed.)
//
// RUN: %build %s -o %t
// RUN: not %t sb 2>&1 | FileCheck %s --check-prefix=SB
// SB: write x   T1   write_x {{.*}}lock.rs:11:{{[0-9]+ +}}memory_order_relaxed
// SB: Suggested repair: fence(Ordering::SeqCst) after {{[^ ]*}}lock.rs:11:{{[0-9]+}} and after {{[^ ]*}}lock.rs:21:{{[0-9]+$}}
// RUN: not %t message 2>&1 | FileCheck %s --check-prefix=MESSAGE
// MESSAGE: Suggested repair: Ordering::Release at {{[^ ]*}}lock.rs:21:{{[0-9]+}} and Ordering::Acquire at {{[^ ]*}}lock.rs:31:{{[0-9]+$}}
//
// A place in C beside one in Rust.
// RUN: not %t mixed 2>&1 | FileCheck %s --check-prefix=MIXED
// MIXED: Suggested repair: fence(Ordering::SeqCst) after {{[^ ]*}}lock.rs:11:{{[0-9]+}} and atomic_thread_fence(memory_order_seq_cst) after {{[^ ]*}}lock.rs.c:41:{{[0-9]+$}}
// RUN: not %t message-mixed 2>&1 | FileCheck %s --check-prefix=ORDERS
// ORDERS: Suggested repair: memory_order_release at {{[^ ]*}}lock.rs.c:41:{{[0-9]+}} and Ordering::Acquire at {{[^ ]*}}lock.rs:31:{{[0-9]+$}}
//
// The same accesses in C alone.
// RUN: %build -DIN_C %s -o %t.c
// RUN: not %t.c sb 2>&1 | FileCheck %s --check-prefix=C
// C: Suggested repair: atomic_thread_fence(memory_order_seq_cst) after {{[^ ]*}}lock.rs.c:11:{{[0-9]+}} and after {{[^ ]*}}lock.rs.c:21:{{[0-9]+$}}
// RUN: not %t.c message 2>&1 | FileCheck %s --check-prefix=CMESSAGE
// CMESSAGE: Suggested repair: memory_order_release at {{[^ ]*}}lock.rs.c:21:{{[0-9]+}} and memory_order_acquire at {{[^ ]*}}lock.rs.c:31:{{[0-9]+$}}
#include "access.h"
#include "turns.h"

#include <string.h>

int x, y;

#ifdef IN_C
#define FILE_OF_RUST "lock.rs.c"
#else
#define FILE_OF_RUST "lock.rs"
#endif

#line 10 FILE_OF_RUST
static void write_x(void) {
  STORE(x, 1);
}

#line 20 FILE_OF_RUST
static void write_y(void) {
  STORE(y, 1);
}

#line 30 FILE_OF_RUST
static int read_y(void) {
  return LOAD(y);
}

#line 40 "lock.rs.c"
static void write_y_in_c(void) {
  STORE(y, 1);
}

static void x_then_read_y(void) {
  write_x();
  read_y();
}

static void y_then_read_x(void) {
  write_y();
  LOAD(x);
}

static void y_in_c_then_read_x(void) {
  write_y_in_c();
  LOAD(x);
}

static void x_then_y(void) {
  write_x();
  write_y();
}

static void x_then_y_in_c(void) {
  write_x();
  write_y_in_c();
}

static void read_y_then_x(void) {
  read_y();
  LOAD(x);
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "sb";
  if (strcmp(what, "sb") == 0)
    one_then_other(x_then_read_y, y_then_read_x);
  if (strcmp(what, "mixed") == 0)
    one_then_other(x_then_read_y, y_in_c_then_read_x);
  if (strcmp(what, "message") == 0)
    one_then_other(x_then_y, read_y_then_x);
  if (strcmp(what, "message-mixed") == 0)
    one_then_other(x_then_y_in_c, read_y_then_x);
}
