// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An ELF file for x86-64 or aarch64, as libelf reads it. Nothing in it is believed: libelf checks
// what points elsewhere, and what it refuses is as if absent.

#ifndef IMAGE_H
#define IMAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "elf_file.h"

struct symbols {
  Elf *elf;
  Elf_Data *table; // NULL: the file has no such table
  size_t count, strings;
};

struct bytes {
  const unsigned char *at;
  size_t size;
};

// Ends the process with a message if the file cannot be opened. NULL: libelf says that it is
// broken. To be ended with elf_file_close.
Elf *image_read_file(const char *path, int *descriptor);

// Calls VISIT for each member of an archive, symbol tables left out.
typedef void member_visitor(Elf *member, const char *name, void *context);
void image_visit_members(Elf *archive, member_visitor *visit, void *context);

// Is it an ELF file for a processor that RSan has a runtime for?
bool image_open(Elf *elf, GElf_Ehdr *header);
// As messages call those.
#define IMAGE_PROCESSORS "x86-64 or aarch64"
// As the names of runtimes have it: "x86_64".
const char *image_processor(const GElf_Ehdr *header);

// The content of a section; size 0 if it has none.
struct bytes image_content(Elf_Scn *section);

// TYPE is SHT_SYMTAB or SHT_DYNSYM.
struct symbols image_symbols(Elf *elf, unsigned type);
// The name of a symbol, "" if it has none; SYMBOL is filled in unless it is NULL.
const char *image_symbol(const struct symbols *symbols, size_t index, GElf_Sym *symbol);

// The text that the symbol stands for, "" if it is none.
const char *image_symbol_text(Elf *elf, const GElf_Sym *symbol);

// Has the program a segment of that type?
bool image_has_segment(Elf *elf, unsigned type);

// The next name of a needed shared library, NULL at the end; *INDEX begins at 0.
const char *image_next_needed(Elf *elf, int *index);

#endif
