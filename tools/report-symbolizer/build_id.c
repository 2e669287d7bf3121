// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "build_id.h"

#include <elfutils/libdwelf.h>
#include <stdio.h>

#include "elf_file.h"

static enum build_id read_elf(Elf *elf, char hex[2 * BUILD_ID_MAX + 1]) {
  const void *id;
  if (elf_kind(elf) != ELF_K_ELF || gelf_getclass(elf) != ELFCLASS64)
    return BUILD_ID_NOT_ELF;
  ssize_t size = dwelf_elf_gnu_build_id(elf, &id);
  if (size <= 0 || size > BUILD_ID_MAX)
    return BUILD_ID_NONE;
  for (ssize_t i = 0; i < size; i++)
    sprintf(hex + 2 * i, "%02x", ((const unsigned char *)id)[i]);
  return BUILD_ID_FOUND;
}

enum build_id build_id_read(const char *path, char hex[2 * BUILD_ID_MAX + 1]) {
  int descriptor;
  Elf *elf = elf_file_open(path, &descriptor);
  enum build_id result = descriptor < 0 ? BUILD_ID_UNREADABLE : BUILD_ID_NOT_ELF;
  if (elf)
    result = read_elf(elf, hex);
  elf_file_close(elf, descriptor);
  return result;
}
