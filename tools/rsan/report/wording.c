// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What several formats say in the same words.

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/plural.h"
#include "changed.h"
#include "compiler-rt-patch/src/common/rsan_words.h"
#include "complain.h"
#include "confirmed.h"
#include "failure.h"
#include "frame.h"
#include "lost.h"
#include "output.h"
#include "printable.h"
#include "record.h"

void write_bits(const char *text, FILE *out) {
  if (text && strlen(text) <= 8) // as the runtime does
    fprintf(out, "%" PRIu64, (uint64_t)strtoull(text, NULL, 16));
  else
    fputs(or_unknown(text), out);
}

void write_values(const cJSON *record, FILE *out) {
  const char *stale = record_text(record, "stale"), *seen = record_text(record, "seen");
  const char *over = record_text(record, "overwritten_by");
  const char *expected = record_text(record, "expected"), *wait = record_text(record, "waits_for");
  if (expected) {
    fputs("expected ", out);
    write_bits(expected, out);
    fputs(" and ", out);
  } else if (wait) {
    fprintf(out, "waits for %s and ", wait);
  }
  fprintf(out, "would %s ",
          over                       ? "overwrite"
          : strcmp(stale, seen) == 0 ? "read an older"
                                     : "read");
  write_bits(stale, out);
  fputs(over ? " and then be overwritten itself by " : " in place of ", out);
  write_bits(over ? over : seen, out);
}

// What part of one access's bytes the other one has (rsan_common_bytes_text).
static enum rsan_common_bytes part_of(const cJSON *record, char text[16], unsigned *larger) {
  const cJSON *accesses = record_list(record, "accesses");
  const cJSON *access = cJSON_GetArrayItem(accesses, 0), *write = cJSON_GetArrayItem(accesses, 1);
  const char *address = record_text(access, "address"), *other = record_text(write, "address");
  uint64_t size = record_number(access, "size"), written = record_number(write, "size");
  if (!record_is_violation(record) || !address || !other || size > 16 || written > 16)
    return RSAN_BYTES_ALIKE;
  int64_t offset = (int64_t)(strtoull(other, NULL, 16) - strtoull(address, NULL, 16));
  if (offset < -16 || offset > 16)
    return RSAN_BYTES_ALIKE;
  *larger = (unsigned)(size > written ? size : written);
  return rsan_common_bytes_text((int)offset, (unsigned)size, (unsigned)written, text);
}

bool has_other_bytes(const cJSON *record) {
  char text[16];
  unsigned larger;
  return part_of(record, text, &larger) != RSAN_BYTES_ALIKE;
}

void write_other_bytes(const cJSON *record, FILE *out) {
  char text[16];
  unsigned larger = 0;
  enum rsan_common_bytes part = part_of(record, text, &larger);
  if (part == RSAN_BYTES_LEFT)
    fprintf(out, RSAN_WORDS_BYTES_LEFT, text, larger);
  else if (part == RSAN_BYTES_HAD)
    fprintf(out, RSAN_WORDS_BYTES_HAD, text, larger);
}

void write_recheck(const cJSON *record, FILE *out) {
  const cJSON *place = record_object(record, "checked_again");
  const char *function = record_text(place, "function");
  fprintf(out, "Checked again by compare-exchange at %s%s", function ? function : "",
          function ? " " : "");
  write_position(place, out);
  fputs(": it would fail with the older value, for which there is no other use.", out);
}

FILE *open_text(char **text, size_t *size) {
  FILE *out = open_memstream(text, size);
  if (out)
    return out;
  complain(STATUS_FAILED, "out of memory");
  exit(STATUS_FAILED);
}

static void write_access(const cJSON *record, const cJSON *access, FILE *out) {
  char room[256];
  const char *kind = record_text(access, "kind"), *order = record_text(access, "order");
  const cJSON *site = record_place(access);
  const char *call = record_text(access, "call");
  fprintf(out, "%s%s%s%s by %s", record_true(access, "atomic") ? "atomic " : "",
          kind ? kind : "access", call ? " by " : "", call ? call : "",
          record_thread(record, access, room, sizeof room));
  if (order)
    fprintf(out, " (memory_order_%s)", order);
  if (site) {
    fputs(" at ", out);
    write_position(site, out);
  }
}

static void write_violation(const cJSON *record, FILE *out) {
  const cJSON *accesses = record_list(record, "accesses");
  const char *name = record_object_name(record);
  write_access(record, cJSON_GetArrayItem(accesses, 0), out);
  if (name)
    fprintf(out, " of '%s'", name);
  fprintf(out, " may %s the ",
          record_text(record, "overwritten_by") ? "be ordered before" : "miss");
  write_access(record, cJSON_GetArrayItem(accesses, 1), out);
  fputs(": every sequentially consistent run orders the write first, but it does not happen before "
        "this access",
        out);
  if (record_has_values(record)) {
    fputs("; it ", out);
    write_values(record, out);
  }
}

char *sentence(const cJSON *record) {
  char *text;
  size_t size;
  FILE *out = open_text(&text, &size);
  const cJSON *accesses = record_list(record, "accesses");
  if (record_is_violation(record) && cJSON_GetArraySize(accesses) >= 2) {
    if (record_is_confirmed(record)) {
      write_confirmed(record, out);
      fputs(": ", out);
    }
    write_violation(record, out);
  } else {
    const cJSON *access, *site = record_site(record, 0);
    fputs(record_type(record), out);
    cJSON_ArrayForEach(access, accesses) {
      fputs(access == accesses->child ? ": " : " and ", out);
      write_access(record, access, out);
    }
    if (!accesses && site) {
      fputs(" at ", out);
      write_position(site, out);
    }
    write_failure_words(record, out);
  }
  fclose(out);
  return text;
}

char *rule_id(const char *type) {
  const char *end = strstr(type, " (");
  char *id = must_copy(type, end ? (size_t)(end - type) : strlen(type)), *to = id;
  for (const char *at = id; *at; at++)
    *to++ = *at == ' ' ? '-' : *at;
  *to = '\0';
  return id;
}

void write_escaped(const char *text, FILE *out) {
  for (; text && *text; text++) {
    unsigned char byte = (unsigned char)*text;
    size_t mark = layout_mark(text);
    if (mark > 0) {
      for (size_t i = 0; i < mark; i++)
        fprintf(out, "\\x%02x", (unsigned char)text[i]);
      text += mark - 1;
    } else if (byte == '<')
      fputs("&lt;", out);
    else if (byte == '>')
      fputs("&gt;", out);
    else if (byte == '&')
      fputs("&amp;", out);
    else if (byte == '"')
      fputs("&quot;", out);
    else if (byte < 0x20 && byte != '\n' && byte != '\t') // XML has no way to write these
      fputs("\xef\xbf\xbd", out);
    else
      fputc(byte, out);
  }
}

static void write_count(uint64_t count, const char *what, FILE *out) {
  fprintf(out, "%" PRIu64 " %s%s", count, what, plural(count));
}

void write_end(const struct collection *collection, FILE *out) {
  write_totals(collection, out);
  if (collection->lost) {
    fputs("; ", out);
    put_printable(lost_text(collection->lost), out);
  }
  fputc('\n', out);
}

void write_object(cJSON *object, FILE *out) {
  char *text = cJSON_Print(object);
  if (text)
    fprintf(out, "%s\n", text);
  else
    complain(STATUS_FAILED, "out of memory");
  cJSON_free(text);
  cJSON_Delete(object);
}

char *finding_words(const cJSON *record) {
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_text(&text, &size);
  const char *name = record_object_name(record);
  fprintf(out, "%s%s%s", record_type(record), name ? " of " : "", name ? name : "");
  for (size_t i = 0; i < record_stack_count(record) && i < 2; i++) {
    const cJSON *site = record_site(record, i);
    const char *function = record_text(site, "function"), *file = record_text(site, "file");
    const char *module = record_text(site, "module");
    const char *where = file ? file : or_unknown(module);
    fprintf(out, "%s %s (%s)", i ? "," : ":", function ? function : "?", base_name(where));
  }
  fclose(out);
  return text;
}

static uint64_t count_known(const struct collection *collection) {
  return collection->count - collection->fresh;
}

void write_totals(const struct collection *collection, FILE *out) {
  uint64_t violations = 0, races = 0;
  for (size_t i = 0; i < collection->fresh; i++) {
    violations += record_is_violation(collection->at[i].record);
    races += record_is_race(collection->at[i].record);
  }
  write_count(violations, "robustness violation", out);
  fputs(", ", out);
  write_count(races, "data race", out);
  if (collection->fresh > violations + races)
    fprintf(out, ", %" PRIu64 " of other types", collection->fresh - violations - races);
  if (collection->baseline)
    fprintf(out, ", %" PRIu64 " known", count_known(collection));
  if (collection->changes)
    fprintf(out, ", %zu in lines changed since %s", collection->changed,
            changes_revision(collection->changes));
  fputs("; ", out);
  write_count(collection->total, "report", out);
  fputs(" in ", out);
  write_count(collection->run_count, "run", out);
}
