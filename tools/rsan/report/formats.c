// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "formats.h"

#include <string.h>

#include "output.h"

static const struct format {
  const char *name;
  report_writer *write;
} formats[] = {{"text", write_text},    {"summary", write_summary},   {"short", write_short_lines},
               {"json", write_json},    {"sarif", write_sarif},       {"junit", write_junit},
               {"html", write_html},    {"markdown", write_markdown}, {"github", write_github},
               {"gitlab", write_gitlab}};

report_writer *report_format_find(const char *name) {
  for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
    if (strcmp(formats[i].name, name) == 0)
      return formats[i].write;
  return NULL;
}
