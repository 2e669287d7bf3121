// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sources.h"

#include "printable.h"

// Line 0 as a position is left out, as the runtime does.
void sources_print_position(const struct sources *sources, const struct source_frame *source,
                            FILE *out) {
  put_printable(strip_prefix(source->file, sources->strip_path_prefix), out);
  if (source->line > 0)
    fprintf(out, ":%u", source->line);
  if (source->line > 0 && source->column > 0)
    fprintf(out, ":%u", source->column);
}
