// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "wrappers.h"

#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compiler-rt-patch/src/reports/rsan_source_name.h"
#include "complain.h"
#include "frame.h"

static int compare_keys(const void *a, const void *b) {
  uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
  return left < right ? -1 : left > right;
}

static void read_section(Elf *elf, struct wrappers_of *module) {
  size_t names;
  if (elf_getshdrstrndx(elf, &names) != 0)
    return;
  for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
    GElf_Shdr header;
    const char *name =
        gelf_getshdr(section, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;
    Elf_Data *data = name && strcmp(name, "rsan_wrappers") == 0 ? elf_getdata(section, NULL) : NULL;
    if (!data || !data->d_buf || data->d_size < sizeof *module->keys)
      continue;
    module->count = data->d_size / sizeof *module->keys;
    module->keys = must_alloc(NULL, module->count * sizeof *module->keys);
    memcpy(module->keys, data->d_buf, module->count * sizeof *module->keys);
    qsort(module->keys, module->count, sizeof *module->keys, compare_keys);
    return;
  }
}

static void read_module(struct wrappers_of *module) {
  // A FIFO would keep the caller waiting.
  int fd = open(module->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  struct stat status;
  if (fd < 0)
    return;
  if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode)) {
    elf_version(EV_CURRENT);
    Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
    if (elf && elf_kind(elf) == ELF_K_ELF)
      read_section(elf, module);
    elf_end(elf);
  }
  close(fd);
}

static const struct wrappers_of *find(struct wrappers *wrappers, const char *path) {
  for (size_t i = 0; i < wrappers->count; i++)
    if (strcmp(wrappers->modules[i].path, path) == 0)
      return &wrappers->modules[i];
  wrappers->modules =
      must_alloc(wrappers->modules, (wrappers->count + 1) * sizeof *wrappers->modules);
  struct wrappers_of *module = &wrappers->modules[wrappers->count++];
  *module = (struct wrappers_of){.path = must_copy(path, strlen(path))};
  read_module(module);
  return module;
}

bool wrappers_have(struct wrappers *wrappers, const char *module,
                   const struct source_frame *frame) {
  if (!frame->file || !frame->function || frame->line == 0)
    return false;
  const struct wrappers_of *of = find(wrappers, module);
  size_t size = strlen(frame->file) + 2;
  char *path = must_alloc(NULL, size);
  uint64_t key = rsan_wrapper_key(rsan_normal_path(frame->file, path, size), frame->function,
                                  frame->line, frame->column);
  free(path);
  return of->count > 0 && bsearch(&key, of->keys, of->count, sizeof key, compare_keys);
}

void wrappers_clear(struct wrappers *wrappers) {
  for (size_t i = 0; i < wrappers->count; i++) {
    free(wrappers->modules[i].path);
    free(wrappers->modules[i].keys);
  }
  free(wrappers->modules);
  *wrappers = (struct wrappers){0};
}

unsigned wrappers_place(struct wrappers *wrappers, const char *module,
                        const struct source_frames *frames, unsigned *wrapper) {
  *wrapper = frames->count;
  for (unsigned i = 0; i < frames->count; i++) {
    if (frame_is_internal(frames->at[i].file, module))
      continue;
    if (!wrappers_have(wrappers, module, &frames->at[i]))
      return i;
    *wrapper = i;
  }
  return frames->count;
}
