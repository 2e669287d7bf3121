// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "asked.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "base/quantity.h"
#include "campaign.h"

static void add_with(struct machines_asked *asked, const char *file) {
  size_t count = asked->with_count + 2;
  asked->with = realloc(asked->with, count * sizeof *asked->with);
  if (!asked->with)
    abort();
  asked->with[asked->with_count++] = file;
  asked->with[asked->with_count] = NULL;
}

bool machines_asked_take(const struct argp_state *state, int key, const char *text,
                         struct machines_asked *asked) {
  switch (key) {
  case KEY_MACHINES_ON:
    asked->on = text;
    return true;
  case KEY_MACHINES_WITH:
    add_with(asked, text);
    return true;
  case KEY_MACHINES_UNIT:
    asked->unit = quantity_count(state, "--unit", text, INT_MAX);
    return true;
  default:
    return false;
  }
}

const char *machines_asked_new(const struct machines_asked *asked) {
  return asked->with ? "--with" : asked->unit ? "--unit" : NULL;
}

void machines_asked_check(const struct argp_state *state, const struct machines_asked *asked,
                          bool machines, bool jobs) {
  const char *rest;
  if (asked->on && !engine_find(asked->on, &rest))
    arguments_error(state, "--on: it must be ssh:FILE or slurm[:OPTIONS], not %s", asked->on);
  if (asked->on && strncmp(asked->on, "ssh", 3) == 0 && !*rest)
    arguments_error(state, "--on ssh: which hosts? Name a file that lists them: --on ssh:FILE");
  if (machines && jobs)
    arguments_error(state, "--jobs is for this machine: with --on, hosts have their own slots");
  if (!machines && machines_asked_new(asked))
    arguments_error(state, "%s needs --on", machines_asked_new(asked));
}
