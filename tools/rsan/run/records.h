// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The reports of many runs, each kept once. A report is a record of the runtime's
// (report_format=json), or a text as ThreadSanitizer prints it, for programs that ignore the
// option.

#ifndef RECORDS_H
#define RECORDS_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "counts.h"
#include "unmatched.h"

enum { RECORD_SEEDS = 8 };

struct baseline;

struct record {
  char *token;        // the same for the same defect: the record's token, or a text's SUMMARY
  char *text;         // the first one: a line of JSON, or the lines of a text
  char *type, *place; // "data race"; "f.c:3:9 in g", "" if not known
  char *source;       // where it was first read: "LOG:LINE"
  cJSON *tests; // `tests` and `alone` of all its reports (report/tests.h); NULL: there are none
  bool json;    // the form of TEXT
  bool known;   // by the baseline
  unsigned long count; // reports
  unsigned runs, first_run, last_run;
  unsigned seeds[RECORD_SEEDS]; // the first of these runs
  long schedule;                // bytes of the schedule of the run that TEXT is of; 0: it has none
};

struct records {
  struct record *at;
  size_t count, capacity;
  // Only violations with these tokens are taken (NULL ends the list); NULL: all violations.
  const char *const *only;
  struct baseline *baseline; // of findings that are known; NULL: none was given
  unsigned long left;        // reports that were not
  // Records without functions and lines (symbolize=0) are told apart by their whole stacks, and not
  // by their tokens: of a function that is no place of its own, the caller is the place.
  bool by_stacks;
  char **remarks; // other lines in the logs, each once
  size_t remark_count;
  struct unmatched unmatched;    // rules of simulate=
  struct counts counts;          // of the same, with count_repairs=1
  unsigned long dropped_remarks; // beyond what is kept
  bool runtime_seen;             // some process of some run ended with RSan's statistics
  unsigned long long tests;      // that were named, by these statistics
  unsigned checked;              // what was (checked.h)
  unsigned long long fences;     // simulated ones that were executed, by these statistics
};

// What one log had.
struct records_seen {
  unsigned reports, fresh; // that are not known; fresh: no earlier run had them
  unsigned hangs;          // reports of time-outs, which are not among them
  unsigned failed_tests;   // the same of failed tests
};

// Adds the log of a process of run RUN; false if it cannot be read.
bool records_read(struct records *records, const char *path, unsigned run,
                  struct records_seen *seen);

// As records_read, from a stream, which messages and sources call PATH.
bool records_read_stream(struct records *records, FILE *file, const char *path, unsigned run,
                         struct records_seen *seen);

// Adds the reports of one defect, of which another process has made one record; it is copied. Gives
// what has all of them by now, until the next one is added.
struct record *records_merge(struct records *records, const struct record *record);

// NULL: none has that token.
struct record *records_find(const struct records *records, const char *token);

// The tests of a report, with the user's options, in whose place a line for a shell sets its own.
// NULL: it has none. The caller frees the object.
cJSON *record_tests(const cJSON *object);

// The reports are of that run as well.
void record_note_run(struct record *record, unsigned run);

// Adds a line that is of no report, and was in a log: each once.
void records_remark(struct records *records, char *line);

// What tells a record without functions and lines from others with `by_stacks`: a hash of its type
// and all frames of its stacks. False: the record is of another kind.
bool record_stacks_key(const cJSON *object, char key[17]);

// Where the first stack is, else what a SUMMARY (NULL for none) says behind the type. For free().
char *record_place_text(const cJSON *object, const char *summary);

// Sets the member "confirmed" of a violation's record (report/confirmed.h), and takes it over.
void record_answer(struct record *record, cJSON *confirmed);

// Writes the record that all its reports were merged into.
bool record_write(const struct record *record, FILE *file);

// Reports that are not known, but for those that only say how the command has ended (end.h).
size_t records_reports(const struct records *records);
size_t records_failing(const struct records *records, unsigned classes); // (report/classes.h)

// Reports of this type that are not known, each once; all types for NULL.
size_t records_of_type(const struct records *records, const char *type);

// Reports that are known, each once.
size_t records_known(const struct records *records);

void records_free(struct records *records);

#endif
