// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "image.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/command.h"
#include "printable.h"

Elf *image_read_file(const char *path, int *descriptor) {
  Elf *elf = elf_file_open(path, descriptor);
  if (*descriptor >= 0)
    return elf;
  print_line(stderr, "%s: %s: %s", program_invocation_short_name, path, strerror(errno));
  exit(EXIT_USAGE);
}

void image_visit_members(Elf *archive, member_visitor *visit, void *context) {
  Elf_Cmd command = ELF_C_READ_MMAP;
  for (Elf *member; (member = elf_begin(-1, command, archive));) {
    const Elf_Arhdr *header = elf_getarhdr(member);
    if (header && header->ar_name && header->ar_name[0] != '/')
      visit(member, header->ar_name, context);
    command = elf_next(member);
    elf_end(member);
  }
}

bool image_open(Elf *elf, GElf_Ehdr *header) {
  return elf_kind(elf) == ELF_K_ELF && gelf_getclass(elf) == ELFCLASS64 &&
         gelf_getehdr(elf, header) &&
         (header->e_machine == EM_X86_64 || header->e_machine == EM_AARCH64);
}

const char *image_processor(const GElf_Ehdr *header) {
  return header->e_machine == EM_AARCH64 ? "aarch64" : "x86_64";
}

struct bytes image_content(Elf_Scn *section) {
  const Elf_Data *data = section ? elf_rawdata(section, NULL) : NULL;
  return data && data->d_buf ? (struct bytes){data->d_buf, data->d_size} : (struct bytes){0};
}

struct symbols image_symbols(Elf *elf, unsigned type) {
  GElf_Shdr header;
  Elf_Scn *section = elf_file_section(elf, NULL, type, &header);
  Elf_Data *table = section ? elf_getdata(section, NULL) : NULL;
  if (!table || !table->d_buf)
    return (struct symbols){0};
  return (struct symbols){elf, table, table->d_size / sizeof(Elf64_Sym), header.sh_link};
}

const char *image_symbol(const struct symbols *symbols, size_t index, GElf_Sym *symbol) {
  GElf_Sym own;
  if (!symbol)
    symbol = &own;
  *symbol = (GElf_Sym){0};
  if (index >= symbols->count || !gelf_getsym(symbols->table, (int)index, symbol))
    return "";
  const char *name = elf_strptr(symbols->elf, symbols->strings, symbol->st_name);
  return name ? name : "";
}

const char *image_symbol_text(Elf *elf, const GElf_Sym *symbol) {
  GElf_Shdr header;
  Elf_Scn *section = symbol->st_shndx == SHN_UNDEF ? NULL : elf_getscn(elf, symbol->st_shndx);
  if (!section || !gelf_getshdr(section, &header))
    return "";
  struct bytes content = image_content(section);
  uint64_t offset = symbol->st_value - header.sh_addr;
  if (offset >= content.size || !memchr(content.at + offset, 0, content.size - offset))
    return "";
  return (const char *)content.at + offset;
}

bool image_has_segment(Elf *elf, unsigned type) {
  size_t count;
  GElf_Phdr segment;
  if (elf_getphdrnum(elf, &count) != 0)
    return false;
  for (size_t i = 0; i < count; i++)
    if (gelf_getphdr(elf, (int)i, &segment) && segment.p_type == type)
      return true;
  return false;
}

const char *image_next_needed(Elf *elf, int *index) {
  GElf_Shdr header;
  GElf_Dyn entry;
  Elf_Scn *section = elf_file_section(elf, NULL, SHT_DYNAMIC, &header);
  Elf_Data *table = section ? elf_getdata(section, NULL) : NULL;
  while (table && gelf_getdyn(table, *index, &entry)) {
    ++*index;
    const char *name =
        entry.d_tag == DT_NEEDED ? elf_strptr(elf, header.sh_link, entry.d_un.d_val) : NULL;
    if (name)
      return name;
  }
  return NULL;
}
