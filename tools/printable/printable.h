// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names in texts that reach a terminal or the log of a CI system: control characters (C0, DEL, C1
// as UTF-8), marks that change the layout of a text (layout_mark) and bytes that are no UTF-8 are
// written as \n, \t or \x1b, as the runtime does it. So is the first # of "##[", "##vso[" and the
// like, which a CI system would take for a command to it. Letters of any language stay.

#ifndef PRINTABLE_H
#define PRINTABLE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

// The length of the UTF-8 sequence at `at`; 0: there is none.
size_t utf8_sequence(const char *at, size_t length);

// Returns the length of the mark at the start of the text that changes the direction in which text
// is displayed (U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069) or ends its line
// (U+2028, U+2029), or 0 if there is none.
size_t layout_mark(const char *text);

// Returns whether the text has nothing to escape.
bool is_printable(const char *text);

// The text, escaped, for free(). Ends the process if there is no memory.
char *printable(const char *text);

void put_printable(const char *text, FILE *out);
// Writes a text of several lines, escaped except for its line ends.
void put_printable_lines(const char *text, FILE *out);

// One line, escaped, and its end.
__attribute__((format(printf, 2, 3))) void print_line(FILE *out, const char *format, ...);
void print_line_values(FILE *out, const char *format, va_list values);

#endif
