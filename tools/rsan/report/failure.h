// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records of what ends a program (docs/guide/FORMATS.md): crashes, deadlocks, time-outs, exit
// statuses.

#ifndef FAILURE_H
#define FAILURE_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdio.h>

// Has the program ended with it?
bool record_is_failure(const cJSON *record);
// With a signal, as of an assertion or an access to memory that is not there?
bool record_is_crash(const cJSON *record);
// Did nothing go on any more: a deadlock, a livelock, a time-out?
bool record_is_hang(const cJSON *record);

// The frame of the stack that the program's reader can change: it does more than end the program.
// NULL: there are no frames.
const cJSON *failure_place(const cJSON *stack);

// The record's place, once its stacks have been symbolized; NULL: there is none.
const cJSON *failure_site(const cJSON *record);

// The record's token of that version, as the runtime computes it. False: nothing is known of its
// places.
bool failure_token(const cJSON *record, unsigned version, char token[17]);

// The lines of the text form behind the heading.
void write_failure(const cJSON *record, FILE *out);
// For one line: the message, or who waits for what.
void write_failure_words(const cJSON *record, FILE *out);

#endif
