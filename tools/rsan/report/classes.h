// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The class of a finding tells how bad it is: docs/guide/IS-IT-A-DEFECT.md.

#ifndef RSAN_REPORT_CLASSES_H
#define RSAN_REPORT_CLASSES_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdio.h>

enum finding_class {
  CLASS_DEFECT,   // the program fails by it, or it is no violation
  CLASS_UNKNOWN,  // a violation that is in neither of the other classes
  CLASS_HARMLESS, // a violation whose older value makes no difference to the program
};

#define CLASS_NAMES "defect, unknown or harmless"

enum finding_class class_of(const cJSON *record);

// Makes a set of the names in a list with commas: 1 << CLASS_DEFECT and so on. Returns 0 if it has
// another name or none.
unsigned classes_parse(const char *list);
bool class_is_in(const cJSON *record, unsigned set);

// Writes a sentence that says why the violation is harmless. Writes nothing if it is not.
void write_class(const cJSON *record, FILE *out);

// Reads that sentence from a line of a report.
bool heading_class(const char *line, cJSON *record);

// Drops the class of a violation if another report of the same violation lacks it.
void class_merge(cJSON *record, const cJSON *other);

#endif
