// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tests in which a report was seen: the record's list `tests`. The list `alone` has, of each
// test of which that is known, how to run it alone: `options` of the runtime and the `command`, or
// as `repeat` a line for a shell; of several runs `runs` says in how many it was seen, and `seeds`
// names the first ones.

#ifndef TESTS_H
#define TESTS_H

#include <cjson/cJSON.h>
#include <stdio.h>

enum { TESTS_MOST = 20, TESTS_SEEDS = 8 }; // what a record has; further ones are left out

// Adds the name, if it is new.
void tests_add(cJSON *record, const char *name);

// Adds the line, for a shell, that runs the test that was added last.
void tests_add_line(cJSON *record, const char *line);

// Adds the names that another record of the same report has, and how to run them.
void tests_merge(cJSON *record, const cJSON *other);

// Run NUMBER, which is its seed, has shown the report in the tests of `other`.
void tests_note_run(cJSON *record, const cJSON *other, unsigned number);

// Adds these options of the runtime before those of each test.
void tests_set_options(cJSON *record, const char *options);

// Returns the line, for a shell, that an element of `alone` has. The caller frees it. NULL: none.
char *tests_line(const cJSON *alone);

// If that is what the runtime writes where a report that it has made before comes about in a
// further test, the report's token, else NULL.
const char *tests_again(const cJSON *object);

// Returns the names of the record's tests in one text, such as `Suite.one, Suite.two`, or NULL if
// it has none. The caller frees the text.
char *tests_text(const cJSON *record);

// `Test: Suite.one`, a line a test, and the lines that run each of them.
void write_tests(const cJSON *record, FILE *out);

#endif
