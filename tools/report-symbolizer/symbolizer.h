// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// llvm-symbolizer as a child process. It is started by the first question; when it cannot be
// started or ends, that is said once and every later question goes unanswered.

#ifndef SYMBOLIZER_H
#define SYMBOLIZER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

struct symbolizer {
  const char *path; // NULL: llvm-symbolizer-N of PATH, else that LLVM's own
  bool started, broken;
  pid_t child;
  FILE *to, *from;
};

// One function at an address, the innermost inlined one first. NULL and 0: not known.
struct source_frame {
  char *function, *file;
  unsigned line, column;
};

// Takes file:line:column apart, from its end, as file names may have colons. The frame owns `place`
// from here on.
void source_frame_parse(struct source_frame *frame, char *place);

struct source_frames {
  struct source_frame *at;
  unsigned count;
};

struct source_data {
  char *name;
  uint64_t start, size; // start: as an offset in the module
};

// What is at `offset` in the file `module`, whose name has not both kinds of quotes. False: no
// answer. The caller clears what it got.
bool symbolizer_code(struct symbolizer *symbolizer, const char *module, uint64_t offset,
                     struct source_frames *frames);
bool symbolizer_data(struct symbolizer *symbolizer, const char *module, uint64_t offset,
                     struct source_data *data);

void source_frames_clear(struct source_frames *frames);

void symbolizer_end(struct symbolizer *symbolizer);

#endif
