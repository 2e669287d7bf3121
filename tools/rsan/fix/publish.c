// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Repairs data races by stronger orders. That helps where a thread publishes data by an atomic
// access, another thread reaches the data by an atomic access, and one of the two orders is too
// weak. The record of a race does not name these accesses. So the orders of all executed accesses
// are raised first. If the race stays, no order repairs it: it needs a lock or other accesses. Else
// orders are taken back, half of them at a time, as long as the runs stay clean.

#include <cjson/cJSON.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/options.h"
#include "base/plural.h"
#include "fix.h"
#include "need.h"
#include "program/atomics.h"
#include "program/image.h"
#include "report/record.h"

enum { COUNT_RUNS = 2, MAX_SITES = 4096, MAX_CANDIDATES = 256, EXTRA_TIMES = 2 };

// An atomic access of a module.
struct site {
  const char *module;
  uint64_t offset;
  enum atomics_kind kind;
};

struct sites {
  const char *module; // that is read
  struct site *at;
  size_t count;
};

// -- the accesses --

static void add_site(enum atomics_kind kind, uint64_t address, void *context) {
  struct sites *sites = context;
  if (kind == ATOMICS_FENCE || sites->count == MAX_SITES)
    return;
  sites->at = need(realloc(sites->at, (sites->count + 1) * sizeof *sites->at));
  sites->at[sites->count++] = (struct site){sites->module, address, kind};
}

static void add_sites(struct sites *sites, const char *module) {
  struct atomics atomics = {.visit = add_site, .context = sites};
  GElf_Ehdr header;
  int descriptor;
  for (size_t i = 0; i < sites->count; i++)
    if (strcmp(sites->at[i].module, module) == 0)
      return;
  if (access(module, R_OK) != 0)
    return;
  sites->module = module;
  Elf *file = image_read_file(module, &descriptor);
  if (image_open(file, &header))
    atomics_count(file, &atomics);
  elf_file_close(file, descriptor);
}

// Adds the accesses of the modules that a race's stacks are in.
static void add_sites_of(struct sites *sites, struct fix *fix, const cJSON *record) {
  const cJSON *accesses = cJSON_GetObjectItemCaseSensitive(record, "accesses"), *each, *frame;
  cJSON_ArrayForEach(each, accesses) {
    cJSON_ArrayForEach(frame, cJSON_GetObjectItemCaseSensitive(each, "stack")) {
      const char *module = record_text(frame, "module");
      if (module && *module)
        add_sites(sites, fix_add_module(&fix->problem, module));
    }
  }
}

static bool write_sites(const struct sites *sites, const char *path) {
  static const char *const orders[] = {[ATOMICS_LOAD] = "acquire",
                                       [ATOMICS_STORE] = "release",
                                       [ATOMICS_MODIFY] = "acq_rel",
                                       [ATOMICS_COMPARE] = "acq_rel"};
  FILE *file = fopen(path, "w");
  if (!file)
    return false;
  for (size_t i = 0; i < sites->count; i++)
    fprintf(file, "order %s %s+0x%llx\n", orders[sites->at[i].kind], sites->at[i].module,
            (unsigned long long)sites->at[i].offset);
  return fclose(file) == 0;
}

// Keeps the accesses that are executed and may have a stronger order. False if no run says which.
static bool keep_executed(struct fix *fix, struct sites *sites) {
  char path[PATH_MAX], options[PATH_MAX + 64];
  struct runs runs;
  unsigned made = fix->made, line = 0;
  size_t kept = 0;
  snprintf(path, sizeof path, "%s/accesses-%03u", fix->folder, fix->steps);
  if (!write_sites(sites, path))
    return false;
  const char *quote = options_quote(path);
  snprintf(options, sizeof options, "simulate=%s%s%s:count_repairs=1", quote, path, quote);
  bool ran = fix_run(fix, NULL, options, COUNT_RUNS, false, &runs);
  for (size_t i = 0; i < sites->count; i++) {
    const struct rule_count *count = counts_of(&runs.records.counts, ++line);
    if (count && count->executions && !count->refused)
      sites->at[kept++] = sites->at[i];
  }
  sites->count = kept;
  fix->made = made; // these do not look for races
  records_free(&runs.records);
  return ran && !fix->interrupted;
}

// -- the orders --

// The rules that may be tried, and those of them that are.
struct candidates {
  unsigned rules[MAX_CANDIDATES];
  size_t count;
};

static void add_candidate(struct fix *fix, struct candidates *candidates, const struct site *site,
                          const char *kind) {
  char offset[32];
  snprintf(offset, sizeof offset, "0x%llx", (unsigned long long)site->offset);
  cJSON *frame = cJSON_CreateObject();
  cJSON_AddStringToObject(frame, "module", site->module);
  cJSON_AddStringToObject(frame, "offset", offset);
  int rule = fix_add_rule(&fix->problem, kind, frame);
  cJSON_Delete(frame);
  bool known = rule < 0 || !fix->problem.rules[rule].in_source || fix->problem.rules[rule].illegal;
  for (size_t i = 0; i < candidates->count && !known; i++)
    known = candidates->rules[i] == (unsigned)rule;
  if (!known && candidates->count < MAX_CANDIDATES)
    candidates->rules[candidates->count++] = (unsigned)rule;
}

static void add_candidates(struct fix *fix, struct candidates *candidates,
                           const struct sites *sites) {
  fix_ask_points(true);
  for (size_t i = 0; i < sites->count; i++) {
    if (sites->at[i].kind != ATOMICS_STORE)
      add_candidate(fix, candidates, &sites->at[i], "order acquire");
    if (sites->at[i].kind != ATOMICS_LOAD)
      add_candidate(fix, candidates, &sites->at[i], "order release");
  }
  fix_ask_points(false);
  fix_judge(fix);
  // What cannot be written is taken out first.
  size_t next = 0;
  for (size_t i = 0; i < candidates->count; i++)
    if (fix->problem.rules[candidates->rules[i]].refused) {
      unsigned rule = candidates->rules[i];
      memmove(&candidates->rules[next + 1], &candidates->rules[next],
              (i - next) * sizeof *candidates->rules);
      candidates->rules[next++] = rule;
    }
}

// Finds the orders that the accesses of these modules may be raised to, beside what is chosen.
static bool find_candidates(struct fix *fix, struct sites *sites, struct candidates *candidates) {
  *candidates = (struct candidates){0};
  bool fine = keep_executed(fix, sites);
  if (fine)
    add_candidates(fix, candidates, sites);
  free(sites->at);
  size_t kept = 0; // what is chosen already repairs something else
  for (size_t i = 0; i < candidates->count; i++)
    if (!fix->chosen[candidates->rules[i]])
      candidates->rules[kept++] = candidates->rules[i];
  candidates->count = kept;
  return fine;
}

static void add_sites_of_races(struct sites *sites, struct fix *fix,
                               const struct records *records) {
  for (size_t i = 0; i < records->count; i++) {
    cJSON *record = fix_is_race(&records->at[i]) ? cJSON_Parse(records->at[i].text) : NULL;
    add_sites_of(sites, fix, record);
    cJSON_Delete(record);
  }
}

// -- the search --

// Is it clean without the rules FIRST..END? Then they are taken out.
static bool take_out(struct fix *fix, const struct candidates *candidates, size_t first, size_t end,
                     bool *failed) {
  struct runs runs;
  bool before[FIX_MAX_RULES], any = false;
  memcpy(before, fix->chosen, sizeof before);
  for (size_t i = first; i < end; i++) {
    any |= fix->chosen[candidates->rules[i]];
    fix->chosen[candidates->rules[i]] = false;
  }
  if (!any)
    return true;
  bool run = fix_confirm(fix, fix->chosen, &runs);
  *failed = fix->interrupted || (!run && !fix_drop_refused(fix));
  bool clean = run && !*failed && !fix_goals(fix, &runs.records);
  records_free(&runs.records);
  if (!clean)
    memcpy(fix->chosen, before, sizeof before);
  return clean;
}

static bool take_out_all(struct fix *fix, const struct candidates *candidates) {
  bool failed = false;
  for (size_t size = (candidates->count + 1) / 2; size && !failed;
       size = size > 1 ? (size + 1) / 2 : 0)
    for (size_t at = 0; at < candidates->count && !failed && !fix_is_late(fix); at += size)
      take_out(fix, candidates, at, at + size < candidates->count ? at + size : candidates->count,
               &failed);
  return !failed;
}

// The orders that are left are demanded, so that they stay beside what else is repaired.
static bool demand_left(struct fix *fix, const struct candidates *candidates) {
  bool any = false;
  for (size_t i = 0; i < candidates->count; i++)
    if (fix->chosen[candidates->rules[i]]) {
      fix_demand(&fix->problem, candidates->rules[i]);
      any = true;
    }
  fix_measure(fix);
  return any;
}

static void choose(struct fix *fix, const struct candidates *candidates, bool chosen) {
  for (size_t i = 0; i < candidates->count; i++)
    fix->chosen[candidates->rules[i]] = chosen;
}

static bool search(struct fix *fix, const struct candidates *candidates) {
  struct runs runs;
  choose(fix, candidates, true);
  bool run = fix_confirm(fix, fix->chosen, &runs) && !fix->interrupted;
  bool clean = run && !fix_goals(fix, &runs.records);
  if (run && !clean)
    fix_give_up(fix, &runs.records,
                "it stays if all orders of the accesses that run are raised: it "
                "needs a lock, or other accesses");
  records_free(&runs.records);
  if (!run || !clean) {
    choose(fix, candidates, false);
    return run;
  }
  if (!take_out_all(fix, candidates))
    return false;
  if (!demand_left(fix, candidates))
    fix_give_up(fix, NULL, "it was not seen again");
  return true;
}

bool fix_publish(struct fix *fix, const struct records *records) {
  struct candidates candidates;
  struct sites sites = {0};
  fix_note_races(fix, records);
  add_sites_of_races(&sites, fix, records);
  if (!find_candidates(fix, &sites, &candidates))
    return false;
  fix_say(fix, "%zu data race%s in %u runs; trying %zu stronger orders", fix->race_count,
          plural(fix->race_count), fix->made, candidates.count);
  if (candidates.count)
    return search(fix, &candidates);
  fix_give_up(fix, records,
              "no atomic access that runs has an order that could be stronger: it needs a "
              "lock, or atomic accesses");
  return true;
}

// -- orders in place of fences --

// Can acquire and release end the violation? Each reads-from of its cycle then orders what is
// before it before what is behind it. Not where two edges of the cycle are other conflicts. A
// violation whose cycle is not known may be one of either kind.
static bool may_be_orders(const char *text) {
  cJSON *record = cJSON_Parse(text);
  const cJSON *step, *cycle = cJSON_GetObjectItemCaseSensitive(record, "cycle");
  unsigned others = 0;
  cJSON_ArrayForEach(step, cJSON_GetObjectItemCaseSensitive(cycle, "steps")) {
    const char *edge = record_text(step, "to_next");
    others += edge && strcmp(edge, "program order") != 0 && strcmp(edge, "synchronisation") != 0 &&
              strcmp(edge, "reads-from") != 0;
  }
  cJSON_Delete(record);
  return others < 2;
}

static bool take_fences(struct fix *fix) {
  bool any = false;
  for (size_t i = 0; i < fix->problem.rule_count; i++) {
    any |= fix->chosen[i] && fix->problem.rules[i].fence;
    fix->chosen[i] &= !fix->problem.rules[i].fence;
  }
  return any;
}

static void add_sites_of_violations(struct sites *sites, struct fix *fix) {
  for (size_t i = 0; i < fix->problem.violation_count; i++) {
    cJSON *record = cJSON_Parse(fix->problem.violations[i].text);
    add_sites_of(sites, fix, record);
    cJSON_Delete(record);
  }
}

// Are more runs clean with what is chosen? Fences end each kind of violation and orders do not, so
// orders must stand more runs.
static bool is_clean(struct fix *fix, unsigned times) {
  bool clean = true;
  for (; clean && times; times--) {
    struct runs runs;
    clean =
        fix_confirm(fix, fix->chosen, &runs) && !fix->interrupted && !fix_goals(fix, &runs.records);
    records_free(&runs.records);
  }
  return clean;
}

// Chooses those of the candidates that are needed for a clean repair. False if there is none, or if
// it does not cost less than the rules BEFORE.
static bool find_orders(struct fix *fix, const struct candidates *candidates, const bool *before) {
  choose(fix, candidates, true);
  if (!candidates->count || !is_clean(fix, 1) || !take_out_all(fix, candidates))
    return false;
  fix_measure(fix);
  return fix_cost(&fix->problem, fix->chosen) < fix_cost(&fix->problem, before) &&
         is_clean(fix, EXTRA_TIMES);
}

bool fix_replace_fences(struct fix *fix) {
  struct candidates candidates;
  struct sites sites = {0};
  bool before[FIX_MAX_RULES];
  memcpy(before, fix->chosen, sizeof before);
  for (size_t i = 0; i < fix->problem.violation_count; i++)
    if (!may_be_orders(fix->problem.violations[i].text))
      return true;
  if (fix_is_late(fix) || !take_fences(fix))
    return true;
  add_sites_of_violations(&sites, fix);
  bool found = find_candidates(fix, &sites, &candidates) && find_orders(fix, &candidates, before);
  if (found) {
    fix_say(fix, "orders are enough in place of the fences");
    demand_left(fix, &candidates);
  } else {
    fix->refused = false;
    memcpy(fix->chosen, before, sizeof before);
  }
  return !fix->interrupted;
}
