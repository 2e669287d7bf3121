// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "finding.h"

#include <stdarg.h>
#include <stdio.h>

static unsigned problems;

static void print(const char *kind, const char *format, va_list values) {
  printf("%-8s ", kind);
  vprintf(format, values);
  putchar('\n');
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
  printf("         fix: %s\n", fix);
  problems++;
}

unsigned finding_problems(void) {
  return problems;
}
