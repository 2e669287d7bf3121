// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The runtime's options in the environment of the programs that rsan starts. For one thread.

#ifndef RSAN_TOOL_OPTIONS_H
#define RSAN_TOOL_OPTIONS_H

// The options that the variable (RSAN_OPTIONS) has, and MORE, which have colons between them,
// behind them: of two values the runtime takes the last. For free(). Exits by abort if there is no
// memory.
char *options_with(const char *variable, const char *more);

// Gives the variable that value.
void options_add(const char *variable, const char *more);

// Puts BEFORE before the variable's own options and BEHIND behind them: what a value that the
// runtime refuses must not keep from it stands before.
void options_surround(const char *variable, const char *before, const char *behind);

// What makes the runtime replay the schedule in FILE and nothing else, with MORE: "" or options
// that end with a colon. For free().
char *options_replay(const char *more, const char *file);

// The last value of an option in the variables of the runtime, RSAN_OPTIONS after TSAN_OPTIONS, for
// free(). NULL: it is not there.
char *options_value(const char *name);

// The quote that stands before and after such a value, in which there may be colons and spaces.
const char *options_quote(const char *value);

// ":NAME=VALUE" of options by which failures are reports; the user's own for single signals stay.
// In static memory.
const char *options_failures(void);

#endif
