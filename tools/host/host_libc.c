// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The core's host contract on libc, for tools and tests.

#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "host_libc.h"

// After the system's headers: from here on the names memcpy, memmove, memset mean the host's.
#include "host.h"

static size_t live_blocks;

size_t rsan_host_live_blocks(void) {
  return live_blocks;
}

void (*rsan_host_at_alloc)(void);

void *rsan_host_alloc(size_t size) {
  void (*at_alloc)(void) = rsan_host_at_alloc;
  rsan_host_at_alloc = NULL;
  if (at_alloc)
    at_alloc();
  unsigned char *block = malloc(size);
  if (!block) {
    fputs("out of memory\n", stderr);
    exit(2);
  }
  for (size_t i = 0; i < size; i++)
    block[i] = 0xab; // the contract: any content
  live_blocks++;
  return block;
}

void rsan_host_free(void *block) {
  live_blocks -= block != NULL;
  free(block);
}

void rsan_host_die(const char *message) {
  fprintf(stderr, "internal error of RSan: %s\n", message);
  abort();
}

enum rsan_writer rsan_host_writer;

enum rsan_writer rsan_host_who_wrote(const struct rsan_access *access, bool first) {
  (void)access, (void)first;
  return rsan_host_writer;
}

uint32_t rsan_host_slot;
uint64_t rsan_host_number;

uint64_t rsan_host_mark(uint32_t *slot, uint64_t *last) {
  *slot = rsan_host_slot;
  return *last = rsan_host_number;
}

void rsan_host_yield(void) {
  sched_yield();
}

#include "host_memory.inc"
