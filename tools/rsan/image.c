// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "image.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command.h"
#include "printable.h"

struct bytes image_read_file(const char *path) {
  struct stat status;
  int file = open(path, O_RDONLY | O_CLOEXEC);
  void *at = MAP_FAILED;
  if (file >= 0 && fstat(file, &status) == 0) {
    errno = S_ISREG(status.st_mode) ? 0 : EINVAL;
    if (!errno && status.st_size == 0)
      return (struct bytes){0};
    if (!errno)
      at = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
  }
  if (at == MAP_FAILED) {
    print_line(stderr, "rsan: %s: %s", path, strerror(errno));
    exit(EXIT_USAGE);
  }
  close(file);
  return (struct bytes){at, (size_t)status.st_size};
}

// COUNT elements of SIZE at OFFSET of the file, NULL if they are not all inside.
static const void *inside(const struct image *image, uint64_t offset, uint64_t count,
                          uint64_t size) {
  if (offset > image->size || count > (image->size - offset) / size || offset % 8)
    return NULL;
  return image->bytes + offset;
}

bool image_open(struct bytes bytes, struct image *image) {
  *image = (struct image){.bytes = bytes.at, .size = bytes.size};
  if (bytes.size < sizeof(Elf64_Ehdr) || memcmp(bytes.at, ELFMAG, SELFMAG) != 0)
    return false;
  image->header = (const void *)bytes.at;
  if (bytes.at[EI_CLASS] != ELFCLASS64 || image->header->e_machine != EM_X86_64)
    return false;
  if (image->header->e_shentsize != sizeof(Elf64_Shdr))
    return true; // without sections
  const Elf64_Shdr *first = inside(image, image->header->e_shoff, 1, sizeof *first);
  if (!first)
    return true;
  // A file with very many sections says so in the first.
  uint64_t count = image->header->e_shnum ? image->header->e_shnum : first->sh_size;
  image->sections = inside(image, image->header->e_shoff, count, sizeof *first);
  image->section_count = image->sections ? count : 0;
  return true;
}

struct bytes image_content(const struct image *image, const Elf64_Shdr *section) {
  if (!section || section->sh_type == SHT_NOBITS || section->sh_offset > image->size ||
      section->sh_size > image->size - section->sh_offset)
    return (struct bytes){0};
  return (struct bytes){image->bytes + section->sh_offset, section->sh_size};
}

// The string at OFFSET of a section; "" if it is not inside.
static const char *string(struct bytes table, uint64_t offset) {
  if (offset >= table.size || !memchr(table.at + offset, 0, table.size - offset))
    return "";
  return (const char *)table.at + offset;
}

static struct bytes linked(const struct image *image, unsigned index) {
  if (index >= image->section_count)
    return (struct bytes){0};
  return image_content(image, &image->sections[index]);
}

const Elf64_Shdr *image_section(const struct image *image, const char *name, unsigned type) {
  struct bytes names = {0};
  if (image->section_count) {
    unsigned index = image->header->e_shstrndx;
    names = linked(image, index == SHN_XINDEX ? image->sections[0].sh_link : index);
  }
  for (size_t i = 0; i < image->section_count; i++) {
    const Elf64_Shdr *section = &image->sections[i];
    if (name ? strcmp(string(names, section->sh_name), name) == 0 : section->sh_type == type)
      return section;
  }
  return NULL;
}

struct symbols image_symbols(const struct image *image, unsigned type) {
  const Elf64_Shdr *section = image_section(image, NULL, type);
  struct bytes table = image_content(image, section);
  if (!table.size || section->sh_offset % 8)
    return (struct symbols){0};
  struct bytes names = linked(image, section->sh_link);
  return (struct symbols){.at = (const void *)table.at,
                          .count = table.size / sizeof(Elf64_Sym),
                          .names = (const char *)names.at,
                          .names_size = names.size};
}

const char *image_symbol_name(const struct symbols *symbols, size_t index) {
  if (index >= symbols->count)
    return "";
  return string((struct bytes){(const unsigned char *)symbols->names, symbols->names_size},
                symbols->at[index].st_name);
}

const char *image_symbol_text(const struct image *image, const Elf64_Sym *symbol) {
  unsigned index = symbol->st_shndx;
  if (index == SHN_UNDEF || index >= image->section_count)
    return "";
  return string(linked(image, index), symbol->st_value - image->sections[index].sh_addr);
}

bool image_has_segment(const struct image *image, unsigned type) {
  const Elf64_Phdr *segments =
      inside(image, image->header->e_phoff, image->header->e_phnum, sizeof *segments);
  for (size_t i = 0; segments && i < image->header->e_phnum; i++)
    if (segments[i].p_type == type)
      return true;
  return false;
}

const char *image_next_needed(const struct image *image, size_t *index) {
  const Elf64_Shdr *section = image_section(image, NULL, SHT_DYNAMIC);
  struct bytes table = image_content(image, section);
  if (!table.size || section->sh_offset % 8)
    return NULL;
  const Elf64_Dyn *entries = (const void *)table.at;
  struct bytes names = linked(image, section->sh_link);
  for (; *index < table.size / sizeof *entries; ++*index)
    if (entries[*index].d_tag == DT_NEEDED)
      return string(names, entries[(*index)++].d_un.d_val);
  return NULL;
}
