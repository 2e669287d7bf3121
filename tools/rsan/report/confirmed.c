// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "confirmed.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/plural.h"
#include "output.h"
#include "record.h"
#include "trust/head.h"

static const cJSON *confirmed_of(const cJSON *record) {
  return record_object(record, "confirmed");
}

// By strength. ("own check": an exit status of a program that else ends with 0.)
static const char *const kinds[] = {"use-after-free", "crash", "assertion", "own check",
                                    "exit status",    "hang",  "report"};
enum { KINDS = sizeof kinds / sizeof *kinds };

int confirmed_rank(const cJSON *record) {
  const char *kind = record_text(confirmed_of(record), "kind");
  int rank = 0;
  while (rank < KINDS && (!kind || strcmp(kind, kinds[rank]) != 0))
    rank++;
  return rank;
}

bool record_is_confirmed(const cJSON *record) {
  const char *kind = record_text(confirmed_of(record), "kind");
  return kind && strcmp(kind, "none") != 0;
}

static void write_count(uint64_t count, const char *what, FILE *out) {
  fprintf(out, "%" PRIu64 " %s%s", count, what, plural(count));
}

// What `rsan check' has found out, which makes all executions within its bounds.
static void write_explored(const cJSON *record, const cJSON *confirmed, FILE *out) {
  const char *within = record_text(confirmed, "within");
  bool all = record_true(confirmed, "all");
  if (record_is_confirmed(record)) {
    fprintf(out, "fails: %s (in an execution with ", or_unknown(record_text(confirmed, "text")));
    write_count(record_number(record_object(confirmed, "departures"), "count"), "departure", out);
    fputc(')', out);
    return;
  }
  if (record_has_number(confirmed, "graphs")) {
    fputs("no failure in ", out);
    write_count(record_number(confirmed, "graphs"), "execution graph", out);
    fputs(", which are all that C++20 allows", out);
    if (within)
      fprintf(out, ", within %s", within);
    return;
  }
  const char *but = record_true(confirmed, "anyway")  ? " but one that comes without departures"
                    : record_true(confirmed, "fails") ? " by it"
                                                      : "";
  fprintf(out, "no failure%s%s in %s", but, all ? "" : " seen", all ? "all " : "");
  write_count(record_number(confirmed, "executions"), "execution", out);
  fputs(" with at most ", out);
  write_count(record_number(confirmed, "most_departures"), "departure", out);
  if (within)
    fprintf(out, ", within %s", within);
  if (record_text(confirmed, "fences"))
    fprintf(out, ", for %s's fences", record_text(confirmed, "fences"));
  if (!all)
    fputs("; they are not all", out);
}

void write_confirmed(const cJSON *record, FILE *out) {
  const cJSON *confirmed = confirmed_of(record);
  uint64_t injected = record_number(confirmed, "injected");
  if (!confirmed)
    return;
  if (record_has_number(confirmed, "executions")) {
    write_explored(record, confirmed, out);
    return;
  }
  if (record_is_confirmed(record)) {
    fprintf(out, "fails: %s (%" PRIu64 " of ", or_unknown(record_text(confirmed, "text")),
            record_number(confirmed, "failed"));
    write_count(injected, "run", out);
    fprintf(out, " with a departure, 0 of %" PRIu64 " without)",
            record_number(confirmed, "controls"));
  } else if (injected) {
    fputs("no failure seen in ", out);
    write_count(injected, "run", out);
    fputs(" with ", out);
    write_count(record_number(confirmed, "all_departures"), "departure", out);
  } else if (!record_number(confirmed, "tries")) {
    fputs("not tried", out);
  } else {
    fputs("not tried: in ", out);
    write_count(record_number(confirmed, "tries"), "run", out);
    fputs(" there was no stale value to give", out);
  }
}

static void write_value(const cJSON *departure, const char *key, FILE *out) {
  const char *text = record_text(departure, key);
  if (text && strlen(text) <= 8) // as of violations
    fprintf(out, "%" PRIu64, (uint64_t)strtoull(text, NULL, 16));
  else
    fputs(or_unknown(text), out);
}

void write_departure(const cJSON *record, const cJSON *departure, FILE *out) {
  char room[256];
  const cJSON *place = record_place(departure);
  const char *kind = or_unknown(record_text(departure, "kind"));
  const char *function = record_text(place, "function");
  fputs(record_thread(record, departure, room, sizeof room), out);
  if (strcmp(kind, "write") == 0) {
    fputs(" wrote, before ", out);
    write_value(departure, "newest", out);
    fputs(", which is newer,", out);
  } else {
    bool writes = strstr(kind, "read-modify-write") || strcmp(kind, "compare-exchange") == 0;
    fputs(writes ? " found and replaced " : " read ", out);
    write_value(departure, "given", out);
    fputs(" in place of ", out);
    write_value(departure, "newest", out);
  }
  if (place) {
    fprintf(out, " at %s%s", function ? function : "", function ? " " : "");
    write_position(place, out);
  }
  if (record_has_number(departure, "version"))
    fprintf(out, " (version %" PRIu64 " of %" PRIu64 ")", record_number(departure, "version") + 1,
            record_number(departure, "newest_version") + 1);
}

void write_departures(const cJSON *record, FILE *out) {
  const cJSON *departures = record_object(record, "departures"), *departure;
  const cJSON *list = record_list(departures, "list");
  uint64_t count = record_number(departures, "count");
  uint64_t shown = (uint64_t)cJSON_GetArraySize(list);
  if (!count)
    return;
  fputs("  After ", out);
  write_count(count, "departure", out);
  fputs(" from sequential consistency:\n", out);
  cJSON_ArrayForEach(departure, list) {
    fputs("    ", out);
    write_departure(record, departure, out);
    fputc('\n', out);
  }
  if (count > shown)
    fprintf(out, "    and %" PRIu64 " more\n", count - shown);
  fputc('\n', out);
}

static bool same_line(const cJSON *a, const cJSON *b) {
  const char *x = record_text(a, "file"), *y = record_text(b, "file");
  return record_number(a, "line") == record_number(b, "line") && x && y && strcmp(x, y) == 0;
}

// An access is given several of its older values: is it one that misses another write than the
// report's?
static void write_other_missed(const cJSON *record, const cJSON *departure, FILE *out) {
  const cJSON *missed = record_own_frame(record_list(departure, "missed"));
  const cJSON *told = record_own_frame(record_stack(record, 1));
  if (!missed || !told || same_line(missed, told))
    return;
  const char *function = record_text(missed, "function");
  fprintf(out, ", missing the write %s%s", function ? function : "", function ? " " : "");
  write_position(missed, out);
}

// For free().
static char *departure_text(const cJSON *record, const cJSON *departure) {
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  if (!out)
    abort();
  write_departure(record, departure, out);
  write_other_missed(record, departure, out);
  fclose(out);
  return text;
}

// A line for all departures in a row that read alike: of the first few, and of the last one.
static void write_list(const cJSON *record, const cJSON *list, const char *indent, FILE *out) {
  enum { SHOWN = 4 };
  const cJSON *departure, *next;
  unsigned lines = 0;
  for (departure = list->child; departure; departure = next) {
    unsigned times = 1;
    char *text = departure_text(record, departure), *other = NULL;
    for (next = departure->next; next; next = next->next, times++) {
      other = departure_text(record, next);
      bool alike = strcmp(other, text) == 0;
      free(other);
      if (!alike)
        break;
    }
    lines++;
    if (lines < SHOWN || !next) {
      fprintf(out, "%s  %s", indent, text);
      fprintf(out, times > 1 ? ", %u times\n" : "\n", times);
    } else if (lines == SHOWN) {
      fprintf(out, "%s  ...\n", indent);
    }
    free(text);
  }
}

static void write_run(const cJSON *record, const cJSON *confirmed, const char *indent, FILE *out) {
  const cJSON *departures = record_object(confirmed, "departures");
  const cJSON *list = record_list(departures, "list");
  uint64_t count = record_number(departures, "count");
  if (!count)
    return;
  uint64_t shown = (uint64_t)cJSON_GetArraySize(list);
  if (count > 1)
    fprintf(out, "%s  with %" PRIu64 " departures%s\n", indent, count,
            shown < count ? ", some of them and the last one:" : ":");
  if (list)
    write_list(record, list, indent, out);
  if (count > 1 && record_number(confirmed, "repeats"))
    fprintf(out, "%s  none of the %" PRIu64 " that were tried alone repeats it\n", indent,
            record_number(confirmed, "repeats"));
}

void write_confirmed_lines(const cJSON *record, const char *indent, FILE *out) {
  const cJSON *confirmed = confirmed_of(record);
  uint64_t unfair = record_number(confirmed, "unfair");
  if (!confirmed)
    return;
  fputs(indent, out);
  write_confirmed(record, out);
  fputc('\n', out);
  write_run(record, confirmed, indent, out);
  if (record_text(confirmed, "command"))
    fprintf(out, "%sto repeat it: %s\n", indent, record_text(confirmed, "command"));
  const char *schedule = record_text(confirmed, "schedule");
  if (schedule) {
    char *line = replay_line(schedule, NULL);
    fprintf(out, "%sby its schedule: %s\n", indent, line);
    free(line);
  }
  if (unfair)
    fprintf(out,
            "%s%" PRIu64 " run%s hung that went on to be given stale values, which says nothing\n",
            indent, unfair, plural(unfair));
}

void confirmed_merge(cJSON *record, const cJSON *other) {
  const cJSON *own = confirmed_of(record), *theirs = confirmed_of(other);
  if (!theirs || (own && confirmed_rank(record) <= confirmed_rank(other)))
    return;
  cJSON *copy = cJSON_Duplicate(theirs, true);
  cJSON_DeleteItemFromObjectCaseSensitive(record, "confirmed");
  cJSON_AddItemToObject(record, "confirmed", copy);
}
