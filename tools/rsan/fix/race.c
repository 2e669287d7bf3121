// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The data races that the runs have shown, and which of them are given up.

#include <stdlib.h>
#include <string.h>

#include "base/plural.h"
#include "fix.h"
#include "need.h"
#include "printable.h"

bool fix_is_race(const struct record *record) {
  return record->json && strcmp(record->type, "data race") == 0;
}

static struct fix_race *find_race(const struct fix *fix, const char *token) {
  for (size_t i = 0; i < fix->race_count; i++)
    if (strcmp(fix->races[i].token, token) == 0)
      return &fix->races[i];
  return NULL;
}

size_t fix_goals(const struct fix *fix, const struct records *records) {
  size_t goals = records_of_type(records, "robustness violation");
  for (size_t i = 0; i < records->count && !fix->only; i++) {
    const struct fix_race *race =
        fix_is_race(&records->at[i]) ? find_race(fix, records->at[i].token) : NULL;
    goals += fix_is_race(&records->at[i]) && (!race || !race->given_up);
  }
  return goals;
}

size_t fix_given_up(const struct fix *fix) {
  size_t count = 0;
  for (size_t i = 0; i < fix->race_count; i++)
    count += fix->races[i].given_up != NULL;
  return count;
}

void fix_note_races(struct fix *fix, const struct records *records) {
  for (size_t i = 0; i < records->count; i++) {
    const struct record *record = &records->at[i];
    if (!fix_is_race(record) || find_race(fix, record->token))
      continue;
    fix->races = need(realloc(fix->races, (fix->race_count + 1) * sizeof *fix->races));
    fix->races[fix->race_count++] = (struct fix_race){.token = need(strdup(record->token)),
                                                      .place = need(strdup(record->place)),
                                                      .text = need(strdup(record->text))};
  }
}

void fix_give_up(struct fix *fix, const struct records *records, const char *why) {
  for (size_t i = 0; i < fix->race_count; i++) {
    bool here = !records || records_find(records, fix->races[i].token);
    if (here && !fix->races[i].given_up)
      fix->races[i].given_up = why;
  }
}

void fix_print_races(const struct fix *fix) {
  if (fix->race_count)
    printf("%zu data race%s in these runs:\n", fix->race_count, plural(fix->race_count));
  for (size_t i = 0; i < fix->race_count; i++)
    print_line(stdout, "  %s", fix->races[i].place);
}

void fix_print_races_left(const struct fix *fix) {
  for (size_t i = 0; i < fix->race_count; i++)
    if (fix->races[i].given_up)
      print_line(stdout, "not repaired: data race at %s: %s", fix->races[i].place,
                 fix->races[i].given_up);
}

void fix_free_races(struct fix *fix) {
  for (size_t i = 0; i < fix->race_count; i++) {
    free(fix->races[i].token);
    free(fix->races[i].place);
    free(fix->races[i].text);
  }
  free(fix->races);
}
