// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes a comment for a change: a table of the findings, and the first reports in full, folded.
// GitHub limits a comment to 65,536 characters, so the numbers of rows and reports have limits, and
// the comment says how many it leaves out. Reports come from outside, so each sign in them that
// Markdown or HTML could interpret is escaped.

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "classes.h"
#include "confirmed.h"
#include "lost.h"
#include "output.h"
#include "record.h"

enum { MOST_ROWS = 50, MOST_REPORTS = 5, MOST_OF_REPORT = 6000 };

// Markdown is parsed inside <code>, too, so each sign that it could interpret becomes a number.
static void write_code(const char *text, FILE *out) {
  fputs("<code>", out);
  for (; text && *text; text++) {
    unsigned char byte = (unsigned char)*text;
    if (isalnum(byte) || byte >= 0x80 || strchr(" ./,", byte))
      fputc(byte, out);
    else
      fprintf(out, "&#%u;", byte);
  }
  fputs("</code>", out);
}

static void write_place(const cJSON *record, size_t index, FILE *out) {
  char *text = NULL;
  size_t size = 0;
  FILE *place = open_text(&text, &size);
  write_site(record_site(record, index), place);
  fclose(place);
  if (*text)
    write_code(text, out);
  free(text);
}

static void write_row(const struct entry *entry, FILE *out) {
  const cJSON *record = entry->record;
  const char *cause = record_text(record, "cause");
  fputs("| ", out);
  write_code(record_type(record), out);
  fputs(record_is_confirmed(record)          ? ": the program fails | "
        : class_of(record) == CLASS_HARMLESS ? ": harmless | "
                                             : " | ",
        out);
  write_place(record, 0, out);
  fputs(" | ", out);
  write_place(record, 1, out);
  fputs(" | ", out);
  if (cause)
    write_code(cause, out);
  fprintf(out, " | `%s` |\n", entry->token);
}

static void write_rows(const struct collection *collection, FILE *out) {
  size_t rows = collection->fresh < MOST_ROWS ? collection->fresh : MOST_ROWS;
  if (!rows)
    return;
  fputs("| | access | other access | missing | token |\n| --- | --- | --- | --- | --- |\n", out);
  for (size_t i = 0; i < rows; i++)
    write_row(&collection->at[i], out);
  fputc('\n', out);
  if (rows < collection->fresh)
    fprintf(out, "%zu more are not listed here.\n\n", collection->fresh - rows);
}

// Markdown is not parsed from a line <pre> after a blank line to the line </pre>.
static void write_folded(const struct entry *entry, FILE *out) {
  char *text = NULL;
  size_t size = 0;
  FILE *report = open_text(&text, &size);
  write_report(entry->record, report);
  fclose(report);
  fprintf(out, "<details><summary>Report %s</summary>\n\n<pre>\n", entry->token);
  if (size > MOST_OF_REPORT) {
    size_t end = MOST_OF_REPORT;
    while (end > 0 && text[end - 1] != '\n')
      end--;
    text[end] = '\0';
  }
  write_escaped(text, out);
  fputs(size > MOST_OF_REPORT ? "(cut)\n" : "", out);
  fputs("</pre>\n</details>\n\n", out);
  free(text);
}

void write_markdown(const struct collection *collection, FILE *out) {
  fputs("### RSan: ", out);
  write_totals(collection, out);
  fputs("\n\n", out);
  write_rows(collection, out);
  for (size_t i = 0; i < collection->fresh && i < MOST_REPORTS; i++)
    write_folded(&collection->at[i], out);
  if (collection->fresh > MOST_REPORTS)
    fprintf(out, "%zu more reports are not shown here.\n", collection->fresh - MOST_REPORTS);
  if (collection->lost) {
    write_code(lost_text(collection->lost), out);
    fputc('\n', out);
  }
}
