// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The protocol is the runtime's own: a line `CODE "module" 0xoffset`, and an answer of two lines a
// frame (function; file:line:column) that ends in an empty line. DATA: name; start and size; file.

#include "symbolizer.h"

#include "compiler-rt-patch/src/common/rsan_source_name.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "complain.h"

extern char **environ;

static const char in_path[] = "llvm-symbolizer-" RSAN_LLVM_MAJOR;

static bool executable(const char *path) {
  return access(path, X_OK) == 0;
}

// The first such program of PATH; NULL: none.
static char *search_path(void) {
  const char *path = getenv("PATH");
  while (path && *path) {
    size_t length = strcspn(path, ":");
    char *candidate = must_alloc(NULL, length + sizeof in_path + 1);
    sprintf(candidate, "%.*s/%s", (int)length, path, in_path);
    if (executable(candidate))
      return candidate;
    free(candidate);
    path += length + (path[length] == ':');
  }
  return NULL;
}

static void give_up(struct symbolizer *symbolizer) {
  symbolizer->broken = true;
}

static int spawn(pid_t *child, const char *path, int in, int out) {
  char *arguments[] = {(char *)path, "--demangle", "--inlines", "--default-arch=x86_64", NULL};
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  sigset_t signals;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
  posix_spawnattr_init(&attributes);
  sigemptyset(&signals);
  sigaddset(&signals, SIGPIPE); // which this process ignores
  posix_spawnattr_setsigdefault(&attributes, &signals);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  int error = posix_spawn(child, path, &actions, &attributes, arguments, environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

static void start_child(struct symbolizer *symbolizer, const char *path) {
  int question[2], answer[2];
  if (pipe2(question, O_CLOEXEC) || pipe2(answer, O_CLOEXEC)) {
    complain(STATUS_FAILED, "cannot make a pipe: %s", strerror(errno));
    give_up(symbolizer);
    return;
  }
  int error = spawn(&symbolizer->child, path, question[0], answer[1]);
  close(question[0]);
  close(answer[1]);
  if (error) {
    complain(STATUS_FAILED, "cannot run the symbolizer %s: %s", path, strerror(error));
    symbolizer->child = 0;
    give_up(symbolizer);
  }
  symbolizer->to = fdopen(question[1], "w");
  symbolizer->from = fdopen(answer[0], "r");
}

static void start(struct symbolizer *symbolizer) {
  symbolizer->started = true;
  char *found = symbolizer->path ? NULL : search_path();
  const char *path = symbolizer->path ? symbolizer->path : found;
  if (!path)
    path = RSAN_LLVM_SYMBOLIZER;
  if (!symbolizer->path && !found && !executable(path)) {
    complain(STATUS_FAILED,
             "no symbolizer: neither %s in PATH nor %s; install llvm-" RSAN_LLVM_MAJOR
             " or give --symbolizer=PATH",
             in_path, path);
    give_up(symbolizer);
    return;
  }
  start_child(symbolizer, path);
  free(found);
}

// Sends the question; true: an answer will come. llvm-symbolizer takes either kind of quotes
// round a name, and has no escapes: names with both, or with ends of lines, do not come here.
static bool ask(struct symbolizer *symbolizer, const char *what, const char *module,
                uint64_t offset) {
  if (!symbolizer->started)
    start(symbolizer);
  const char *quote = strchr(module, '"') ? "'" : "\"";
  if (symbolizer->broken)
    return false;
  fprintf(symbolizer->to, "%s %s%s%s 0x%" PRIx64 "\n", what, quote, module, quote, offset);
  fflush(symbolizer->to); // an error shows in the answer
  return true;
}

// The next line of the answer without its newline, or NULL at the empty line that ends it.
static char *answer_line(struct symbolizer *symbolizer) {
  char *line = NULL;
  size_t room = 0;
  ssize_t length = getline(&line, &room, symbolizer->from);
  if (length < 0 && !symbolizer->broken) {
    complain(STATUS_FAILED, "the symbolizer has ended; what follows stays as it is");
    give_up(symbolizer);
  }
  if (length > 0 && line[length - 1] == '\n')
    line[--length] = '\0';
  if (length > 0)
    return line;
  free(line);
  return NULL;
}

// NULL for what the symbolizer does not know.
static char *unless_unknown(char *name) {
  if (strcmp(name, "??") != 0)
    return name;
  free(name);
  return NULL;
}

// The name of a function or global; NULL: it is not known.
static char *name_of(char *name) {
  rsan_drop_numbers(name);
  return unless_unknown(name);
}

void source_frame_parse(struct source_frame *frame, char *place) {
  for (int i = 0; i < 2; i++) {
    char *colon = strrchr(place, ':');
    if (!colon || colon == place || colon[1] == '\0' ||
        colon[1 + strspn(colon + 1, "0123456789")] != '\0')
      break;
    frame->column = frame->line;
    frame->line = (unsigned)strtoul(colon + 1, NULL, 10);
    *colon = '\0';
  }
  frame->file = unless_unknown(place);
}

bool symbolizer_code(struct symbolizer *symbolizer, const char *module, uint64_t offset,
                     struct source_frames *frames) {
  *frames = (struct source_frames){0};
  if (!ask(symbolizer, "CODE", module, offset))
    return false;
  for (char *function; (function = answer_line(symbolizer));) {
    frames->at = must_alloc(frames->at, (frames->count + 1) * sizeof *frames->at);
    struct source_frame *frame = &frames->at[frames->count++];
    *frame = (struct source_frame){.function = name_of(function)};
    char *place = answer_line(symbolizer);
    if (!place)
      break;
    source_frame_parse(frame, place);
    if (frame->file)
      rsan_normal_path(frame->file, frame->file, strlen(frame->file) + 2);
  }
  if (!symbolizer->broken && frames->count > 0)
    return true;
  source_frames_clear(frames);
  return false;
}

bool symbolizer_data(struct symbolizer *symbolizer, const char *module, uint64_t offset,
                     struct source_data *data) {
  *data = (struct source_data){0};
  if (!ask(symbolizer, "DATA", module, offset))
    return false;
  char *name = answer_line(symbolizer);
  char *extent = name ? answer_line(symbolizer) : NULL;
  bool known = extent && sscanf(extent, "%" SCNu64 " %" SCNu64, &data->start, &data->size) == 2;
  for (char *rest = extent; rest && (rest = answer_line(symbolizer));)
    free(rest); // the file, which the report does not show
  free(extent);
  data->name = name ? name_of(name) : NULL;
  if (known && data->name && !symbolizer->broken)
    return true;
  free(data->name);
  return false;
}

void source_frames_clear(struct source_frames *frames) {
  for (unsigned i = 0; i < frames->count; i++) {
    free(frames->at[i].function);
    free(frames->at[i].file);
  }
  free(frames->at);
  *frames = (struct source_frames){0};
}

void symbolizer_end(struct symbolizer *symbolizer) {
  if (symbolizer->to)
    fclose(symbolizer->to);
  if (symbolizer->from)
    fclose(symbolizer->from);
  if (symbolizer->child)
    waitpid(symbolizer->child, NULL, 0);
}
