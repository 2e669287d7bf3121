// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "build_id.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct image {
  const unsigned char *bytes;
  uint64_t size;
};

// The part of the file from `offset`, or NULL if it is not within it. Every offset and size below
// comes from the file and may be anything.
static const void *part(const struct image *image, uint64_t offset, uint64_t size) {
  return offset <= image->size && size <= image->size - offset ? image->bytes + offset : NULL;
}

static uint64_t padded(uint64_t size) {
  return (size + 3) & ~(uint64_t)3;
}

// Looks for the id among the notes of a segment or section.
static bool search_notes(const struct image *image, uint64_t offset, uint64_t size,
                         char hex[2 * BUILD_ID_MAX + 1]) {
  if (!part(image, offset, size))
    return false;
  uint64_t end = offset + size;
  while (offset < end && end - offset >= sizeof(Elf64_Nhdr)) {
    Elf64_Nhdr note;
    memcpy(&note, image->bytes + offset, sizeof note);
    uint64_t name = offset + sizeof note, id = name + padded(note.n_namesz);
    const unsigned char *bytes = part(image, id, note.n_descsz);
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof ELF_NOTE_GNU && bytes &&
        memcmp(image->bytes + name, ELF_NOTE_GNU, sizeof ELF_NOTE_GNU) == 0 &&
        note.n_descsz <= BUILD_ID_MAX) {
      for (uint32_t i = 0; i < note.n_descsz; i++)
        sprintf(hex + 2 * i, "%02x", bytes[i]);
      return true;
    }
    offset = id + padded(note.n_descsz);
  }
  return false;
}

// Sections first: in a file of debug information alone the segments point to where nothing is.
static bool search(const struct image *image, const Elf64_Ehdr *header,
                   char hex[2 * BUILD_ID_MAX + 1]) {
  for (uint64_t i = 0; i < header->e_shnum; i++) {
    Elf64_Shdr section;
    const void *at = part(image, header->e_shoff, (i + 1) * sizeof section);
    if (!at)
      break;
    memcpy(&section, (const char *)at + i * sizeof section, sizeof section);
    if (section.sh_type == SHT_NOTE && search_notes(image, section.sh_offset, section.sh_size, hex))
      return true;
  }
  for (uint64_t i = 0; i < header->e_phnum; i++) {
    Elf64_Phdr segment;
    const void *at = part(image, header->e_phoff, (i + 1) * sizeof segment);
    if (!at)
      break;
    memcpy(&segment, (const char *)at + i * sizeof segment, sizeof segment);
    if (segment.p_type == PT_NOTE && search_notes(image, segment.p_offset, segment.p_filesz, hex))
      return true;
  }
  return false;
}

static enum build_id read_image(const struct image *image, char hex[2 * BUILD_ID_MAX + 1]) {
  Elf64_Ehdr header;
  const void *at = part(image, 0, sizeof header);
  if (!at)
    return BUILD_ID_NOT_ELF;
  memcpy(&header, at, sizeof header);
  if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64)
    return BUILD_ID_NOT_ELF;
  return search(image, &header, hex) ? BUILD_ID_FOUND : BUILD_ID_NONE;
}

enum build_id build_id_read(const char *path, char hex[2 * BUILD_ID_MAX + 1]) {
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return BUILD_ID_UNREADABLE;
  struct stat status;
  enum build_id result = BUILD_ID_UNREADABLE;
  if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode)) {
    struct image image = {.size = (uint64_t)status.st_size};
    void *bytes = image.size ? mmap(NULL, image.size, PROT_READ, MAP_PRIVATE, fd, 0) : NULL;
    if (bytes != MAP_FAILED) {
      image.bytes = bytes;
      result = read_image(&image, hex);
    }
    if (bytes && bytes != MAP_FAILED)
      munmap(bytes, image.size);
  } else {
    errno = EINVAL;
  }
  close(fd);
  return result;
}
