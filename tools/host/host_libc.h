// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Beyond the host contract, for tests: memory that the core holds.

#ifndef HOST_LIBC_H
#define HOST_LIBC_H

#include <stdbool.h>
#include <stddef.h>

// Blocks allocated and not yet freed. Not thread-safe: hosts of this kind run the core in one
// thread.
size_t rsan_host_live_blocks(void);

// What rsan_host_wrote_unseen answers: no, unless a test says otherwise.
extern bool rsan_host_writes_are_unseen;

#endif
