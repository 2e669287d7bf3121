// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "policy.h"

#include <string.h>

#include "arguments.h"

static const char *find(const char *text) {
  static const char *const policies[] = {"mix", "random", "pct", "pos", "delay"};
  for (size_t i = 0; i < sizeof policies / sizeof *policies; i++)
    if (strcmp(text, policies[i]) == 0)
      return policies[i];
  return NULL;
}

const char *policy_parse(const struct argp_state *state, const char *text) {
  const char *next = state->next < state->argc ? state->argv[state->next] : "";
  if (!text && find(next))
    arguments_error(state, "--schedule %s: write --schedule=%s, or -- before a command %s", next,
                    next, next);
  const char *policy = find(text ? text : "mix");
  if (policy)
    return policy;
  arguments_error(state, "--schedule: it must be mix, random, pct, pos or delay, not %s", text);
  return NULL;
}
