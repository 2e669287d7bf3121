// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tree that this program is installed in.

#include "doctor.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/prefix.h"
#include "child.h"
#include "file/temporary.h"
#include "finding.h"

static const char *in_prefix(const char *name) {
  static char path[PATH_MAX + 64];
  snprintf(path, sizeof path, "%s/%s", install_prefix(), name);
  return path;
}

static bool check_compiler(void) {
  char line[256];
  const char *compiler = in_prefix("bin/rsan-clang");
  int status = child_run((const char *[]){compiler, "--version", NULL}, "", line, sizeof line);
  if (status == 0 && strstr(line, "RSan")) {
    finding_ok("compiler: %s", line);
    return true;
  }
  finding_problem(access(compiler, X_OK) == 0 ? "sudo apt-get install libllvm" RSAN_LLVM_MAJOR
                                              : "install RSan again, all of it in one tree",
                  "compiler: %s does not run: %s", compiler, line);
  return false;
}

// What the tree must have, some of it through links into packages of the system.
static bool check_files(void) {
  static const struct part {
    const char *what, *name, *fix;
  } parts[] = {
      {"runtime", "lib/clang/" RSAN_LLVM_MAJOR "/lib/linux/libclang_rt.rsan-" RSAN_PROCESSOR ".a",
       "install RSan again, all of it in one tree"},
      {"compiler pass", "lib/clang/" RSAN_LLVM_MAJOR "/lib/librsan-pass.so",
       "install RSan again, all of it in one tree"},
      {"clang's headers", "lib/clang/" RSAN_LLVM_MAJOR "/include/stddef.h",
       "sudo apt-get install libclang-common-" RSAN_LLVM_MAJOR "-dev"},
  };
  bool complete = true;
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    const char *path = in_prefix(parts[i].name);
    if (access(path, R_OK) != 0) {
      finding_problem(parts[i].fix, "%s: %s is missing", parts[i].what, path);
      complete = false;
    }
  }
  if (complete)
    finding_ok("runtime: %s of RSan %s", in_prefix(parts[0].name), RSAN_VERSION);
  return complete;
}

// The value of an option in the environment, as the runtime would see it; the last one counts.
static const char *find_option(const char *variable, const char *name) {
  static char value[PATH_MAX];
  const char *text = getenv(variable), *found = NULL;
  size_t length = strlen(name);
  while (text && *text) {
    text += strspn(text, " ,:\t\r\n");
    size_t size = strcspn(text, " ,:\t\r\n");
    if (size > length && strncmp(text, name, length) == 0 && text[length] == '=') {
      snprintf(value, sizeof value, "%.*s", (int)(size - length - 1), text + length + 1);
      found = value;
    }
    text += size;
  }
  return found;
}

static const char *find_in_path(const char *name) {
  static char path[PATH_MAX];
  const char *folders = getenv("PATH");
  while (folders && *folders) {
    int length = (int)strcspn(folders, ":");
    snprintf(path, sizeof path, "%.*s/%s", length, folders, name);
    if (access(path, X_OK) == 0)
      return path;
    folders += length + (folders[length] == ':');
  }
  return NULL;
}

// In the order in which the runtime looks (rsan_flags.cpp).
static void check_symbolizer(void) {
  const char *asked = find_option("RSAN_OPTIONS", "external_symbolizer_path");
  if (!asked)
    asked = find_option("TSAN_OPTIONS", "external_symbolizer_path");
  if (!asked)
    asked = getenv("TSAN_SYMBOLIZER_PATH");
  if (asked) {
    const char *slash = strrchr(asked, '/');
    const char *name = slash ? slash + 1 : asked;
    // The runtime knows what to expect of a program by its name.
    if (strncmp(name, "llvm-symbolizer", 15) != 0 && strcmp(name, "addr2line") != 0)
      finding_problem("name a program called llvm-symbolizer... in external_symbolizer_path",
                      "symbolizer: %s, which the environment names, is not known by its name",
                      asked);
    else if (access(asked, X_OK) == 0)
      finding_ok("symbolizer: %s, as the environment says", asked);
    else
      finding_problem("unset external_symbolizer_path in RSAN_OPTIONS and TSAN_OPTIONS, and "
                      "TSAN_SYMBOLIZER_PATH",
                      "symbolizer: %s, which the environment names, cannot be run", asked);
    return;
  }
  const char *path = RSAN_LLVM_SYMBOLIZER;
  if (access(path, X_OK) != 0)
    path = find_in_path("llvm-symbolizer-" RSAN_LLVM_MAJOR);
  if (!path)
    path = find_in_path("llvm-symbolizer");
  if (path)
    finding_ok("symbolizer: %s", path);
  else
    finding_problem("sudo apt-get install llvm-" RSAN_LLVM_MAJOR,
                    "symbolizer: none, so reports name no functions and lines and suppressions do "
                    "not work");
}

// Builds a program and runs it: what no list of files can tell.
static void check_build(void) {
  static const char source[] = "#include <stdatomic.h>\n"
                               "static atomic_int x;\n"
                               "int main(void) { return atomic_load(&x); }\n";
  char folder[PATH_MAX], program[PATH_MAX + 16], line[512];
  if (!file_temporary_make("rsan-doctor", PATH_MAX, folder)) {
    finding_note("no folder could be made: %s: %s, so no program was built", folder,
                 strerror(errno));
    return;
  }
  snprintf(program, sizeof program, "%s/program", folder);
  const char *const build[] = {
      in_prefix("bin/rsan-clang"), "-fsanitize=robustness", "-x", "c", "-", "-o", program, NULL};
  if (child_run(build, source, line, sizeof line) != 0)
    finding_problem("sudo apt-get install binutils libc6-dev libgcc-12-dev",
                    "building: a small program cannot be built: %s", line);
  else if (child_run((const char *[]){program, NULL}, "", line, sizeof line) != 0)
    finding_problem("sudo sysctl vm.mmap_rnd_bits=28 vm.overcommit_memory=1",
                    "running: a small program built here does not run: %s", line);
  else
    finding_ok("building and running: a small program does both");
}

void doctor_toolchain(bool build) {
  bool compiler = check_compiler(), files = check_files();
  check_symbolizer();
  // With a cause known, its consequences would only be a second problem to read.
  if (build && compiler && files && finding_problems() == 0)
    check_build();
}
