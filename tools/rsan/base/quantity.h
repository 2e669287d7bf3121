// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values of options. What is no such value ends the program with a message.

#ifndef QUANTITY_H
#define QUANTITY_H

#include <argp.h>

// A number from 1 to LIMIT.
unsigned quantity_count(const struct argp_state *state, const char *option, const char *text,
                        unsigned limit);

// Seconds: a number with an optional unit s, m or h.
double quantity_seconds(const struct argp_state *state, const char *option, const char *text);

#endif
