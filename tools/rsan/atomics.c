// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "atomics.h"

#include <stdlib.h>
#include <string.h>

// An entry of the runtime, or a stub that jumps to one.
struct target {
  uint64_t address;
  int kind;
};

struct targets {
  struct target *at;
  size_t count, capacity;
};

// The kind of access that an entry of the runtime is for, -1 if the symbol is none:
// __tsan_atomic32_fetch_add, __rsan_atomic8_wait_load, __tsan_atomic_thread_fence, ...
static int kind_of(const char *name) {
  static const struct part {
    const char *text;
    enum atomics_kind kind;
  } parts[] = {
      {"compare_exchange", ATOMICS_COMPARE},
      {"exchange", ATOMICS_MODIFY},
      {"fetch_", ATOMICS_MODIFY},
      {"store", ATOMICS_STORE},
      {"load", ATOMICS_LOAD},
      {"thread_fence", ATOMICS_FENCE},
  };
  if (strncmp(name, "__tsan_atomic", 13) != 0 && strncmp(name, "__rsan_atomic", 13) != 0)
    return -1;
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    if (strstr(name + 13, parts[i].text))
      return (int)parts[i].kind;
  return -1;
}

static void add_target(struct targets *targets, uint64_t address, const char *name) {
  int kind = kind_of(name);
  if (kind < 0)
    return;
  if (targets->count == targets->capacity) {
    targets->capacity = targets->capacity * 2 + 64;
    targets->at = realloc(targets->at, targets->capacity * sizeof *targets->at);
    if (!targets->at)
      abort();
  }
  targets->at[targets->count++] = (struct target){address, kind};
}

static void add_symbols(struct targets *targets, const struct image *image, unsigned type) {
  struct symbols symbols = image_symbols(image, type);
  for (size_t i = 0; i < symbols.count; i++)
    if (symbols.at[i].st_shndx != SHN_UNDEF)
      add_target(targets, symbols.at[i].st_value, image_symbol_name(&symbols, i));
}

// The stubs have 16 bytes each and the order of their relocations; .plt begins with one that is
// for all, .plt.sec (of programs for indirect branch tracking) does not.
static void add_stubs(struct targets *targets, const struct image *image) {
  struct bytes table = image_content(image, image_section(image, ".rela.plt", SHT_NULL));
  const Elf64_Shdr *stubs = image_section(image, ".plt.sec", SHT_NULL);
  uint64_t address = stubs ? stubs->sh_addr : 0;
  if (!stubs && (stubs = image_section(image, ".plt", SHT_NULL)))
    address = stubs->sh_addr + 16;
  if (!stubs)
    return;
  struct symbols symbols = image_symbols(image, SHT_DYNSYM);
  for (size_t i = 0; i < table.size / sizeof(Elf64_Rela); i++) {
    Elf64_Rela entry;
    memcpy(&entry, table.at + i * sizeof entry, sizeof entry);
    add_target(targets, address + 16 * i, image_symbol_name(&symbols, ELF64_R_SYM(entry.r_info)));
  }
}

static int compare(const void *a, const void *b) {
  const struct target *x = a, *y = b;
  return (x->address > y->address) - (x->address < y->address);
}

static void scan(const struct targets *targets, const Elf64_Shdr *section, struct bytes code,
                 struct atomics *atomics) {
  for (size_t i = 0; i + 5 <= code.size; i++) {
    if (code.at[i] != 0xe8 && code.at[i] != 0xe9) // call, jmp (a tail call)
      continue;
    int32_t distance;
    memcpy(&distance, code.at + i + 1, sizeof distance);
    struct target wanted = {.address = section->sh_addr + i + 5 + (uint64_t)(int64_t)distance};
    const struct target *found =
        bsearch(&wanted, targets->at, targets->count, sizeof *targets->at, compare);
    if (found)
      atomics->count[found->kind]++;
  }
}

static void count_relocations(const struct image *image, struct atomics *atomics) {
  struct symbols symbols = image_symbols(image, SHT_SYMTAB);
  for (size_t s = 0; s < image->section_count; s++) {
    if (image->sections[s].sh_type != SHT_RELA)
      continue;
    struct bytes table = image_content(image, &image->sections[s]);
    for (size_t i = 0; i < table.size / sizeof(Elf64_Rela); i++) {
      Elf64_Rela entry;
      memcpy(&entry, table.at + i * sizeof entry, sizeof entry);
      int kind = kind_of(image_symbol_name(&symbols, ELF64_R_SYM(entry.r_info)));
      if (kind >= 0)
        atomics->count[kind]++;
    }
  }
}

void atomics_count(const struct image *image, struct atomics *atomics) {
  if (image->header->e_type == ET_REL) {
    count_relocations(image, atomics);
    return;
  }
  struct targets targets = {0};
  add_symbols(&targets, image, SHT_SYMTAB);
  add_symbols(&targets, image, SHT_DYNSYM);
  add_stubs(&targets, image);
  if (targets.count) {
    qsort(targets.at, targets.count, sizeof *targets.at, compare);
    for (size_t s = 0; s < image->section_count; s++)
      if (image->sections[s].sh_flags & SHF_EXECINSTR)
        scan(&targets, &image->sections[s], image_content(image, &image->sections[s]), atomics);
  }
  free(targets.at);
}
