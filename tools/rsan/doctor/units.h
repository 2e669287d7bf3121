// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The translation units that a file was made of, by its symbol table: each begins with a symbol of
// type FILE, and ThreadSanitizer's pass gives each unit that it has seen a local function
// tsan.module_ctor, whatever is in the unit. RSan's pass adds rsan.compiled_ctor. GCC's local
// function for the purpose of the first is _sub_I_00099_0. Link-time optimisation makes one unit of
// several, with as many of these functions.

#ifndef UNITS_H
#define UNITS_H

#include <libelf.h>

enum { UNITS_LIST = 1024 };

struct units {
  unsigned instrumented, plain;
  unsigned gcc;    // of the instrumented ones
  unsigned thread; // of the instrumented ones: by another clang, with -fsanitize=thread
  unsigned rust;
  char thread_list[UNITS_LIST]; // their names
  char list[UNITS_LIST];        // names of the plain ones, ", ..." when there are more than fit
};

// Adds the image's. Units of the C library, of the compiler's and of RSan's runtimes do not count.
// NAME, if not null, is put in place of the name of every unit (that of an archive's member).
void units_count(Elf *elf, const char *name, struct units *units);

#endif
