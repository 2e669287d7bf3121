// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef POLICY_H
#define POLICY_H

#include <argp.h>

// The policy of schedules that --schedule=TEXT names: mix (also if TEXT is NULL), random, pct, pos
// or delay. Another name ends the program with a message, and so does one without the equals sign.
const char *policy_parse(const struct argp_state *state, const char *text);

#endif
