// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "atomics.h"

#include <stdlib.h>
#include <string.h>

#include "image.h"

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

static void add_symbols(struct targets *targets, Elf *elf, unsigned type) {
  struct symbols symbols = image_symbols(elf, type);
  GElf_Sym symbol;
  for (size_t i = 0; i < symbols.count; i++) {
    const char *name = image_symbol(&symbols, i, &symbol);
    if (symbol.st_shndx != SHN_UNDEF)
      add_target(targets, symbol.st_value, name);
  }
}

// The name of the symbol that a relocation is for, NULL behind the last one.
static const char *relocated(const struct symbols *symbols, Elf_Data *table, int index) {
  GElf_Rela entry;
  return gelf_getrela(table, index, &entry) ? image_symbol(symbols, GELF_R_SYM(entry.r_info), NULL)
                                            : NULL;
}

// The stubs have 16 bytes each and the order of their relocations; .plt begins with code that is
// for all, of 16 bytes or of aarch64's 32, .plt.sec (of programs for indirect branch tracking) does
// not.
static void add_stubs(struct targets *targets, Elf *elf, bool arm) {
  GElf_Shdr header;
  Elf_Scn *section = elf_file_section(elf, ".rela.plt", SHT_NULL, &header);
  Elf_Data *table = section ? elf_getdata(section, NULL) : NULL;
  bool own = elf_file_section(elf, ".plt.sec", SHT_NULL, &header);
  if (!table || (!own && !elf_file_section(elf, ".plt", SHT_NULL, &header)))
    return;
  uint64_t address = header.sh_addr + (own ? 0 : arm ? 32 : 16);
  struct symbols symbols = image_symbols(elf, SHT_DYNSYM);
  const char *name;
  for (int i = 0; (name = relocated(&symbols, table, i)); i++)
    add_target(targets, address + 16 * (uint64_t)i, name);
}

// Calls through pointers (-fno-plt): the words that the dynamic linker fills in.
static void add_slots(struct targets *targets, Elf *elf) {
  GElf_Shdr header;
  Elf_Scn *section = elf_file_section(elf, ".rela.dyn", SHT_NULL, &header);
  Elf_Data *table = section ? elf_getdata(section, NULL) : NULL;
  struct symbols symbols = image_symbols(elf, SHT_DYNSYM);
  GElf_Rela entry;
  for (int i = 0; table && gelf_getrela(table, i, &entry); i++)
    add_target(targets, entry.r_offset, image_symbol(&symbols, GELF_R_SYM(entry.r_info), NULL));
}

static int compare(const void *a, const void *b) {
  const struct target *x = a, *y = b;
  return (x->address > y->address) - (x->address < y->address);
}

static void count_target(const struct targets *targets, uint64_t call, uint64_t address,
                         struct atomics *atomics) {
  struct target wanted = {.address = address};
  const struct target *found =
      bsearch(&wanted, targets->at, targets->count, sizeof *targets->at, compare);
  if (!found)
    return;
  atomics->count[found->kind]++;
  if (atomics->visit)
    atomics->visit((enum atomics_kind)found->kind, call, atomics->context);
}

static void scan_x86(const struct targets *targets, uint64_t address, struct bytes code,
                     struct atomics *atomics) {
  for (size_t i = 0; i + 5 <= code.size; i++) {
    bool through = i + 6 <= code.size && code.at[i] == 0xff &&
                   code.at[i + 1] == 0x15;                    // call of what a word holds
    if (!through && code.at[i] != 0xe8 && code.at[i] != 0xe9) // call, jmp (a tail call)
      continue;
    int32_t distance;
    size_t end = i + (through ? 6 : 5);
    memcpy(&distance, code.at + end - sizeof distance, sizeof distance);
    count_target(targets, address + end - 1, address + end + (uint64_t)(int64_t)distance, atomics);
  }
}

static void scan_arm(const struct targets *targets, uint64_t address, struct bytes code,
                     struct atomics *atomics) {
  for (size_t i = 0; i + 4 <= code.size; i += 4) {
    const unsigned char *at = code.at + i;
    uint32_t word = at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
    if ((word & 0x7c000000) != 0x14000000) // bl, b (a tail call)
      continue;
    int64_t distance = (int64_t)((word & 0x3ffffff) ^ 0x2000000) - 0x2000000; // in instructions
    count_target(targets, address + i, address + i + (uint64_t)distance * 4, atomics);
  }
}

static void count_relocations(Elf *elf, struct atomics *atomics) {
  struct symbols symbols = image_symbols(elf, SHT_SYMTAB);
  GElf_Shdr header;
  for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
    Elf_Data *table = gelf_getshdr(section, &header) && header.sh_type == SHT_RELA
                          ? elf_getdata(section, NULL)
                          : NULL;
    const char *name;
    for (int i = 0; table && (name = relocated(&symbols, table, i)); i++) {
      int kind = kind_of(name);
      if (kind >= 0)
        atomics->count[kind]++;
    }
  }
}

void atomics_count(Elf *elf, struct atomics *atomics) {
  struct targets targets = {0};
  GElf_Ehdr file;
  GElf_Shdr header;
  if (!gelf_getehdr(elf, &file))
    return;
  if (file.e_type == ET_REL) {
    count_relocations(elf, atomics);
    return;
  }
  add_symbols(&targets, elf, SHT_SYMTAB);
  add_symbols(&targets, elf, SHT_DYNSYM);
  bool arm = file.e_machine == EM_AARCH64;
  add_stubs(&targets, elf, arm);
  add_slots(&targets, elf);
  if (targets.count) {
    qsort(targets.at, targets.count, sizeof *targets.at, compare);
    // The runtime's own code is left out. It has no calls of the program's, but so many bytes that
    // some look like a call of an entry.
    Elf_Scn *runtime = elf_file_section(elf, "rsan_text", SHT_NULL, &header);
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));)
      if (section != runtime && gelf_getshdr(section, &header) && header.sh_flags & SHF_EXECINSTR)
        (arm ? scan_arm : scan_x86)(&targets, header.sh_addr, image_content(section), atomics);
  }
  free(targets.at);
}
