// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A report as a record of docs/guide/FORMATS.md: an object of cJSON, whatever it was read from.
// `rsan report` adds to it
//   count    how often the report was seen
//   runs     in how many runs
//   source   where it was read first, FILE:LINE
// The accessors take NULL for an absent object and give NULL or 0 for what is absent or of another
// type, so that a record may lack any part of itself.

#ifndef RECORD_H
#define RECORD_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RECORD_VERSION = 1 };

const char *record_text(const cJSON *object, const char *key);
const cJSON *record_list(const cJSON *object, const char *key);   // an array
const cJSON *record_object(const cJSON *object, const char *key); // an object
uint64_t record_number(const cJSON *object, const char *key);
bool record_has_number(const cJSON *object, const char *key);
bool record_true(const cJSON *object, const char *key);
uint64_t record_hex(const cJSON *object, const char *key); // of a text "0x..."

// Leaves out the beginning of the names of source files up to the prefix, in all of the item.
void record_strip_files(cJSON *item, const char *prefix);

const char *record_type(const cJSON *record); // "robustness violation", ...
bool record_is_violation(const cJSON *record);
bool record_is_race(const cJSON *record);    // any other report of two accesses
bool record_has_values(const cJSON *record); // what a violation would find, and what it found

// What the first access is made to: the field, else the global; NULL: neither is known.
const char *record_object_name(const cJSON *record);

// The stacks that tell this report from another, and how many there are: those of the accesses,
// else what there is. NULL: no stack.
size_t record_stack_count(const cJSON *record);
const cJSON *record_stack(const cJSON *record, size_t index);

// The first frame of a stack that is not the runtime's or the C++ library's, else the first one.
// NULL: there are no frames.
const cJSON *record_own_frame(const cJSON *stack);

// The place of an access, step or repair (docs/guide/FORMATS.md): the frame that it is about. If
// the record has none, the stack's own frame. NULL: there are no frames.
const cJSON *record_place(const cJSON *item);

// The frame that was called at the place, if that is a wrapper; else NULL.
const cJSON *record_wrapper(const cJSON *item);

// The place of the stack of that index.
const cJSON *record_site(const cJSON *record, size_t index);

// Is it a record that this program can work with? Else *reason says what is wrong.
bool record_is_sound(const cJSON *record, const char **reason);

// "thread T2 'name'", "main thread"; of a number in the record's threads. `room` is the buffer.
const char *record_thread(const cJSON *record, const cJSON *access, char *room, size_t size);

#endif
