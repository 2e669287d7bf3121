// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "build_id.h"

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

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
  // A FIFO would keep the caller waiting.
  int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0)
    return BUILD_ID_UNREADABLE;
  struct stat status;
  enum build_id result = BUILD_ID_NOT_ELF;
  if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode)) {
    elf_version(EV_CURRENT);
    Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
    result = elf ? read_elf(elf, hex) : BUILD_ID_NOT_ELF; // NULL: it is broken
    elf_end(elf);
  }
  close(fd);
  return result;
}
