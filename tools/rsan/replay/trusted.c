// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "trusted.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler-rt-patch/src/common/rsan_code_hash.h"
#include "elf_file.h"
#include "need.h"
#include "program/find.h"
#include "trust/list.h"

// Returns the list's entry for the program, which the caller frees, or NULL if the head lacks the
// build or the arguments.
static char *entry_of(const struct schedule_head *head) {
  char *entry = NULL;
  if (head->build && head->arguments &&
      asprintf(&entry, "schedule %s %s", head->build, head->arguments) < 0)
    abort();
  return entry;
}

void schedule_trust(const char *file) {
  static char *last; // most commands record many schedules of one program
  struct schedule_head head;
  bool is_schedule;
  char *entry =
      schedule_head_read(file, &head, &is_schedule) && is_schedule ? entry_of(&head) : NULL;
  schedule_head_free(&head);
  if (!entry || (last && strcmp(last, entry) == 0)) {
    free(entry);
    return;
  }
  trust_list_add(entry);
  free(last);
  last = entry;
}

// Adds a segment of code to the hash that the runtime records as `build'. Returns false if the file
// does not have all of it.
static bool hash_segment(Elf *elf, const GElf_Phdr *segment, uint64_t *hash) {
  size_t size;
  const char *file = elf_rawfile(elf, &size);
  if (!file || segment->p_offset > size || segment->p_filesz > size - segment->p_offset)
    return false;
  *hash = rsan_hash_code(*hash, file + segment->p_offset, segment->p_filesz);
  return true;
}

// Is the file the build?
static bool is_build(const char *path, const char *build) {
  char text[17];
  uint64_t hash = RSAN_HASH_START;
  size_t count = 0;
  int descriptor;
  GElf_Phdr segment;
  Elf *elf = elf_file_open(path, &descriptor);
  bool fine = elf && elf_kind(elf) == ELF_K_ELF && elf_getphdrnum(elf, &count) == 0;
  for (size_t i = 0; fine && i < count; i++)
    if (!gelf_getphdr(elf, (int)i, &segment))
      fine = false;
    else if (segment.p_type == PT_LOAD && segment.p_flags & PF_X)
      fine = hash_segment(elf, &segment, &hash);
  elf_file_close(elf, descriptor);
  snprintf(text, sizeof text, "%016" PRIx64, hash);
  return fine && strcmp(text, build) == 0;
}

enum schedule_trust schedule_trusted(const struct schedule_head *head, const char *name) {
  char path[PATH_MAX], *entry = entry_of(head);
  bool listed = entry && trust_list_has(entry);
  free(entry);
  if (!listed)
    return SCHEDULE_FOREIGN;
  return find_program(name, path) && !is_build(path, head->build) ? SCHEDULE_REBUILT
                                                                  : SCHEDULE_TRUSTED;
}
