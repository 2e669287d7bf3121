// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts of `rsan doctor`. Each prints its findings (finding.h).

#ifndef DOCTOR_H
#define DOCTOR_H

#include <stdbool.h>

// May a program with RSan's runtime start here? PROC is /proc, or a copy of it.
void doctor_system(const char *proc);

// Are compiler, runtime, headers and symbolizer of the tree around this program complete, and, if
// BUILD, does what they build run?
void doctor_toolchain(bool build);

// Is the program, shared library, object file or archive instrumented, and what of it?
void doctor_binary(const char *path);

#endif
