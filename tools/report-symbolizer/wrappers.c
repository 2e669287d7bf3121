// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "wrappers.h"

#include <stdlib.h>
#include <string.h>

#include "compiler-rt-patch/src/common/rsan_source_name.h"
#include "complain.h"
#include "elf_file.h"
#include "frame.h"

static int compare_keys(const void *a, const void *b) {
  uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
  return left < right ? -1 : left > right;
}

static void read_module(struct wrappers_of *module) {
  int descriptor;
  GElf_Shdr header;
  Elf *elf = elf_file_open(module->path, &descriptor);
  Elf_Scn *section = elf_file_section(elf, "rsan_wrappers", SHT_NULL, &header);
  Elf_Data *data = section ? elf_getdata(section, NULL) : NULL;
  if (data && data->d_buf && data->d_size >= sizeof *module->keys) {
    module->count = data->d_size / sizeof *module->keys;
    module->keys = must_alloc(NULL, module->count * sizeof *module->keys);
    memcpy(module->keys, data->d_buf, module->count * sizeof *module->keys);
    qsort(module->keys, module->count, sizeof *module->keys, compare_keys);
  }
  elf_file_close(elf, descriptor);
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
  char *path = normal_path(frame->file);
  uint64_t key = rsan_wrapper_key(path, frame->function, frame->line, frame->column);
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
