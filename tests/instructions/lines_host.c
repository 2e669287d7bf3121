// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lines_host.h"

#include <stdio.h>
#include <stdlib.h>

#include "host.h"

// Sizes as in the sanitizers' internal allocator: steps of 16 to 256, then four up to each power of
// two; a thread that frees a block has it again. What is known of a block lies elsewhere, by its
// first line.
enum { ROOM = 64 << 20, LINE = 64, LINES = ROOM / LINE, CLASSES = 64, THREADS = 32 };

static _Alignas(4096) unsigned char memory[ROOM];
static uint8_t class_at[LINES];
static uint32_t next_at[LINES], used = 1; // in lines; 0: none
static uint32_t free_blocks[THREADS][CLASSES];
volatile uint8_t lines_turn[THREADS];
uint32_t lines_thread;

static uint8_t class_of(size_t size, size_t *rounded) {
  uint8_t number = 0;
  size_t step = 16;
  for (*rounded = 16; *rounded < size; *rounded += step, number++)
    if (*rounded >= 256 && (*rounded & (*rounded - 1)) == 0)
      step = *rounded / 4;
  if (number >= CLASSES)
    abort();
  return number;
}

void *rsan_host_alloc(size_t size) {
  size_t rounded;
  uint8_t number = class_of(size, &rounded);
  uint32_t *list = &free_blocks[lines_thread][number], at = *list;
  if (at) {
    *list = next_at[at];
    return memory + (size_t)at * LINE;
  }
  at = used;
  used += (uint32_t)((rounded + LINE - 1) / LINE);
  if (used > LINES)
    abort();
  class_at[at] = number;
  return memory + (size_t)at * LINE;
}

void rsan_host_free(void *block) {
  if (!block)
    return;
  uint32_t at = (uint32_t)(((unsigned char *)block - memory) / LINE);
  uint32_t *list = &free_blocks[lines_thread][class_at[at]];
  next_at[at] = *list;
  *list = at;
}

void rsan_host_die(const char *message) {
  fprintf(stderr, "internal error of RSan: %s\n", message);
  abort();
}

void rsan_host_yield(void) {}

enum rsan_writer rsan_host_who_wrote(const struct rsan_access *access, bool first) {
  (void)access, (void)first;
  return RSAN_WRITER_SEEN;
}

uint64_t rsan_host_mark(uint32_t *slot, uint64_t *last) {
  *slot = 0;
  return *last = 0;
}

#include "host_memory.inc"

void lines_print(void) {
  printf("%p %p %d\n", (const void *)lines_turn, (const void *)memory, ROOM);
  fflush(stdout);
}
