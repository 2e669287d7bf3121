// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recorded schedules in memory.

#ifndef TEXT_H
#define TEXT_H

#include <string.h>

#include "schedule/recorder.h"
#include "schedule/replay.h"

struct text {
  char bytes[1 << 16];
  uint32_t size, at;
};

static inline void text_write(void *to, const char *bytes, uint32_t size) {
  struct text *text = to;
  if (text->size + size < sizeof text->bytes) // one byte for the 0 behind it
    memcpy(text->bytes + text->size, bytes, size);
  text->size += size;
  text->bytes[text->size] = 0;
}

// In small pieces, so that words are cut.
static inline uint32_t text_read(void *from, char *bytes, uint32_t size) {
  struct text *text = from;
  uint32_t left = text->size - text->at, some = size < 7 ? size : 7;
  if (some > left)
    some = left;
  memcpy(bytes, text->bytes + text->at, some);
  text->at += some;
  return some;
}

static inline void text_head(struct rsan_recorder *record) {
  rsan_recorder_build(record, "5d0c");
  rsan_recorder_arguments(record, (const char *const[]){"./a b", "100%"}, 2);
  rsan_recorder_options(record, "schedule=random:seed=7");
}

#define TEXT_HEAD                                                                                  \
  "rsan-schedule 1\nbuild 5d0c\narguments ./a%20b 100%25\noptions schedule=random:seed=7\nsteps\n"

#endif
