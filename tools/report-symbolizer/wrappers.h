// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The wrappers of atomic accesses that the compiler's pass has found in a module: its section
// rsan_wrappers has a number for each place of an access in them (rsan_source_name.h).

#ifndef WRAPPERS_H
#define WRAPPERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbolizer.h"

struct wrappers {
  struct wrappers_of {
    char *path; // the module's file
    uint64_t *keys;
    size_t count;
  } *modules;
  size_t count;
};

// Is the frame of that module in one of its wrappers? Each module is read once.
bool wrappers_have(struct wrappers *wrappers, const char *module, const struct source_frame *frame);

void wrappers_clear(struct wrappers *wrappers);

// Returns which of the frames of one address (innermost first) is the place: the innermost one that
// is neither a wrapper nor of the runtime or the C++ library. *WRAPPER is the outermost wrapper
// that was passed. Either is the count of frames if there is none.
unsigned wrappers_place(struct wrappers *wrappers, const char *module,
                        const struct source_frames *frames, unsigned *wrapper);

#endif
