// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Beyond the host contract, for tests: memory that the core holds.

#ifndef HOST_LIBC_H
#define HOST_LIBC_H

#include <stddef.h>

#include "host.h"

// Blocks allocated and not yet freed. Not thread-safe: hosts of this kind run the core in one
// thread.
size_t rsan_host_live_blocks(void);

// What rsan_host_who_wrote answers: it was seen, unless a test says otherwise.
extern enum rsan_writer rsan_host_writer;

// What rsan_host_mark answers: there is none, unless a test says otherwise.
extern uint32_t rsan_host_slot;
extern uint64_t rsan_host_number;

// Called at the next allocation, once: what other threads do meanwhile. NULL: nothing.
extern void (*rsan_host_at_alloc)(void);

#endif
