// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef POLICY_H
#define POLICY_H

#include <argp.h>

// The policy of schedules that --schedule names: mix, random, pct, pos or delay. Another name ends
// the program with a message.
const char *policy_parse(const struct argp_state *state, const char *text);

#endif
