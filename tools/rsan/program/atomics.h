// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The places in a file that call the runtime for an atomic access. Found without a disassembler: in
// an object file by its relocations, in a linked one by the bytes of calls and jumps (x86-64's call
// and jmp, aarch64's bl and b) whose target is an entry of the runtime or its stub in the procedure
// linkage table.

#ifndef ATOMICS_H
#define ATOMICS_H

#include <libelf.h>
#include <stdint.h>

enum atomics_kind {
  ATOMICS_LOAD,
  ATOMICS_STORE,
  ATOMICS_MODIFY,
  ATOMICS_COMPARE,
  ATOMICS_FENCE,
  ATOMICS_KINDS
};

// ADDRESS is within the call, as reports have it: the return address less one instruction.
typedef void atomics_visitor(enum atomics_kind kind, uint64_t address, void *context);

struct atomics {
  unsigned long count[ATOMICS_KINDS];
  atomics_visitor *visit; // called for each place of a linked file; NULL: nobody asks
  void *context;
};

// Adds those of an ELF file that image_open has found to be one.
void atomics_count(Elf *elf, struct atomics *atomics);

#endif
