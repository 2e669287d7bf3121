// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The engines by their names.

#include <string.h>

#include "campaign.h"

const struct engine *engine_find(const char *text, const char **rest) {
  static const struct engine *const engines[] = {&engine_ssh, &engine_slurm};
  for (size_t i = 0; i < sizeof engines / sizeof *engines; i++) {
    size_t length = strlen(engines[i]->name);
    if (strncmp(text, engines[i]->name, length) != 0 || (text[length] && text[length] != ':'))
      continue;
    *rest = text + length + (text[length] == ':');
    return engines[i];
  }
  return NULL;
}
