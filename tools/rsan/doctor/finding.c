// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "finding.h"

#include <stdarg.h>
#include <stdio.h>

#include "printable.h"

static unsigned problems;

static void print(const char *kind, const char *format, va_list values) {
  printf("%-8s ", kind);
  print_line_values(stdout, format, values);
}

void finding_ok(const char *format, ...) {
  va_list values;
  va_start(values, format);
  print("ok", format, values);
  va_end(values);
}

void finding_note(const char *format, ...) {
  va_list values;
  va_start(values, format);
  print("note", format, values);
  va_end(values);
}

void finding_problem(const char *fix, const char *format, ...) {
  va_list values;
  va_start(values, format);
  print("PROBLEM", format, values);
  va_end(values);
  print_line(stdout, "         fix: %s", fix);
  problems++;
}

unsigned finding_problems(void) {
  return problems;
}
