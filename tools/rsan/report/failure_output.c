// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Failures in words.

#include <signal.h>
#include <string.h>

#include "failure.h"
#include "output.h"
#include "record.h"

static void write_signal(const cJSON *record, FILE *out) {
  char room[256];
  int number = (int)record_number(record, "signal");
  const char *address = record_text(record, "address");
  fprintf(out, "  Signal %d (%s) in %s", number, strsignal(number),
          record_thread(record, record, room, sizeof room));
  if (address)
    fprintf(out, ", accessing %s", address);
  fputs(":\n", out);
}

void write_failure(const cJSON *record, FILE *out) {
  const char *message = record_text(record, "message"), *waits = record_text(record, "waits_text");
  char room[256];
  const cJSON *wait;
  if (message)
    fprintf(out, "  Message: %s\n", message);
  if (record_has_number(record, "signal"))
    write_signal(record, out);
  if (waits)
    fprintf(out, "  %s\n\n", waits);
  cJSON_ArrayForEach(wait, record_list(record, "waits")) {
    fprintf(out, "  %s: %s:\n", record_thread(record, wait, room, sizeof room),
            or_unknown(record_text(wait, "text")));
    write_stack(record_list(wait, "stack"), out);
  }
}

void write_failure_words(const cJSON *record, FILE *out) {
  const char *message = record_text(record, "message");
  char room[256];
  const cJSON *wait;
  if (message)
    fprintf(out, ": %s", message);
  cJSON_ArrayForEach(wait, record_list(record, "waits")) fprintf(
      out, "%s %s: %s", wait->prev == wait || !wait->prev->next ? ":" : ";",
      record_thread(record, wait, room, sizeof room), or_unknown(record_text(wait, "text")));
}
