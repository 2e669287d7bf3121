// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One page for people: needs nothing but itself, and shows everything without its script, too.

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/plural.h"
#include "classes.h"
#include "complain.h"
#include "confirmed.h"
#include "frame.h"
#include "html.h"
#include "lost.h"
#include "output.h"
#include "record.h"
#include "targets.h"
#include "tests.h"

enum { MOST_PROGRAMS = 5 }; // that are named

// What `write` writes, escaped.
static void write_escaped_by(void (*write)(const cJSON *object, FILE *out), const cJSON *object,
                             FILE *out) {
  char *text;
  size_t size;
  FILE *memory = open_memstream(&text, &size);
  if (!memory) {
    complain(STATUS_FAILED, "out of memory");
    exit(STATUS_FAILED);
  }
  write(object, memory);
  fclose(memory);
  write_escaped(text, out);
  free(text);
}

// They are the first ones.
static bool any_confirmed(const struct collection *collection) {
  return collection->count > 0 && record_is_confirmed(collection->at[0].record);
}

static void write_row(const struct collection *collection, const struct html_filters *filters,
                      const struct entry *entry, FILE *out) {
  const cJSON *record = entry->record, *site = record_site(record, 0);
  const char *name = record_object_name(record);
  fputs("<tr", out);
  html_filters_write_attributes(filters, record, out);
  fprintf(out, "><td class=\"place\"><a href=\"#r%s\">", entry->token);
  if (site)
    write_escaped_by(write_position, site, out);
  fputs(site ? "</a></td><td>" : "an unknown place</a></td><td>", out);
  write_escaped(record_type(record), out);
  fputs(entry->known ? ", known</td><td><code>" : "</td><td><code>", out);
  write_escaped(name ? name : "", out);
  fputs("</code></td><td>", out);
  write_escaped(record_text(record, "cause") ? record_text(record, "cause") : "", out);
  if (any_confirmed(collection)) {
    fputs("</td><td>", out);
    if (record_is_confirmed(record))
      write_escaped(record_text(record_object(record, "confirmed"), "text"), out);
  }
  fprintf(out,
          "</td><td class=\"number\">%" PRIu64 "</td><td class=\"number\">%" PRIu64 "</td></tr>\n",
          entry->count, entry->run_count);
}

// What `rsan confirm' has found out.
static void write_tried(const cJSON *record, FILE *out) {
  if (!record_object(record, "confirmed"))
    return;
  fprintf(out, "<p%s>", record_is_confirmed(record) ? " class=\"kind\"" : "");
  write_escaped_by(write_confirmed, record, out);
  fputs("</p>\n", out);
}

// ` of ring.head, push queue.c:40`, behind the type.
static void write_about(const cJSON *record, FILE *out) {
  const cJSON *site = record_site(record, 0);
  const char *name = record_object_name(record), *file = record_text(site, "file");
  const char *function = record_text(site, "function");
  if (name) {
    fputs(" of <code>", out);
    write_escaped(name, out);
    fputs("</code>", out);
  }
  if (!site || !(function || file))
    return;
  char *shown;
  size_t size;
  FILE *text = open_text(&shown, &size);
  write_own_name(function, text);
  fclose(text);
  fputs(", <code>", out);
  write_escaped(shown, out);
  free(shown);
  fputs(function && file ? " " : "", out);
  write_escaped(file ? base_name(file) : "", out);
  if (file)
    fprintf(out, ":%" PRIu64, record_number(site, "line"));
  fputs("</code>", out);
}

// In a paragraph that begins with the tag, if the record has what it says.
static void write_paragraph(bool has, const char *tag, void (*write)(const cJSON *, FILE *),
                            const cJSON *record, FILE *out) {
  if (!has)
    return;
  fputs(tag, out);
  write_escaped_by(write, record, out);
  fputs("</p>\n", out);
}

static void write_article(const struct collection *collection, const struct html_filters *filters,
                          struct sources *sources, const struct entry *entry, FILE *out) {
  const cJSON *record = entry->record;
  size_t count;
  const cJSON **frames = html_frames(record, &count);
  char *text = sentence(record);
  fprintf(out, "<article id=\"r%s\"", entry->token);
  html_filters_write_attributes(filters, record, out);
  fputs(">\n<h2><span class=\"kind\">", out);
  write_escaped(record_type(record), out);
  fputs("</span>", out);
  write_about(record, out);
  fputs(entry->known ? ", known</h2>\n<details><summary>Show it</summary>\n<p>" : "</h2>\n<p>",
        out);
  write_escaped(text, out);
  fprintf(
      out, ".</p>\n<p class=\"soft\">Seen %" PRIu64 " time%s in %" PRIu64 " run%s. Token %s.</p>\n",
      entry->count, plural(entry->count), entry->run_count, plural(entry->run_count), entry->token);
  write_paragraph(cJSON_GetArraySize(record_list(record, "tests")) > 0, "<p class=\"soft\">",
                  write_tests, record, out);
  if (record_text(record, "cause")) {
    fputs("<p class=\"soft\">Missing: ", out);
    write_escaped(record_text(record, "cause"), out);
    fputs(".</p>\n", out);
  }
  write_paragraph(has_other_bytes(record), "<p>", write_other_bytes, record, out);
  write_paragraph(record_object(record, "checked_again"), "<p>", write_recheck, record, out);
  write_paragraph(record_text(record, "class"), "<p>", write_class, record, out);
  write_tried(record, out);
  html_diagram(record, out);
  write_paragraph(record_object(record, "targets"), "<p class=\"soft\">", write_targets, record,
                  out);
  write_paragraph(cJSON_GetArraySize(record_list(record, "repairs")) > 0, "<p class=\"repair\">",
                  write_repairs, record, out);
  html_excerpts(collection, sources, record, frames, count, out);
  fputs(entry->known ? "</details>\n" : "", out);
  fputs("<details><summary>The report as text</summary><pre>", out);
  write_escaped_by(write_report, record, out);
  fputs("</pre></details>\n</article>\n", out);
  free(text);
  free(frames);
}

static void write_reports(const struct collection *collection, FILE *out) {
  struct html_filters *filters = html_filters_of(collection);
  struct sources *sources = sources_new(&collection->modules);
  html_filters_write_choices(filters, out);
  fputs("</header>\n<table><thead><tr><th>Place</th><th>Kind</th><th>Object</th><th>Missing</th>",
        out);
  if (any_confirmed(collection))
    fputs("<th>Fails</th>", out);
  fputs("<th class=\"number\">Seen</th><th class=\"number\">Runs</th></tr></thead>\n<tbody>\n",
        out);
  for (size_t i = 0; i < collection->count; i++)
    write_row(collection, filters, &collection->at[i], out);
  fputs("</tbody></table>\n<main>\n", out);
  for (size_t i = 0; i < collection->count; i++)
    write_article(collection, filters, sources, &collection->at[i], out);
  fprintf(out, "</main>\n<script>\n/*<![CDATA[*/\n%s/*]]>*/\n</script>\n", html_script);
  sources_free(sources);
  html_filters_free(filters);
}

// By which commands, when, and by which version the reports were made.
static void write_origin(const struct origin *origin, FILE *out) {
  const size_t shown = origin->count < ORIGIN_COMMANDS ? origin->count : ORIGIN_COMMANDS;
  fputs("<p>", out);
  for (size_t i = 0; i < shown; i++) {
    fputs(i ? ", " : origin->count == 1 ? "Command: " : "Commands: ", out);
    fputs("<code>", out);
    write_escaped(origin->commands[i], out);
    fputs("</code>", out);
  }
  if (shown)
    fprintf(out, "%s. ", origin->count > shown ? ", ..." : "");
  char date[64];
  struct tm parts;
  if (origin->written && gmtime_r(&origin->written, &parts) &&
      strftime(date, sizeof date, "%Y-%m-%d %H:%M UTC", &parts))
    fprintf(out, "Last report: %s. ", date);
  fprintf(out, "RSan %s.</p>\n", RSAN_VERSION);
}

// Which programs the reports are of, each once, and how the images are to be read.
static void write_programs(const struct collection *collection, FILE *out) {
  size_t shown = 0;
  for (size_t i = 0; i < collection->count && shown <= MOST_PROGRAMS; i++) {
    const char *program = record_text(collection->at[i].record, "program");
    bool seen = !program;
    for (size_t j = 0; j < i && !seen; j++) {
      const char *other = record_text(collection->at[j].record, "program");
      seen = other && strcmp(program, other) == 0;
    }
    if (seen)
      continue;
    fputs(shown ? ", " : "<p>Programs: ", out);
    write_escaped(shown < MOST_PROGRAMS ? program : "...", out);
    shown++;
  }
  fputs(shown ? ".</p>\n" : "", out);
  write_origin(&collection->origin, out);
  if (collection->count > 0)
    fputs(
        "<p class=\"soft\">Images: a box is an access, a column a thread. Arrows are the order of "
        "every sequentially consistent run; the dashed one is what the memory model allows as "
        "well.</p>\n",
        out);
}

void write_html(const struct collection *collection, FILE *out) {
  fprintf(out,
          "<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"/>\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
          "<title>RSan: %zu report%s</title>\n<style>\n%s</style></head>\n<body>\n"
          "<header><h1>RSan</h1>\n<p>",
          collection->count, plural(collection->count), html_style);
  write_totals(collection, out);
  if (collection->lost) {
    fputs("; ", out);
    write_escaped(lost_text(collection->lost), out);
  }
  fputs("</p>\n", out);
  write_programs(collection, out);
  if (collection->count > 0)
    write_reports(collection, out);
  else
    fputs("</header>\n", out);
  fputs("</body>\n</html>\n", out);
}
