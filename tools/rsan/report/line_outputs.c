// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes one line for each finding: in GCC's form, which editors and problem matchers read, or as a
// workflow command, which GitHub turns into an annotation. Findings that the baseline has are left
// out.

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "classes.h"
#include "confirmed.h"
#include "output.h"
#include "record.h"

void write_short_lines(const struct collection *collection, FILE *out) {
  for (size_t i = 0; i < collection->fresh; i++) {
    const cJSON *record = collection->at[i].record, *site = record_site(record, 0);
    char *rule = rule_id(record_type(record)), *text = sentence(record);
    if (site)
      write_position(site, out);
    else
      fputs("rsan", out);
    fprintf(out, ": warning: %s [rsan-%s]\n", text,
            record_is_violation(record) ? "violation" : rule);
    free(text);
    free(rule);
  }
}

// Text of a workflow command; in the value of a property `:` and `,` have a meaning, too.
static void write_command_text(const char *text, bool property, FILE *out) {
  for (; text && *text; text++) {
    bool special = *text == '%' || *text == '\r' || *text == '\n' ||
                   (property && (*text == ':' || *text == ','));
    if (special)
      fprintf(out, "%%%02X", (unsigned char)*text);
    else
      fputc(*text, out);
  }
}

// A violation that was not confirmed may be harmless: a warning, and a notice if it is. All else is
// an error.
void write_github(const struct collection *collection, FILE *out) {
  for (size_t i = 0; i < collection->fresh; i++) {
    const cJSON *record = collection->at[i].record, *site = record_site(record, 0);
    const char *file = record_text(site, "file");
    static const char *const levels[] = {"error", "warning", "notice"}; // enum finding_class
    char *text = sentence(record);
    fprintf(out, "::%s ", levels[class_of(record)]);
    if (file) {
      fputs("file=", out);
      write_command_text(file, true, out);
      if (record_number(site, "line"))
        fprintf(out, ",line=%" PRIu64, record_number(site, "line"));
      if (record_number(site, "line") && record_number(site, "column"))
        fprintf(out, ",col=%" PRIu64, record_number(site, "column"));
      fputc(',', out);
    }
    fputs("title=", out);
    write_command_text(record_type(record), true, out);
    fputs("::", out);
    write_command_text(text, false, out);
    fputc('\n', out);
    free(text);
  }
}
