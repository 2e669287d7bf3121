// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the sources of a report's places are known from, and how their positions are written.

#ifndef SOURCES_H
#define SOURCES_H

#include <stdio.h>

#include "module.h"
#include "symbolizer.h"
#include "wrappers.h"

struct sources {
  struct modules modules;
  struct symbolizer symbolizer;
  struct wrappers wrappers;
  const char *strip_path_prefix; // "" for none
};

// `file:line:column` as the runtime writes it.
void sources_print_position(const struct sources *sources, const struct source_frame *source,
                            FILE *out);

#endif
