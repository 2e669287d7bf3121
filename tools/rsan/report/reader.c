// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reader.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/plural.h"
#include "complain.h"
#include "frame.h"
#include "input.h"
#include "lost.h"
#include "record.h"
#include "text_report.h"
#include "utf8.h"

// A text report is cut off after so many lines; a program that prints in the middle of one makes it
// longer.
enum { READER_MAX_LINES = 100000 };

struct reader {
  struct collection *collection;
  const char *file;         // as in messages
  size_t line;              // of the current line
  bool cut_off;             // the line has no end
  size_t reports;           // found in this file
  const char *foreign;      // what else the file seems to be; NULL: anything
  struct text_report *text; // being read; NULL: none
  size_t text_at;           // its first line
  bool at_rule;             // the last line may have been its end
  bool complained;          // of this file
};

static const char record_start[] = "{\"rsan_report\":";
static const char again_start[] = "{\"rsan_again\":"; // a further test (tests.h)

static void add(struct reader *reader, cJSON *record, size_t line) {
  reader->reports++;
  collection_add(reader->collection, record, reader->file, line);
}

// One record at `at`. Returns what follows it.
static const char *read_record(struct reader *reader, const char *at) {
  const char *end = at, *reason;
  cJSON *record = cJSON_ParseWithOpts(at, &end, 0);
  if (!record) {
    reader->complained = true;
    complain(STATUS_RAW_FRAMES, "%s:%zu: %s", reader->file, reader->line,
             reader->cut_off ? "the record is cut off; it is left out"
                             : "the record is no JSON; it is left out");
    // Another process may have written into the middle of it.
    const char *next = strstr(at + 1, record_start);
    return next ? next : at + strlen(at);
  }
  if (record_is_sound(record, &reason)) {
    add(reader, record, reader->line);
  } else {
    reader->complained = true;
    complain(STATUS_RAW_FRAMES, "%s:%zu: the record is left out: %s", reader->file, reader->line,
             reason);
    cJSON_Delete(record);
  }
  return end;
}

// COMPLETE: the end of the text was there.
static void end_text(struct reader *reader, bool complete) {
  bool has_stack;
  cJSON *record = reader->text ? text_end(reader->text, &has_stack) : NULL;
  if (record && (!complete || !has_stack)) {
    reader->complained = true;
    complain(STATUS_RAW_FRAMES, "%s:%zu: the report that begins here is cut off%s", reader->file,
             reader->text_at, has_stack ? "; what is there is kept" : "; it is left out");
  }
  if (record && has_stack)
    add(reader, record, reader->text_at);
  else
    cJSON_Delete(record);
  reader->text = NULL;
  reader->at_rule = false;
}

static void read_text(struct reader *reader, const char *line) {
  enum text_state state = text_line(reader->text, line);
  reader->at_rule = state == TEXT_MAY_END;
  if (state == TEXT_ENDS)
    end_text(reader, true);
  else if (reader->line - reader->text_at > READER_MAX_LINES)
    end_text(reader, false);
}

// What a process could not check.
static void read_lost(struct collection *collection, char *line) {
  line[strcspn(line, "\r\n")] = 0;
  char *sum = collection->lost ? lost_add(collection->lost, line) : strdup(line);
  free(collection->lost);
  collection->lost = sum;
}

static void read_line(struct reader *reader, char *line) {
  const char *record = strstr(line, record_start);
  if (reader->at_rule)
    end_text(reader, !line_starts_report(line));
  if (record) {
    while ((record = strstr(record, record_start)))
      record = read_record(reader, record);
  } else if ((record = strstr(line, again_start))) {
    cJSON *object = cJSON_Parse(record);
    collection_add_tests(reader->collection, object);
    cJSON_Delete(object);
  } else if (line_starts_report(line)) {
    end_text(reader, false);
    reader->text = text_begin(line);
    reader->text_at = reader->line;
  } else if (reader->text) {
    read_text(reader, line);
  } else if (lost_is(line)) {
    read_lost(reader->collection, line);
  }
}

// What a file without a report holds, as far as its first line tells.
static void explain_nothing(const struct reader *reader) {
  if (reader->line == 0)
    complain(STATUS_DONE, "%s: empty, so no report", reader->file);
  else if (reader->foreign)
    complain(STATUS_RAW_FRAMES, "%s:1: %s: neither records nor text of reports", reader->file,
             reader->foreign);
  else
    complain(STATUS_DONE, "%s: no report in %zu line%s", reader->file, reader->line,
             plural(reader->line));
}

static const char *foreign_kind(const char *text, size_t length) {
  size_t at = 0;
  if (memchr(text, '\0', length))
    return "not text";
  while (at < length && isspace((unsigned char)text[at]))
    at++;
  if (at < length && (text[at] == '{' || text[at] == '['))
    return "JSON of another kind";
  if (at < length && text[at] == '<')
    return "XML or HTML";
  return NULL;
}

static void read_input(struct reader *reader, int fd) {
  struct input input;
  const char *text;
  size_t length;
  int more;
  input_begin(&input, fd);
  while ((more = input_line(&input, &text, &length)) > 0) {
    if (reader->line++ == 0)
      reader->foreign = foreign_kind(text, length);
    reader->cut_off = text[length - 1] != '\n';
    char *line = utf8_clean(text, length);
    read_line(reader, line);
    free(line);
  }
  int error = errno;
  end_text(reader, reader->at_rule);
  if (more < 0)
    complain(STATUS_FAILED, "cannot read %s: %s", reader->file, strerror(error));
  else if (reader->reports == 0 && !reader->complained)
    explain_nothing(reader);
  input_end(&input);
}

bool read_reports(struct collection *collection, const char *file) {
  struct reader reader = {.collection = collection, .file = file};
  if (strcmp(file, "-") == 0) {
    reader.file = "standard input";
    read_input(&reader, STDIN_FILENO);
    return true;
  }
  int fd = open(file, O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    complain(STATUS_FAILED, "cannot read %s: %s", file, strerror(errno));
    return false;
  }
  read_input(&reader, fd);
  close(fd);
  origin_note(&collection->origin, file);
  return true;
}
