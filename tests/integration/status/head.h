// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In front of each program of these tests.

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static atomic_int x, y;

#define STORE(p) atomic_store_explicit(p, 1, memory_order_relaxed)
#define LOAD(p)  atomic_load_explicit(p, memory_order_relaxed)
