// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Places in words.

#include <inttypes.h>

#include "frame.h"
#include "output.h"
#include "record.h"

const char *or_unknown(const char *text) {
  return text ? text : "<null>";
}

void write_position(const cJSON *frame, FILE *out) {
  const char *file = record_text(frame, "file"), *module = record_text(frame, "module");
  if (file) {
    fputs(file, out);
    if (record_number(frame, "line"))
      fprintf(out, ":%" PRIu64, record_number(frame, "line"));
    if (record_number(frame, "line") && record_number(frame, "column"))
      fprintf(out, ":%" PRIu64, record_number(frame, "column"));
  } else if (module) {
    fprintf(out, "%s+%s", base_name(module), or_unknown(record_text(frame, "offset")));
  } else {
    fputs(or_unknown(record_text(frame, "function")), out);
  }
}

void write_site(const cJSON *site, FILE *out) {
  const char *function = record_text(site, "function");
  if (site)
    write_position(site, out);
  if (function && (record_text(site, "file") || record_text(site, "module")))
    fprintf(out, " in %s", function);
}

void write_violation_sites(const cJSON *record, FILE *out) {
  fputs("robustness violation ", out);
  write_site(record_site(record, 0), out);
  fprintf(out, "\n  may %s the write ",
          record_text(record, "overwritten_by") ? "be ordered before" : "miss");
  write_site(record_site(record, 1), out);
  fputc('\n', out);
}

void write_stack(const cJSON *stack, FILE *out) {
  unsigned number = 0;
  const cJSON *frame;
  cJSON_ArrayForEach(frame, stack) {
    const char *module = record_text(frame, "module"), *id = record_text(frame, "build_id");
    fprintf(out, "    #%u %s ", number++, or_unknown(record_text(frame, "function")));
    if (record_text(frame, "file"))
      write_position(frame, out);
    else
      fputs("<null>", out);
    if (module)
      fprintf(out, " (%s+%s)", base_name(module), or_unknown(record_text(frame, "offset")));
    if (module && id)
      fprintf(out, " (BuildId: %s)", id);
    fputc('\n', out);
  }
  fputs(number > 0 ? "\n" : "    [no stack]\n\n", out);
}
