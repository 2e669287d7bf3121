// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reports as text, in the runtime's own form, which other tools and `rsan report` itself read.

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/plural.h"
#include "classes.h"
#include "compiler-rt-patch/src/common/rsan_words.h"
#include "complain.h"
#include "confirmed.h"
#include "failure.h"
#include "frame.h"
#include "output.h"
#include "printable.h"
#include "record.h"
#include "targets.h"
#include "tests.h"

static void write_mutexes(const cJSON *access, FILE *out) {
  const cJSON *mutex;
  const char *before = " (mutexes:";
  cJSON_ArrayForEach(mutex, record_list(access, "mutexes")) {
    fprintf(out, "%s %s M%" PRIu64, before, record_true(mutex, "write") ? "write" : "read",
            record_number(mutex, "id"));
    before = ",";
  }
  if (*before == ',')
    fputc(')', out);
}

// `Failed atomic compare-exchange`, `previous write`
static void write_kind(const cJSON *access, const char *before, FILE *out) {
  const char *kind = or_unknown(record_text(access, "kind"));
  bool failed = strncmp(kind, "failed ", 7) == 0, atomic = record_true(access, "atomic");
  char text[128];
  snprintf(text, sizeof text, "%s%s%s%s", before, failed ? "failed " : "", atomic ? "atomic " : "",
           failed ? kind + 7 : kind);
  text[0] = (char)(strncmp(before, "may", 3) == 0 ? text[0] : toupper((unsigned char)text[0]));
  fputs(text, out);
}

static void write_access(const cJSON *record, const cJSON *access, const char *before, FILE *out) {
  char room[256];
  const char *address = record_text(access, "address"), *order = record_text(access, "order");
  const char *call = record_text(access, "call");
  fputs("  ", out);
  write_kind(access, before, out);
  if (call)
    fprintf(out, " by %s", call);
  fprintf(out, " of size %" PRIu64, record_number(access, "size"));
  if (address)
    fprintf(out, " at %s", address);
  fprintf(out, " by %s", record_thread(record, access, room, sizeof room));
  write_mutexes(access, out);
  if (order)
    fprintf(out, " (memory_order_%s)", order);
  fputs(":\n", out);
  write_stack(record_list(access, "stack"), out);
}

static void write_accesses(const cJSON *record, FILE *out) {
  const cJSON *accesses = record_list(record, "accesses"), *access;
  bool violation = record_is_violation(record);
  const char *over = record_text(record, "overwritten_by");
  const char *next = !violation ? "previous "
                     : over     ? "may be ordered before the "
                                : "may miss the ";
  cJSON_ArrayForEach(access, accesses)
      write_access(record, access, access == accesses->child ? "" : next, out);
}

static void write_field(const cJSON *record, FILE *out) {
  const cJSON *access = cJSON_GetArrayItem(record_list(record, "accesses"), 0);
  const cJSON *location = record_object(record, "location");
  const char *field = record_text(access, "field"), *kind = record_text(location, "kind");
  const char *address = record_text(access, "address"), *begin = record_text(location, "address");
  if (!field)
    return;
  fprintf(out, "  The object is %s", field);
  if (record_text(access, "expression"))
    fprintf(out, " (%s)", record_text(access, "expression"));
  if (kind && strcmp(kind, "heap") == 0 && address && begin)
    fprintf(out, ", %llu bytes into a block of %" PRIu64 " bytes",
            strtoull(address, NULL, 16) - strtoull(begin, NULL, 16),
            record_number(location, "size"));
  fputs(".\n\n", out);
}

static void write_outcome(const cJSON *record, FILE *out) {
  if (!record_has_values(record))
    return;
  fputs("  It ", out);
  write_values(record, out);
  fputs(".\n", out);
  write_cycle(record, out);
  write_targets(record, out);
  if (has_other_bytes(record)) {
    fputs("  ", out);
    write_other_bytes(record, out);
    fputs("\n\n", out);
  }
  if (record_object(record, "checked_again")) {
    fputs("  ", out);
    write_recheck(record, out);
    fputs("\n\n", out);
  }
  if (record_text(record, "class")) {
    fputs("  ", out);
    write_class(record, out);
    fputs("\n\n", out);
  }
  write_field(record, out);
}

// What to do if the access was compiled without line numbers. (Rust has lines 0, where the compiler
// has merged several.)
static void write_missing_line(const cJSON *record, FILE *out) {
  const cJSON *access = cJSON_GetArrayItem(record_list(record, "accesses"), 0);
  const cJSON *frame = cJSON_GetArrayItem(record_list(access, "stack"), 0);
  if (record_is_violation(record) && record_text(frame, "function") &&
      !record_number(frame, "line") && !rsan_is_rust_source(record_text(frame, "file")))
    fputs("  " RSAN_WORDS_NO_LINE "\n\n", out);
}

static void write_location(const cJSON *location, FILE *out) {
  char room[64];
  const char *kind = record_text(location, "kind"), *name = record_text(location, "name");
  const char *address = record_text(location, "address"), *module = record_text(location, "module");
  if (!kind)
    return;
  fputs("  Location is ", out);
  if (strcmp(kind, "global") == 0) {
    fprintf(out, "global '%s'", or_unknown(name));
    if (record_number(location, "size"))
      fprintf(out, " of size %" PRIu64, record_number(location, "size"));
    fprintf(out, " at %s", or_unknown(address));
    if (module)
      fprintf(out, " (%s+%s)", base_name(module), or_unknown(record_text(location, "offset")));
    fputs("\n\n", out);
    return;
  }
  const char *thread = record_thread(NULL, location, room, sizeof room);
  if (strcmp(kind, "heap") == 0) {
    const char *object = record_text(location, "object");
    fprintf(out, "%s of size %" PRIu64 " at %s allocated by %s:\n", object ? object : "heap block",
            record_number(location, "size"), or_unknown(address), thread);
    write_stack(record_list(location, "stack"), out);
  } else if (strcmp(kind, "file descriptor") == 0) {
    fprintf(out, "file descriptor %" PRIu64 " %s by %s at:\n",
            record_number(location, "descriptor"),
            record_true(location, "closed") ? "destroyed" : "created", thread);
    write_stack(record_list(location, "stack"), out);
  } else {
    fprintf(out, "%s of %s.\n\n", strcmp(kind, "stack") == 0 ? "stack" : "TLS", thread);
  }
}

static void write_thread(const cJSON *thread, FILE *out) {
  const char *name = record_text(thread, "name");
  if (record_number(thread, "id") == 0)
    return;
  fprintf(out, "  Thread T%" PRIu64, record_number(thread, "id"));
  if (name)
    fprintf(out, " '%s'", name);
  fprintf(out, " (tid=%" PRIu64 ", %s)", record_number(thread, "os_id"),
          record_true(thread, "running") ? "running" : "finished");
  if (record_has_number(thread, "created_by")) {
    uint64_t id = record_number(thread, "created_by");
    if (id == 0)
      fputs(" created by main thread", out);
    else
      fprintf(out, " created by thread T%" PRIu64, id);
  }
  bool stack = record_list(thread, "stack");
  fputs(stack ? " at:\n" : "\n\n", out);
  if (stack)
    write_stack(record_list(thread, "stack"), out);
}

static void write_lists(const cJSON *record, FILE *out) {
  const cJSON *item;
  if (record_list(record, "sleep")) {
    fputs("  As if synchronized via sleep:\n", out);
    write_stack(record_list(record, "sleep"), out);
  }
  write_location(record_object(record, "location"), out);
  cJSON_ArrayForEach(item, record_list(record, "mutexes")) {
    fprintf(out, "  Mutex M%" PRIu64 " (%s) created at:\n", record_number(item, "id"),
            or_unknown(record_text(item, "address")));
    write_stack(record_list(item, "stack"), out);
  }
  cJSON_ArrayForEach(item, record_list(record, "threads")) write_thread(item, out);
  write_repairs(record, out);
  write_missing_line(record, out);
  write_departures(record, out);
  const char *repeat = record_text(record_object(record, "schedule"), "repeat");
  if (repeat)
    fprintf(out, "  To repeat this run: %s\n\n", repeat);
}

// What `rsan confirm' has found out.
static void write_tried(const cJSON *record, FILE *out) {
  if (!record_object(record, "confirmed"))
    return;
  fprintf(out, "  %s by executing it:\n", record_is_confirmed(record) ? "Confirmed" : "Tried");
  write_confirmed_lines(record, "    ", out);
  fputc('\n', out);
}

static void write_last_line(const cJSON *record, FILE *out) {
  fprintf(out, "SUMMARY: ThreadSanitizer: %s ", record_type(record));
  write_site(record_site(record, 0), out);
  fputc('\n', out);
}

void write_report(const cJSON *record, FILE *out) {
  const cJSON *stack, *stacks = record_list(record, "stacks");
  fprintf(out, "==================\nWARNING: ThreadSanitizer: %s (pid=%" PRIu64 ")\n",
          record_type(record), record_number(record, "pid"));
  if (record_is_failure(record) || record_text(record, "message"))
    write_failure(record, out);
  cJSON_ArrayForEach(stack, stacks) {
    if (stack != stacks->child)
      fputs("  and:\n", out);
    write_stack(stack, out);
  }
  write_accesses(record, out);
  write_outcome(record, out);
  write_tried(record, out);
  write_lists(record, out);
  if (record_number(record, "count"))
    fprintf(out, "  Seen %" PRIu64 " time%s in %" PRIu64 " run%s, first in %s\n\n",
            record_number(record, "count"), plural(record_number(record, "count")),
            record_number(record, "runs"), plural(record_number(record, "runs")),
            or_unknown(record_text(record, "source")));
  write_tests(record, out);
  if (record_text(record, "token"))
    fprintf(out, "DEDUP_TOKEN: %s\n", record_text(record, "token"));
  write_last_line(record, out);
  fputs("==================\n", out);
}

// `missing fence in reclaim q.c:40: 5 violations`, before the first of them.
static void write_cause(const struct entry *entry, const struct entry *before, FILE *out) {
  const char *cause = record_text(entry->record, "cause");
  if (!cause || (before && before->group.size && before->group.first == entry->group.first))
    return;
  fprintf(out, "missing %s: %zu violation%s", cause, entry->group.size, plural(entry->group.size));
  if (entry->group.harmless)
    fprintf(out, ", %zu harmless", entry->group.harmless);
  fputc('\n', out);
}

// What a baseline has is listed, a line each, and what it alone has.
static void write_known(const struct collection *collection, FILE *out) {
  char where[40];
  for (size_t i = collection->fresh; i < collection->count; i++) {
    const cJSON *record = collection->at[i].record;
    fprintf(out, "known: %s %s ", collection->at[i].token, record_type(record));
    write_site(record_site(record, 0), out);
    fputc('\n', out);
  }
  snprintf(where, sizeof where, "in %" PRIu64 " run%s", collection->run_count,
           plural(collection->run_count));
  if (collection->baseline)
    baseline_write_gone(collection->baseline, where, out);
}

void write_text(const struct collection *collection, FILE *out) {
  for (size_t i = 0; i < collection->fresh; i++) {
    if (collection->count > 1)
      write_cause(&collection->at[i], i > 0 ? &collection->at[i - 1] : NULL, out);
    write_report(collection->at[i].record, out);
  }
  write_known(collection, out);
  write_end(collection, out);
}

void write_json(const struct collection *collection, FILE *out) {
  for (size_t i = 0; i < collection->count; i++) {
    char *line = cJSON_PrintUnformatted(collection->at[i].record);
    if (!line) {
      complain(STATUS_FAILED, "out of memory");
      return;
    }
    fprintf(out, "%s\n", line);
    cJSON_free(line);
  }
}
