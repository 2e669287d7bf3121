// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a file tells about its instrumentation without being run.

#include <stdio.h>
#include <string.h>

#include "base/plural.h"
#include "doctor.h"
#include "finding.h"
#include "program/atomics.h"
#include "program/image.h"
#include "units.h"

#define REBUILD "compile and link everything with rsan-clang -fsanitize=robustness -g"

enum runtime { RUNTIME_NONE, RUNTIME_RSAN, RUNTIME_RSAN_SHARED, RUNTIME_TSAN };

// The version of the runtime that the file contains, "" if it names none.
static const char *find_version(Elf *elf) {
  const unsigned types[] = {SHT_DYNSYM, SHT_SYMTAB};
  GElf_Sym symbol;
  for (int t = 0; t < 2; t++) {
    struct symbols symbols = image_symbols(elf, types[t]);
    for (size_t i = 0; i < symbols.count; i++)
      if (strcmp(image_symbol(&symbols, i, &symbol), "__rsan_version") == 0)
        return image_symbol_text(elf, &symbol);
  }
  return "";
}

// Whose runtime the file contains, or names as a library that it needs.
static enum runtime find_runtime(Elf *elf) {
  enum runtime found = RUNTIME_NONE;
  const unsigned types[] = {SHT_DYNSYM, SHT_SYMTAB};
  GElf_Sym symbol;
  for (int t = 0; t < 2; t++) {
    struct symbols symbols = image_symbols(elf, types[t]);
    for (size_t i = 0; i < symbols.count; i++) {
      const char *name = image_symbol(&symbols, i, &symbol);
      if (symbol.st_shndx == SHN_UNDEF)
        continue;
      if (strcmp(name, "__rsan_violation_count") == 0)
        return RUNTIME_RSAN;
      if (strcmp(name, "__tsan_init") == 0)
        found = RUNTIME_TSAN;
    }
  }
  int index = 0;
  const char *needed;
  while ((needed = image_next_needed(elf, &index))) {
    if (strncmp(needed, "libclang_rt.rsan", 16) == 0)
      return RUNTIME_RSAN_SHARED;
    if (strncmp(needed, "libclang_rt.tsan", 16) == 0 || strncmp(needed, "libtsan.", 8) == 0)
      found = RUNTIME_TSAN;
  }
  return found;
}

static void tell_version(const char *path, const char *version) {
  if (!*version)
    finding_note("%s is linked with RSan's runtime, which names no version: older than %s", path,
                 RSAN_VERSION);
  else if (strcmp(version, RSAN_VERSION) == 0)
    finding_ok("%s is linked with RSan's runtime, version %s", path, version);
  else
    finding_note("%s is linked with RSan's runtime, version %s; link it again with this tree's, "
                 "version %s",
                 path, version, RSAN_VERSION);
}

static void judge_runtime(const char *path, Elf *elf, const GElf_Ehdr *header,
                          enum runtime runtime) {
  if (runtime == RUNTIME_RSAN)
    tell_version(path, find_version(elf));
  else if (runtime == RUNTIME_RSAN_SHARED)
    finding_ok("%s is linked with RSan's shared runtime; the version is the loaded "
               "libclang_rt.rsan-%s.so's",
               path, image_processor(header));
  else if (runtime == RUNTIME_TSAN)
    finding_problem("link with rsan-clang -fsanitize=robustness, or rsan-gcc, in place of "
                    "-fsanitize=thread",
                    "%s is linked with ThreadSanitizer's runtime, which does not check robustness",
                    path);
  else
    finding_problem(REBUILD, "%s is not linked with RSan's runtime", path);
}

// Names the compilers that built it; each notes itself in the file.
static void name_compilers(Elf *elf) {
  GElf_Shdr header;
  struct bytes notes = image_content(elf_file_section(elf, ".comment", SHT_NULL, &header));
  for (size_t i = 0; i < notes.size;) {
    size_t length = strnlen((const char *)notes.at + i, notes.size - i);
    if (length && strncmp((const char *)notes.at + i, "Linker:", 7) != 0)
      finding_ok("has code compiled by %.*s", (int)length, (const char *)notes.at + i);
    i += length + 1;
  }
}

static void judge_units(const char *path, bool symbols, const struct units *units) {
  if (!symbols)
    finding_note("%s is stripped: whether all of it is instrumented cannot be told", path);
  else if (units->plain == 0 && units->instrumented == 0)
    finding_note("%s names no source files: whether all of it is instrumented cannot be told",
                 path);
  else if (units->plain == 0)
    finding_ok("%u source file%s, all instrumented", units->instrumented,
               plural(units->instrumented));
  else
    finding_problem("compile these with rsan-clang -fsanitize=robustness; what assembly code does "
                    "is never seen",
                    "%u of %u source files not instrumented: %s", units->plain,
                    units->plain + units->instrumented, units->list);
}

// What they lack, as no pass of ours has seen them.
static void tell_foreign(const struct units *units) {
#define LACKS                                                                                      \
  "loops that wait are judged as reads, and wrappers, volatile accesses, assembly and calls of "   \
  "statically linked code that is not instrumented are not known there; see docs/guide/GCC.md"
  if (units->gcc)
    finding_note("GCC compiled %u of the instrumented source files: " LACKS, units->gcc);
  if (units->thread)
    finding_note("clang -fsanitize=thread, and not rsan-clang, compiled %u of the instrumented "
                 "source files (%s): " LACKS,
                 units->thread, units->thread_list);
#undef LACKS
}

static void tell_atomics(const struct atomics *atomics) {
  const unsigned long *count = atomics->count;
  unsigned long sum = 0;
  for (int kind = 0; kind < ATOMICS_KINDS; kind++)
    sum += count[kind];
  if (sum)
    finding_ok("atomics: %lu calls (%lu loads, %lu stores, %lu read-modify-writes, %lu "
               "compare-exchanges, %lu fences)",
               sum, count[ATOMICS_LOAD], count[ATOMICS_STORE], count[ATOMICS_MODIFY],
               count[ATOMICS_COMPARE], count[ATOMICS_FENCE]);
  else
    finding_note("atomics: none seen, so only data races can be found in it");
}

// What the compiler would have made atomic if asked: two numbers for each module, in a section.
struct plain {
  unsigned long volatiles, assembly;
};

static void count_plain(Elf *elf, struct plain *plain) {
  GElf_Shdr header;
  struct bytes numbers = image_content(elf_file_section(elf, "rsan_plain", SHT_NULL, &header));
  for (size_t i = 0; i + 8 <= numbers.size; i += 8) {
    uint32_t pair[2];
    memcpy(pair, numbers.at + i, sizeof pair);
    plain->volatiles += pair[0];
    plain->assembly += pair[1];
  }
}

static void tell_plain(const struct plain *plain) {
  if (plain->volatiles)
    finding_note("volatile: %lu accesses of 1 to 8 bytes are taken for plain ones; "
                 "-fsanitize-robustness-volatile=relaxed, or acq_rel, makes them atomic",
                 plain->volatiles);
  if (plain->assembly)
    finding_note("assembly: %lu barriers, exchanges and the like are not seen; "
                 "-fsanitize-robustness-asm=x86 makes them C's own",
                 plain->assembly);
}

// Libraries that are loaded with it are files of their own.
static void name_libraries(Elf *elf) {
  static const char *const of_system[] = {
      "libc.so.",       "libm.so.",      "libstdc++.so.", "libgcc_s.so.", "librt.so.", "libdl.so.",
      "libpthread.so.", "libresolv.so.", "ld-linux",      "libclang_rt.", "libc++"};
  int index = 0;
  const char *name;
  while ((name = image_next_needed(elf, &index))) {
    bool known = false;
    for (size_t i = 0; i < sizeof of_system / sizeof *of_system; i++)
      known |= strncmp(name, of_system[i], strlen(of_system[i])) == 0;
    if (!known)
      finding_note("it loads %s, a file to be judged by itself", name);
  }
}

static void judge_image(const char *path, Elf *elf, const GElf_Ehdr *header) {
  struct units units = {0};
  struct atomics atomics = {0};
  struct plain plain = {0};
  bool linked = header->e_type != ET_REL, program = image_has_segment(elf, PT_INTERP);
  if (linked && !program && !image_has_segment(elf, PT_DYNAMIC)) {
    finding_problem("link without -static", "%s is a static program, which RSan cannot check",
                    path);
    return;
  }
  enum runtime runtime = program ? find_runtime(elf) : RUNTIME_RSAN;
  if (program)
    judge_runtime(path, elf, header, runtime);
  else if (*find_version(elf))
    tell_version(path, find_version(elf));
  if (runtime != RUNTIME_RSAN && runtime != RUNTIME_RSAN_SHARED)
    return;
  name_compilers(elf);
  units_count(elf, NULL, &units);
  judge_units(path, image_symbols(elf, SHT_SYMTAB).count > 0, &units);
  tell_foreign(&units);
  atomics_count(elf, &atomics);
  tell_atomics(&atomics);
  count_plain(elf, &plain);
  tell_plain(&plain);
  if (linked)
    name_libraries(elf);
}

struct members {
  const char *path; // of the archive
  struct units units;
  struct atomics atomics;
  struct plain plain;
};

static void judge_member(Elf *member, const char *name, void *context) {
  struct members *members = context;
  GElf_Ehdr header;
  if (image_open(member, &header)) {
    units_count(member, name, &members->units);
    atomics_count(member, &members->atomics);
    count_plain(member, &members->plain);
  } else {
    finding_note("%s(%s) is no object file for " IMAGE_PROCESSORS, members->path, name);
  }
}

static void judge_archive(const char *path, Elf *archive) {
  struct members members = {.path = path};
  image_visit_members(archive, judge_member, &members);
  judge_units(path, true, &members.units);
  tell_foreign(&members.units);
  tell_atomics(&members.atomics);
  tell_plain(&members.plain);
}

static void judge_other(const char *path, Elf *file) {
  size_t size;
  const char *bytes = elf_rawfile(file, &size);
  if (bytes && size > 2 && memcmp(bytes, "#!", 2) == 0)
    finding_problem("rsan doctor .libs/NAME, if libtool made it", "%s is a script, not a program",
                    path);
  else if (bytes && size > 4 && memcmp(bytes, "BC\xc0\xde", 4) == 0)
    finding_problem("rsan doctor on the linked program", "%s is bitcode for link-time optimisation",
                    path);
  else
    finding_problem("rsan doctor on the program that is run",
                    "%s is no ELF file for " IMAGE_PROCESSORS, path);
}

void doctor_binary(const char *path) {
  int descriptor;
  GElf_Ehdr header;
  Elf *file = image_read_file(path, &descriptor);
  if (elf_kind(file) == ELF_K_AR)
    judge_archive(path, file);
  else if (image_open(file, &header))
    judge_image(path, file, &header);
  else
    judge_other(path, file);
  elf_file_close(file, descriptor);
}
