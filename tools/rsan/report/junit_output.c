// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// JUnit's XML, as CI systems read it: each kind of report is a failed test case, in each test that
// it was seen in one; without any there is one that has passed.

#include <stdlib.h>

#include "lost.h"
#include "output.h"
#include "record.h"

static void write_escaped_report(const cJSON *record, FILE *out) {
  char *text;
  size_t size;
  FILE *report = open_text(&text, &size);
  write_report(record, report);
  fclose(report);
  write_escaped(text, out);
  free(text);
}

// TEST: in which it was seen. NULL: it is not known.
static void write_case(const struct entry *entry, const char *test, FILE *out) {
  const cJSON *record = entry->record;
  char *rule = rule_id(record_type(record)), *message = sentence(record);
  const cJSON *site = record_site(record, 0);
  const char *file = record_text(site, "file"), *function = record_text(site, "function");
  fputs("    <testcase classname=\"rsan.", out);
  write_escaped(rule, out);
  fputs("\" name=\"", out);
  if (test) {
    write_escaped(test, out);
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
  free(rule);
  free(message);
}

static size_t count_cases(const struct entry *entry) {
  int tests = cJSON_GetArraySize(record_list(entry->record, "tests"));
  return tests > 0 ? (size_t)tests : 1;
}

static void write_cases(const struct entry *entry, FILE *out) {
  const cJSON *test, *tests = record_list(entry->record, "tests");
  if (cJSON_GetArraySize(tests) == 0)
    write_case(entry, NULL, out);
  cJSON_ArrayForEach(test, tests) write_case(entry, test->valuestring, out);
}

void write_junit(const struct collection *collection, FILE *out) {
  size_t count = collection->count, tests = count == 0, failures = 0, skipped = 0;
  for (size_t i = 0; i < count; i++)
    *(collection->at[i].known ? &skipped : &failures) += count_cases(&collection->at[i]);
  tests += failures + skipped;
  fprintf(
      out,
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuites name=\"RSan\" tests=\"%zu\" failures=\"%zu\" errors=\"0\">\n"
      "  <testsuite name=\"RSan\" tests=\"%zu\" failures=\"%zu\" errors=\"0\" skipped=\"%zu\">\n",
      tests, failures, tests, failures, skipped);
  for (size_t i = 0; i < count; i++)
    write_cases(&collection->at[i], out);
  if (count == 0)
    fputs("    <testcase classname=\"rsan\" name=\"no report\"/>\n", out);
  if (collection->lost) {
    fputs("    <system-out>", out);
    write_escaped(lost_text(collection->lost), out);
    fputs("</system-out>\n", out);
  }
  fputs("  </testsuite>\n</testsuites>\n", out);
}
