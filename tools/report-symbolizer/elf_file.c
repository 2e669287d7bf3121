// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "elf_file.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

Elf *elf_file_open(const char *path, int *descriptor) {
  struct stat status;
  // A FIFO would keep the caller waiting.
  *descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (*descriptor < 0 || fstat(*descriptor, &status) != 0 || !S_ISREG(status.st_mode))
    return NULL;
  elf_version(EV_CURRENT);
  return elf_begin(*descriptor, ELF_C_READ_MMAP, NULL);
}

void elf_file_close(Elf *elf, int descriptor) {
  elf_end(elf);
  if (descriptor >= 0)
    close(descriptor);
}

Elf_Scn *elf_file_section(Elf *elf, const char *name, unsigned type, GElf_Shdr *header) {
  size_t names = 0;
  if (elf_kind(elf) != ELF_K_ELF)
    return NULL;
  elf_getshdrstrndx(elf, &names);
  for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
    if (!gelf_getshdr(section, header))
      continue;
    const char *its = name ? elf_strptr(elf, names, header->sh_name) : NULL;
    if (name ? its && strcmp(its, name) == 0 : header->sh_type == type)
      return section;
  }
  return NULL;
}
