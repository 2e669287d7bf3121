// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tests in which a report was seen: the record's list `tests`.

#ifndef TESTS_H
#define TESTS_H

#include <cjson/cJSON.h>
#include <stdio.h>

enum { TESTS_MOST = 20 }; // what a record names; further ones are left out

// Adds the name, if it is new.
void tests_add(cJSON *record, const char *name);

// Adds the names that another record of the same report has.
void tests_merge(cJSON *record, const cJSON *other);

// Returns the names of the record's tests in one text, such as `Suite.one, Suite.two`, or NULL if
// it has none. The caller frees the text.
char *tests_text(const cJSON *record);

// `Test: Suite.one`, a line a test.
void write_tests(const cJSON *record, FILE *out);

#endif
