// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "recipe.h"

#include <string.h>

#include "base/options.h"

static const char *const names[] = {"reported", "newest", "random"};

const char *candidate_name(enum candidate candidate) {
  return names[candidate];
}

bool candidate_find(const char *name, enum candidate *candidate) {
  for (size_t i = 0; i < CANDIDATES; i++)
    if (name && strcmp(name, names[i]) == 0) {
      *candidate = (enum candidate)i;
      return true;
    }
  return false;
}

const char *recipe_schedule(unsigned seed) {
  static const char *const policies[] = {"off", "mix", "mix", "delay"};
  return policies[seed % 4];
}

bool recipe_is_repeatable(unsigned seed) {
  return strcmp(recipe_schedule(seed), "mix") == 0;
}

struct recipe recipe_of(unsigned number, unsigned seed) {
  static const unsigned departures[] = {1, 4, 100}, skips[] = {0, 0, 1, 0, 4};
  static const unsigned follows[] = {0, 1, 3, 0, 2, 0, 0};
  const unsigned most = departures[(number / CANDIDATES + number) % 3];
  return (struct recipe){.seed = seed,
                         .candidate = (enum candidate)(number % CANDIDATES),
                         .departures = most,
                         .follow = most > 1 ? follows[number % 7] : 0,
                         .skip = skips[number % 5],
                         .pause = number % 2};
}

void recipe_write(const struct recipe *recipe, const char *places, FILE *out) {
  const char *quote = options_quote(places);
  fprintf(out, "schedule=%s:seed=%u:", recipe_schedule(recipe->seed), recipe->seed);
  if (recipe->departures)
    fprintf(out, "weak=flagged:weak_file=%s%s%s:weak_departures=%u:weak_pause=%d", quote, places,
            quote, recipe->departures, recipe->pause);
  else
    fputs("weak=off", out);
}
