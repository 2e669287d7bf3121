// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a file tells about its instrumentation without being run.

#include <stdio.h>
#include <string.h>

#include "archive.h"
#include "atomics.h"
#include "doctor.h"
#include "finding.h"
#include "image.h"
#include "units.h"

#define REBUILD "compile and link everything with rsan-clang -fsanitize=robustness -g"

enum runtime { RUNTIME_NONE, RUNTIME_RSAN, RUNTIME_RSAN_SHARED, RUNTIME_TSAN };

// The version of the runtime that the file contains, "" if it names none.
static const char *find_version(const struct image *image) {
  const unsigned types[] = {SHT_DYNSYM, SHT_SYMTAB};
  for (int t = 0; t < 2; t++) {
    struct symbols symbols = image_symbols(image, types[t]);
    for (size_t i = 0; i < symbols.count; i++)
      if (strcmp(image_symbol_name(&symbols, i), "__rsan_version") == 0)
        return image_symbol_text(image, &symbols.at[i]);
  }
  return "";
}

// Whose runtime the file contains, or names as a library that it needs.
static enum runtime find_runtime(const struct image *image) {
  enum runtime found = RUNTIME_NONE;
  const unsigned types[] = {SHT_DYNSYM, SHT_SYMTAB};
  for (int t = 0; t < 2; t++) {
    struct symbols symbols = image_symbols(image, types[t]);
    for (size_t i = 0; i < symbols.count; i++) {
      const char *name = image_symbol_name(&symbols, i);
      if (symbols.at[i].st_shndx == SHN_UNDEF)
        continue;
      if (strcmp(name, "__rsan_violation_count") == 0)
        return RUNTIME_RSAN;
      if (strcmp(name, "__tsan_init") == 0)
        found = RUNTIME_TSAN;
    }
  }
  size_t index = 0;
  const char *needed;
  while ((needed = image_next_needed(image, &index))) {
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
    finding_note("%s is linked with RSan's runtime, version %s; link it again for that of this "
                 "tree, %s",
                 path, version, RSAN_VERSION);
}

static void judge_runtime(const char *path, const struct image *image, enum runtime runtime) {
  if (runtime == RUNTIME_RSAN)
    tell_version(path, find_version(image));
  else if (runtime == RUNTIME_RSAN_SHARED)
    finding_ok("%s is linked with RSan's shared runtime, whose version is that of the "
               "libclang_rt.rsan-x86_64.so that is loaded",
               path);
  else if (runtime == RUNTIME_TSAN)
    finding_problem("link with rsan-clang -fsanitize=robustness, in place of -fsanitize=thread",
                    "%s is linked with ThreadSanitizer's runtime, which does not check robustness",
                    path);
  else
    finding_problem(REBUILD, "%s is not linked with RSan's runtime", path);
}

// Who compiled it, as each compiler notes in the file.
static void name_compilers(const struct image *image) {
  struct bytes notes = image_content(image, image_section(image, ".comment", SHT_NULL));
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
               units->instrumented == 1 ? "" : "s");
  else
    finding_problem("compile these with rsan-clang -fsanitize=robustness; what assembly code does "
                    "is never seen",
                    "%u of %u source files not instrumented: %s", units->plain,
                    units->plain + units->instrumented, units->list);
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

// Libraries that are loaded with it are files of their own.
static void name_libraries(const struct image *image) {
  static const char *const of_system[] = {
      "libc.so.",       "libm.so.",      "libstdc++.so.", "libgcc_s.so.", "librt.so.", "libdl.so.",
      "libpthread.so.", "libresolv.so.", "ld-linux",      "libclang_rt.", "libc++"};
  size_t index = 0;
  const char *name;
  while ((name = image_next_needed(image, &index))) {
    bool known = false;
    for (size_t i = 0; i < sizeof of_system / sizeof *of_system; i++)
      known |= strncmp(name, of_system[i], strlen(of_system[i])) == 0;
    if (!known)
      finding_note("it loads %s, a file to be judged by itself", name);
  }
}

static void judge_image(const char *path, const struct image *image) {
  struct units units = {0};
  struct atomics atomics = {0};
  bool linked = image->header->e_type != ET_REL, program = image_has_segment(image, PT_INTERP);
  if (linked && !program && !image_has_segment(image, PT_DYNAMIC)) {
    finding_problem("link without -static", "%s is a static program, which RSan cannot check",
                    path);
    return;
  }
  enum runtime runtime = program ? find_runtime(image) : RUNTIME_RSAN;
  if (program)
    judge_runtime(path, image, runtime);
  else if (*find_version(image))
    tell_version(path, find_version(image));
  if (runtime != RUNTIME_RSAN && runtime != RUNTIME_RSAN_SHARED)
    return;
  name_compilers(image);
  units_count(image, NULL, &units);
  judge_units(path, image_symbols(image, SHT_SYMTAB).count > 0, &units);
  atomics_count(image, &atomics);
  tell_atomics(&atomics);
  if (linked)
    name_libraries(image);
}

static void judge_archive(const char *path, struct archive *archive) {
  struct units units = {0};
  struct atomics atomics = {0};
  struct image image;
  while (archive_next(archive)) {
    if (!image_open(archive->content, &image)) {
      finding_note("%s(%s) is no object file for x86-64", path, archive->name);
      continue;
    }
    units_count(&image, archive->name, &units);
    atomics_count(&image, &atomics);
  }
  judge_units(path, true, &units);
  tell_atomics(&atomics);
}

void doctor_binary(const char *path) {
  struct bytes file = image_read_file(path);
  struct archive archive;
  struct image image;
  if (archive_open(file, &archive))
    judge_archive(path, &archive);
  else if (image_open(file, &image))
    judge_image(path, &image);
  else if (file.size > 2 && memcmp(file.at, "#!", 2) == 0)
    finding_problem("rsan doctor .libs/NAME, if libtool made it", "%s is a script, not a program",
                    path);
  else if (file.size > 4 && memcmp(file.at, "BC\xc0\xde", 4) == 0)
    finding_problem("rsan doctor on the linked program", "%s is bitcode for link-time optimisation",
                    path);
  else
    finding_problem("rsan doctor on the program that is run", "%s is no ELF file for x86-64", path);
}
