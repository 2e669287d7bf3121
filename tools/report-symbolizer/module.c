// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "module.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "build_id.h"
#include "complain.h"

static const char *const system_folders[] = {
    "/lib/x86_64-linux-gnu",
    "/usr/lib/x86_64-linux-gnu",
    "/lib64",
    "/usr/lib64",
    "/lib",
    "/usr/lib",
    "/usr/local/lib",
};

// One search: what is wanted, and what was seen that is not it.
struct search {
  const struct modules *modules;
  const char *name, *base, *build_id;
  char *found;
  char *other;        // a file of that name with another build id
  enum build_id kind; // of the file `unfit`
  char *unfit;        // a file of that name that is no module
  int error;
};

void modules_note(struct modules *modules, const struct place *place) {
  if (place->module[0] != '/')
    return;
  for (size_t i = 0; i < modules->path_count; i++)
    if (strncmp(modules->paths[i], place->module, place->module_length) == 0 &&
        modules->paths[i][place->module_length] == '\0')
      return;
  modules->paths = must_alloc(modules->paths, (modules->path_count + 1) * sizeof *modules->paths);
  modules->paths[modules->path_count++] = must_copy(place->module, place->module_length);
}

static void keep(char **slot, const char *path) {
  if (!*slot)
    *slot = must_copy(path, strlen(path));
}

static void try_path(struct search *search, const char *path) {
  char id[2 * BUILD_ID_MAX + 1];
  if (search->found)
    return;
  enum build_id kind = build_id_read(path, id);
  if (kind == BUILD_ID_UNREADABLE && (errno == ENOENT || errno == ENOTDIR))
    return;
  if (kind == BUILD_ID_UNREADABLE || kind == BUILD_ID_NOT_ELF) {
    if (!search->unfit) {
      search->kind = kind;
      search->error = errno;
    }
    keep(&search->unfit, path);
    return;
  }
  if (search->build_id && (kind == BUILD_ID_NONE || strcasecmp(id, search->build_id) != 0)) {
    keep(&search->other, path);
    return;
  }
  keep(&search->found, path);
}

static void try_in(struct search *search, const char *root, const char *folder, const char *name) {
  char *path = must_alloc(NULL, strlen(root) + strlen(folder) + strlen(name) + 2);
  sprintf(path, "%s%s%s%s", root, folder, *folder ? "/" : "", name);
  try_path(search, path);
  free(path);
}

static void try_given_paths(struct search *search) {
  const struct modules *modules = search->modules;
  if (search->name[0] == '/')
    try_in(search, modules->sysroot, "", search->name);
  for (size_t i = 0; i < modules->path_count; i++)
    if (strcmp(base_name(modules->paths[i]), search->base) == 0)
      try_in(search, modules->sysroot, "", modules->paths[i]);
  for (size_t i = 0; i < modules->path_count; i++) {
    const char *path = modules->paths[i];
    char *folder = must_copy(path, (size_t)(base_name(path) - path));
    try_in(search, modules->sysroot, folder, search->base);
    free(folder);
  }
}

// The runtime as a shared library, relative to this program: bin/../lib/clang/N/lib/linux.
static void try_own_folder(struct search *search) {
  char self[4096];
  ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
  if (length <= 0)
    return;
  self[length] = '\0';
  char *slash = strrchr(self, '/');
  if (slash)
    *slash = '\0';
  try_in(search, self, "/../lib/clang/" RSAN_LLVM_MAJOR "/lib/linux", search->base);
}

static void try_debug_file(struct search *search) {
  if (!search->build_id || strlen(search->build_id) < 3)
    return;
  char name[2 * BUILD_ID_MAX + 16];
  snprintf(name, sizeof name, "%.2s/%s.debug", search->build_id, search->build_id + 2);
  try_in(search, search->modules->sysroot, "/usr/lib/debug/.build-id", name);
}

static void run_search(struct search *search) {
  const struct modules *modules = search->modules;
  for (size_t i = 0; i < modules->folder_count; i++)
    try_in(search, "", modules->folders[i], search->base);
  try_given_paths(search);
  if (!*modules->sysroot)
    try_in(search, "", ".", search->base);
  for (size_t i = 0; i < sizeof system_folders / sizeof system_folders[0]; i++)
    try_in(search, modules->sysroot, system_folders[i], search->base);
  try_own_folder(search);
  try_debug_file(search);
}

static void explain(const struct search *search) {
  if (search->other)
    complain(STATUS_RAW_FRAMES,
             "%s is not the file of the report: it has not the build id %s; was it rebuilt? "
             "(--module-dir=DIR: where the old one is)",
             search->other, search->build_id);
  else if (search->unfit && search->kind == BUILD_ID_NOT_ELF)
    complain(STATUS_RAW_FRAMES, "%s is no 64-bit ELF file", search->unfit);
  else if (search->unfit)
    complain(STATUS_RAW_FRAMES, "cannot read %s: %s", search->unfit, strerror(search->error));
  else
    complain(STATUS_RAW_FRAMES,
             "module not found: %s; its frames stay as they are (--module-dir=DIR: where it is)",
             search->name);
}

// Do the two name one file, as far as the report tells? A place may say less than another of the
// same module: the name without its path, no build id.
static bool is_module(const struct module *module, const char *name, const char *build_id) {
  if (name[0] == '/' && module->name[0] == '/'
          ? strcmp(name, module->name) != 0
          : strcmp(base_name(name), base_name(module->name)) != 0)
    return false;
  return !build_id || (module->build_id && strcmp(build_id, module->build_id) == 0);
}

// A place that says less means the module that was asked for last: so this one comes last.
static const struct module *find_known(struct modules *modules, const char *name,
                                       const char *build_id) {
  for (size_t i = modules->known_count; i-- > 0;) {
    if (!is_module(&modules->known[i], name, build_id))
      continue;
    struct module found = modules->known[i];
    size_t after = modules->known_count - i - 1;
    memmove(&modules->known[i], &modules->known[i + 1], after * sizeof found);
    modules->known[modules->known_count - 1] = found;
    return &modules->known[modules->known_count - 1];
  }
  return NULL;
}

// A question is one line, with the name in quotes of either kind.
static bool can_be_asked(const char *path) {
  return !strchr(path, '\n') && (!strchr(path, '"') || !strchr(path, '\''));
}

static char *search_file(struct modules *modules, const struct module *module) {
  struct search search = {.modules = modules,
                          .name = module->name,
                          .base = base_name(module->name),
                          .build_id = module->build_id};
  run_search(&search);
  if (!search.found) {
    explain(&search);
  } else if (!can_be_asked(search.found)) {
    complain(STATUS_RAW_FRAMES, "llvm-symbolizer cannot be asked about a name with %s: %s",
             strchr(search.found, '\n') ? "an end of line" : "both kinds of quotes", search.found);
    free(search.found);
    search.found = NULL;
  }
  free(search.other);
  free(search.unfit);
  return search.found;
}

const char *modules_find(struct modules *modules, const struct place *place) {
  if (place->module[0] == '[') // [vdso], [stack]: no files
    return NULL;
  struct module module = {.name = must_copy(place->module, place->module_length)};
  if (place->build_id)
    module.build_id = must_copy(place->build_id, place->build_id_length);
  const struct module *known = find_known(modules, module.name, module.build_id);
  if (known) {
    free(module.name);
    free(module.build_id);
    return known->path;
  }
  module.path = search_file(modules, &module);
  modules->known = must_alloc(modules->known, (modules->known_count + 1) * sizeof *modules->known);
  modules->known[modules->known_count++] = module;
  return module.path;
}

static bool is_given(const struct search *search, const char *path) {
  const struct modules *modules = search->modules;
  bool given = strcmp(path, search->name) == 0;
  for (size_t i = 0; i < modules->path_count; i++)
    given |= strcmp(path, modules->paths[i]) == 0;
  return given;
}

char *modules_find_quietly(const struct modules *modules, const struct place *place,
                           bool *rebuilt) {
  *rebuilt = false;
  if (place->module[0] == '[')
    return NULL;
  char *name = must_copy(place->module, place->module_length);
  char *build_id = place->build_id ? must_copy(place->build_id, place->build_id_length) : NULL;
  struct search search = {
      .modules = modules, .name = name, .base = base_name(name), .build_id = build_id};
  run_search(&search);
  if (!search.found && search.other)
    *rebuilt = is_given(&search, search.other + strlen(modules->sysroot));
  free(search.other);
  free(search.unfit);
  free(name);
  free(build_id);
  return search.found;
}

void modules_clear(struct modules *modules) {
  for (size_t i = 0; i < modules->known_count; i++) {
    free(modules->known[i].name);
    free(modules->known[i].build_id);
    free(modules->known[i].path);
  }
  for (size_t i = 0; i < modules->path_count; i++)
    free(modules->paths[i]);
  free(modules->known);
  free(modules->paths);
}
