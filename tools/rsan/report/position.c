// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Places in words.

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "compiler-rt-patch/src/common/rsan_source_name.h"
#include "frame.h"
#include "output.h"
#include "record.h"

const char *or_unknown(const char *text) {
  return text ? text : "<null>";
}

// Returns where the name of a lambda begins, or NULL if the function is no lambda. Compilers write
// lambdas as "Q::run()::'lambda'()::operator()()", "main::$_0::operator()() const" or
// "f(int)::{lambda()#1}::operator()() const".
static const char *find_lambda(const char *function) {
  static const char *const marks[] = {"::'lambda", "::{lambda", "::$_"};
  for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
    const char *mark = strstr(function, marks[i]);
    if (mark)
      return mark;
  }
  return NULL;
}

// The characters of the operator behind the word.
static size_t operator_length(const char *behind) {
  return strncmp(behind, "()", 2) == 0 ? 2 : strcspn(behind, "(");
}

void write_own_name(const char *function, FILE *out) {
  const char *lambda = function ? find_lambda(function) : NULL;
  char *around = lambda ? strndup(function, (size_t)(lambda - function)) : NULL;
  size_t length = 0;
  const char *name = function ? rsan_own_name(around ? around : function, &length) : "";
  if (length == 8 && strncmp(name, "operator", 8) == 0)
    length += operator_length(name + length);
  fprintf(out, "%s%.*s", around ? "lambda in " : "", (int)length, name);
  free(around);
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
