// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An ELF file or an archive, as libelf reads it, and its sections.

#ifndef ELF_FILE_H
#define ELF_FILE_H

#include <gelf.h>

// *DESCRIPTOR is negative if the file cannot be opened; errno says why. NULL with a descriptor: it
// is no regular file, or libelf says that it is broken. To be ended with elf_file_close, whatever
// it is.
Elf *elf_file_open(const char *path, int *descriptor);
void elf_file_close(Elf *elf, int descriptor);

// The first section of that name, or of that type if NAME is null; NULL if there is none.
Elf_Scn *elf_file_section(Elf *elf, const char *name, unsigned type, GElf_Shdr *header);

#endif
