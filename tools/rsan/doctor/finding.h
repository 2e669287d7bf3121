// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the doctor finds, a line each on standard output:
//   ok       what is as it should be
//   note     what limits the results, or is not known
//   PROBLEM  what keeps RSan from working; a second line says what to do

#ifndef FINDING_H
#define FINDING_H

__attribute__((format(printf, 1, 2))) void finding_ok(const char *format, ...);
__attribute__((format(printf, 1, 2))) void finding_note(const char *format, ...);
__attribute__((format(printf, 2, 3))) void finding_problem(const char *fix, const char *format,
                                                           ...);

// Problems so far.
unsigned finding_problems(void);

#endif
