// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// JUnit's XML, as CI systems read it: each kind of report is a failed test case; without any there
// is one that has passed.

#include <stdlib.h>

#include "lost.h"
#include "output.h"
#include "record.h"
#include "tests.h"

static void write_escaped_report(const cJSON *record, FILE *out) {
  char *text;
  size_t size;
  FILE *report = open_text(&text, &size);
  write_report(record, report);
  fclose(report);
  write_escaped(text, out);
  free(text);
}

static void write_case(const struct entry *entry, FILE *out) {
  const cJSON *record = entry->record;
  char *rule = rule_id(record_type(record)), *message = sentence(record);
  char *tests = tests_text(record);
  const cJSON *site = record_site(record, 0);
  const char *file = record_text(site, "file"), *function = record_text(site, "function");
  fputs("    <testcase classname=\"rsan.", out);
  write_escaped(rule, out);
  fputs("\" name=\"", out);
  if (tests) {
    write_escaped(tests, out);
    fputs(": ", out);
  }
  if (function) {
    write_escaped(function, out);
    fputc(' ', out);
  }
  fputs("[", out);
  write_escaped(record_text(record, "token"), out);
  fputs("]\"", out);
  if (file) {
    fputs(" file=\"", out);
    write_escaped(file, out);
    fprintf(out, "\" line=\"%d\"", (int)record_number(site, "line"));
  }
  if (entry->known) {
    fputs(">\n      <skipped message=\"known\"/>\n    </testcase>\n", out);
    free(tests);
    free(rule);
    free(message);
    return;
  }
  fputs(">\n      <failure type=\"", out);
  write_escaped(rule, out);
  fputs("\" message=\"", out);
  write_escaped(message, out);
  fputs("\">", out);
  write_escaped_report(record, out);
  fputs("</failure>\n    </testcase>\n", out);
  free(tests);
  free(rule);
  free(message);
}

void write_junit(const struct collection *collection, FILE *out) {
  size_t count = collection->count, tests = count > 0 ? count : 1;
  size_t failures = collection->fresh, skipped = count - failures;
  fprintf(
      out,
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuites name=\"RSan\" tests=\"%zu\" failures=\"%zu\" errors=\"0\">\n"
      "  <testsuite name=\"RSan\" tests=\"%zu\" failures=\"%zu\" errors=\"0\" skipped=\"%zu\">\n",
      tests, failures, tests, failures, skipped);
  for (size_t i = 0; i < count; i++)
    write_case(&collection->at[i], out);
  if (count == 0)
    fputs("    <testcase classname=\"rsan\" name=\"no report\"/>\n", out);
  if (collection->lost) {
    fputs("    <system-out>", out);
    write_escaped(lost_text(collection->lost), out);
    fputs("</system-out>\n", out);
  }
  fputs("  </testsuite>\n</testsuites>\n", out);
}
