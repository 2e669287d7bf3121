// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "problem.h"
#include "report/record.h"
#include "symbolizer.h"

// Member functions of std::atomic and the like; a rule there would be one for all their callers.
static bool is_own(const char *file) {
  return file && strncmp(file, "/usr/", 5) != 0 && !strstr(file, "/include/c++/");
}

bool fix_is_own_frame(const cJSON *frame) {
  return is_own(record_text(frame, "file"));
}

static char *source_point(const char *file, unsigned line, unsigned column) {
  char *point = NULL;
  if (line == 0 || !is_own(file) ||
      (column > 0 ? asprintf(&point, "%s:%u:%u", file, line, column)
                  : asprintf(&point, "%s:%u", file, line)) < 0)
    return NULL;
  return point;
}

static struct symbolizer symbolizer;
static bool stays; // for more questions

static void end_symbolizer(void) {
  symbolizer_end(&symbolizer);
  symbolizer = (struct symbolizer){.started = symbolizer.broken, .broken = symbolizer.broken};
}

// What llvm-symbolizer says of the place. It is started anew each time, as the command is run in
// between; that there is none is said once.
static bool symbolize(const char *module, uint64_t offset, struct source_frames *frames) {
  if (symbolizer.broken || strpbrk(module, "\"\n"))
    return false;
  void (*before)(int) = signal(SIGPIPE, SIG_IGN); // should it have ended
  bool known = symbolizer_code(&symbolizer, module, offset, frames);
  if (!stays)
    end_symbolizer();
  signal(SIGPIPE, before);
  return known;
}

void fix_ask_points(bool begin) {
  stays = begin;
  if (!begin)
    end_symbolizer();
}

// The innermost frame of one's own among the inlined ones. NULL if that has no line, because code
// of several lines was merged: the line of the call that it was inlined at stands for all accesses
// of that call.
static char *inlined_point(const char *module, uint64_t offset) {
  struct source_frames frames;
  char *point = NULL;
  if (!symbolize(module, offset, &frames))
    return NULL;
  for (unsigned i = 0; i < frames.count; i++)
    if (is_own(frames.at[i].file)) {
      point = source_point(frames.at[i].file, frames.at[i].line, frames.at[i].column);
      break;
    }
  source_frames_clear(&frames);
  return point;
}

char *fix_point(const cJSON *frame, bool *in_source) {
  char *point = source_point(record_text(frame, "file"), (unsigned)record_number(frame, "line"),
                             (unsigned)record_number(frame, "column"));
  const char *module = record_text(frame, "module"), *offset = record_text(frame, "offset");
  bool in_module = module && *module && offset && *offset;
  if (!point && in_module)
    point = inlined_point(module, record_hex(frame, "offset"));
  *in_source = point;
  if (!point && in_module && asprintf(&point, "%s+%s", module, offset) < 0)
    return NULL;
  return point;
}
