// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "quantity.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "arguments.h"

unsigned quantity_count(const struct argp_state *state, const char *option, const char *text,
                        unsigned limit) {
  char *end;
  errno = 0;
  unsigned long value = strtoul(text, &end, 10);
  if (text[0] < '0' || text[0] > '9' || *end || errno || value < 1 || value > limit)
    arguments_error(state, "%s: %s is no number from 1 to %u", option, text, limit);
  return (unsigned)value;
}

double quantity_seconds(const struct argp_state *state, const char *option, const char *text) {
  char *end;
  double value = strtod(text, &end);
  static const char units[] = "smh";
  double size = 1;
  if (end != text && *end && strchr(units, *end) && !end[1])
    for (const char *unit = units; *unit != *end; unit++)
      size *= 60;
  else if (end == text || *end)
    value = -1;
  // More than a year is a slip, and what strtod takes beyond decimal numbers.
  if (!(value * size >= 0 && value * size <= 366 * 86400.0) || text[strspn(text, "0123456789.smh")])
    arguments_error(state, "%s: %s is no time, such as 90, 90s, 5m or 2h", option, text);
  return value * size;
}
