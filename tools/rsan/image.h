// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An ELF file for x86-64 in memory. Nothing in it is believed: what points outside is as if absent.

#ifndef IMAGE_H
#define IMAGE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>

struct image {
  const unsigned char *bytes;
  size_t size;
  const Elf64_Ehdr *header;
  const Elf64_Shdr *sections;
  size_t section_count;
};

struct symbols {
  const Elf64_Sym *at;
  size_t count;
  const char *names;
  size_t names_size;
};

struct bytes {
  const unsigned char *at;
  size_t size;
};

// The whole file; ends the process with a message if it cannot be read. Never given back.
struct bytes image_read_file(const char *path);

// False if the bytes are no ELF file for x86-64. They must be aligned as malloc's are.
bool image_open(struct bytes bytes, struct image *image);

// The first section of that name, or of that type if NAME is null; NULL if there is none.
const Elf64_Shdr *image_section(const struct image *image, const char *name, unsigned type);
// The content of a section; size 0 if it has none.
struct bytes image_content(const struct image *image, const Elf64_Shdr *section);

// TYPE is SHT_SYMTAB or SHT_DYNSYM; none if the file has no such table.
struct symbols image_symbols(const struct image *image, unsigned type);
const char *image_symbol_name(const struct symbols *symbols, size_t index);

// The text that the symbol stands for, "" if it is none.
const char *image_symbol_text(const struct image *image, const Elf64_Sym *symbol);

// Has the program a segment of that type?
bool image_has_segment(const struct image *image, unsigned type);

// The next name of a needed shared library, NULL at the end; *INDEX begins at 0.
const char *image_next_needed(const struct image *image, size_t *index);

#endif
