// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "units.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/prefix.h"
#include "program/image.h"

// What the linker takes from libc6-dev and libgcc-12-dev.
static const char *const system_units[] = {
    "Scrt1.o",
    "crt1.o",
    "rcrt1.o",
    "gcrt1.o",
    "crti.o",
    "crtn.o",
    "crtstuff.c",
    "init.c",
    "static-reloc.c",
    "abi-note.c",
    "atexit.c",
    "elf-init.c",
    "lse-init.o",
    "extendsftf2.o",
    "extenddftf2.o",
    "sfp-exceptions.o",
    "pthread_atfork.oS",
    "libgcc2.c",
    "at_quick_exit.c",
    "pthread_atfork.c",
    "cpuinfo.c",
    "stat.c",
    "unwind-dw2.c",
    "unwind-dw2-fde-dip.c",
};

struct names {
  char **at;
  size_t count;
};

static void add_member(Elf *member, const char *name, void *context) {
  struct names *names = context;
  size_t length = strlen(name);
  char **more = realloc(names->at, (names->count + 1) * sizeof *more);
  if (!more)
    abort();
  names->at = more;
  more[names->count++] = strndup(name, length > 2 ? length - 2 : length); // .o
  (void)member;
}

static void add_members(struct names *names, const char *archive_name) {
  char path[4352];
  int descriptor;
  snprintf(path, sizeof path, "%s/lib/clang/" RSAN_LLVM_MAJOR "/lib/linux/%s", install_prefix(),
           archive_name);
  if (access(path, R_OK) != 0)
    return;
  Elf *archive = image_read_file(path, &descriptor);
  image_visit_members(archive, add_member, names);
  elf_file_close(archive, descriptor);
}

// The members of the runtime that this program is installed with.
static const struct names *runtime_units(void) {
  static struct names names;
  if (!names.count) {
    add_members(&names, "libclang_rt.rsan-x86_64.a"); // of those that are there
    add_members(&names, "libclang_rt.rsan-aarch64.a");
    add_members(&names, "libclang_rt.rsan_cxx-" RSAN_PROCESSOR ".a");
  }
  return &names;
}

// Assembly without a name of its own gets that of the object file from the linker.
static bool is_member(const char *name, const char *member) {
  size_t length = strlen(member);
  return strncmp(name, member, length) == 0 && (!name[length] || strcmp(name + length, ".o") == 0);
}

// libgcc's atomic operations for aarch64, which find out whether there is LSE: cas_4_2.o, ...
static bool is_outlined_atomic(const char *name) {
  static const char *const operations[] = {"cas", "swp", "ldadd", "ldclr", "ldeor", "ldset"};
  for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
    size_t length = strlen(operations[i]);
    unsigned size, order;
    int end = 0;
    if (strncmp(name, operations[i], length) == 0 &&
        sscanf(name + length, "_%2u_%1u.o%n", &size, &order, &end) == 2 && end &&
        !name[length + (size_t)end])
      return true;
  }
  return false;
}

static bool is_foreign(const char *name) {
  if (is_outlined_atomic(name))
    return true;
  for (size_t i = 0; i < sizeof system_units / sizeof *system_units; i++)
    if (strcmp(name, system_units[i]) == 0)
      return true;
  const struct names *names = runtime_units();
  for (size_t i = 0; i < names->count; i++)
    if (is_member(name, names->at[i]))
      return true;
  return false;
}

// What rustc calls a unit that no source has a name for: a number in base 36.
static bool is_nameless_rust(const char *name) {
  static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyz";
  enum { LENGTH = 25 };
  return strlen(name) == LENGTH && strspn(name, digits) == LENGTH;
}

static void add_name(char list[UNITS_LIST], const char *name) {
  static const char more[] = ", ...";
  size_t used = strlen(list);
  size_t room = UNITS_LIST - used;
  if (strlen(name) + 2 + sizeof more <= room)
    snprintf(list + used, room, "%s%s", used ? ", " : "", name);
  else if (used < sizeof more || strcmp(list + used - sizeof more + 1, more) != 0)
    snprintf(list + used, room, "%s", more);
}

// "lock.8c4f0e9c6b1ad6de-cgu.0"
static bool is_rust(const char *name) {
  return is_nameless_rust(name) || strstr(name, "-cgu.");
}

// What is known of the unit whose symbols are being read.
struct unit {
  const char *name; // NULL before the first
  unsigned gcc, modules,
      compiled;   // calls at its begin: of GCC's, of ThreadSanitizer's pass, of ours
  bool has_local; // symbols beside its name
};

static unsigned instrumented_in(const struct unit *unit) {
  return unit->gcc + unit->modules;
}

static void end_instrumented(struct units *units, const struct unit *unit, const char *name) {
  unsigned other = unit->modules > unit->compiled ? unit->modules - unit->compiled : 0;
  units->instrumented += instrumented_in(unit);
  units->gcc += unit->gcc;
  *(is_rust(unit->name) ? &units->rust : &units->thread) += other;
  if (other && !is_rust(unit->name))
    add_name(units->thread_list, name ? name : unit->name);
}

static void end_unit(struct units *units, const struct unit *unit, const char *name) {
  bool instrumented = instrumented_in(unit);
  if (!unit->name || (!instrumented && is_foreign(unit->name)))
    return;
  // Rust's calls of the allocator, which are global and nothing else.
  if (!instrumented && !unit->has_local && is_nameless_rust(unit->name))
    return;
  if (instrumented)
    end_instrumented(units, unit, name);
  // Under an empty name the linker puts its own symbols, and those of all units that it has hidden.
  else if (*unit->name) {
    units->plain++;
    add_name(units->list, name ? name : unit->name);
  }
}

void units_count(Elf *elf, const char *name, struct units *units) {
  struct symbols symbols = image_symbols(elf, SHT_SYMTAB);
  struct unit unit = {0};
  GElf_Sym symbol;
  for (size_t i = 0; i < symbols.count; i++) {
    const char *own = image_symbol(&symbols, i, &symbol);
    if (GELF_ST_BIND(symbol.st_info) != STB_LOCAL)
      break; // the local ones come first
    if (GELF_ST_TYPE(symbol.st_info) == STT_FILE) {
      end_unit(units, &unit, name);
      unit = (struct unit){.name = own};
      continue;
    }
    unit.has_local |= GELF_ST_TYPE(symbol.st_info) != STT_SECTION;
    unit.modules += strncmp(own, "tsan.module_ctor", 16) == 0;
    unit.compiled += strncmp(own, "rsan.compiled_ctor", 18) == 0;
    unit.gcc += strncmp(own, "_sub_I_00099_", 13) == 0;
  }
  end_unit(units, &unit, name);
}
