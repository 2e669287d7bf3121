// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "program.h"

#include <errno.h>
#include <sha256.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "elf_file.h"
#include "program/find.h"

bool program_find(const char *name, struct program *program) {
  *program = (struct program){0};
  if (!find_program(name, program->path) || !SHA256File(program->path, program->sha256))
    return false;
  if (build_id_read(program->path, program->build_id) != BUILD_ID_FOUND)
    program->build_id[0] = 0;
  return true;
}

// The loader that the program names, "" if it names none. False: it is no program of this kind of
// machine.
static bool read_loader(Elf *elf, int machine, char loader[PATH_MAX]) {
  GElf_Ehdr header;
  GElf_Phdr segment;
  size_t count;
  *loader = 0;
  if (!gelf_getehdr(elf, &header) || header.e_machine != machine ||
      elf_getphdrnum(elf, &count) != 0)
    return false;
  for (size_t i = 0; i < count; i++) {
    if (!gelf_getphdr(elf, (int)i, &segment) || segment.p_type != PT_INTERP)
      continue;
    Elf_Data *data =
        elf_getdata_rawchunk(elf, (int64_t)segment.p_offset, segment.p_filesz, ELF_T_BYTE);
    if (data && data->d_buf)
      snprintf(loader, PATH_MAX, "%.*s", (int)data->d_size, (const char *)data->d_buf);
  }
  return true;
}

static int machine_of(const char *path) {
  int descriptor, machine = EM_NONE;
  GElf_Ehdr header;
  Elf *elf = elf_file_open(path, &descriptor);
  if (elf && elf_kind(elf) == ELF_K_ELF && gelf_getehdr(elf, &header))
    machine = header.e_machine;
  elf_file_close(elf, descriptor);
  return machine;
}

enum kind { KIND_SCRIPT, KIND_PROGRAM, KIND_FOREIGN };

static enum kind read_kind(const char *path, char loader[PATH_MAX]) {
  int descriptor;
  enum kind kind = KIND_SCRIPT;
  Elf *elf = elf_file_open(path, &descriptor);
  *loader = 0;
  if (elf && elf_kind(elf) == ELF_K_ELF)
    kind = read_loader(elf, machine_of("/proc/self/exe"), loader) ? KIND_PROGRAM : KIND_FOREIGN;
  elf_file_close(elf, descriptor);
  return kind;
}

bool program_loader(const struct program *program, char loader[PATH_MAX]) {
  return read_kind(program->path, loader) != KIND_FOREIGN;
}

// What the loader says of the program's libraries; NULL with errno set. For close_trace.
static FILE *open_trace(const char *loader, const char *path, pid_t *child) {
  int ends[2];
  if (pipe(ends) != 0)
    return NULL;
  fflush(NULL);
  *child = fork();
  if (*child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    close(ends[1]);
    execl(loader, loader, "--list", path, (char *)NULL);
    _exit(127);
  }
  close(ends[1]);
  FILE *trace = *child > 0 ? fdopen(ends[0], "r") : NULL;
  if (!trace)
    close(ends[0]);
  return trace;
}

static void close_trace(FILE *trace, pid_t child) {
  fclose(trace);
  waitpid(child, NULL, 0);
}

bool program_fits(const struct program *program, char *reason, size_t size) {
  char loader[PATH_MAX], *line = NULL;
  size_t room = 0;
  pid_t child;
  enum kind kind = read_kind(program->path, loader);
  if (kind == KIND_FOREIGN) {
    snprintf(reason, size, "%s is a program for another kind of machine", program->path);
    return false;
  }
  if (!*loader)
    return true;
  if (access(loader, X_OK) != 0) {
    snprintf(reason, size, "%s needs the loader %s: %s", program->path, loader, strerror(errno));
    return false;
  }
  FILE *trace = open_trace(loader, program->path, &child);
  bool fits = trace != NULL;
  if (!fits)
    snprintf(reason, size, "cannot run %s: %s", loader, strerror(errno));
  while (fits && getline(&line, &room, trace) >= 0) {
    line[strcspn(line, "\n")] = 0;
    fits = !strstr(line, "not found") && !strstr(line, "error while loading");
    if (!fits)
      snprintf(reason, size, "another libc, or a library is missing: %s",
               line + strspn(line, " \t"));
  }
  if (trace)
    close_trace(trace, child);
  free(line);
  return fits;
}

void program_libraries(const struct program *program,
                       void (*take)(void *context, const char *name, const char *file),
                       void *context) {
  char loader[PATH_MAX], *line = NULL;
  size_t room = 0;
  pid_t child;
  FILE *trace = NULL;
  if (read_kind(program->path, loader) == KIND_PROGRAM && *loader)
    trace = open_trace(loader, program->path, &child);
  // "\tlibcjson.so.1 => /lib/x86_64-linux-gnu/libcjson.so.1 (0x00007f...)"
  while (trace && getline(&line, &room, trace) >= 0) {
    char *name = line + strspn(line, " \t"), *arrow = strstr(name, " => ");
    char *end = arrow ? strstr(arrow, " (0x") : NULL;
    if (!arrow)
      continue;
    *arrow = 0;
    if (end)
      *end = 0;
    take(context, name, end ? arrow + strlen(" => ") : "");
  }
  if (trace)
    close_trace(trace, child);
  free(line);
}
