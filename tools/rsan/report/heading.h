// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lines of a text report above its stacks, put into objects of the record. False: the line is
// not of that kind, and nothing was added.

#ifndef HEADING_H
#define HEADING_H

#include <cjson/cJSON.h>
#include <stdbool.h>

bool heading_access(const char *line, cJSON *access);
bool heading_thread(const char *line, cJSON *thread);
bool heading_mutex(const char *line, cJSON *mutex);
bool heading_location(const char *line, cJSON *location);

// What belongs to the record itself: values, the token, counts.
bool heading_other(const char *line, cJSON *record);
// `The object is queue.tail.`, after the accesses.
bool heading_field(const char *line, cJSON *record);
bool heading_schedule(const char *line, cJSON *record);

// `Checked again by compare-exchange at take t.c:21:10: ...`
bool heading_recheck(const char *line, cJSON *record);

// The steps of a cycle, from the line before them to the line after them, and the suggested repair.
bool heading_cycle(const char *line, cJSON *record);
bool heading_repair(const char *line, cJSON *record);

// `Observable on: C11 yes, x86-64 no`
bool heading_targets(const char *line, cJSON *record);

#endif
