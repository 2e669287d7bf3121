// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// runtime-replay: the verdicts of rsan-replay, found by the runtime itself. Each trace of the file
// becomes a run of this very process, which the runtime watches.

#include "drive.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int usage(void) {
  fputs("usage: runtime-replay [--threads] [--one-word] [--allow-sc] FILE.jsonl\n"
        "Prints for each trace which events the runtime reported:\n"
        "{\"id\":...,\"flags\":[...],\"races\":[...]}\n"
        "  --threads   real threads in place of fibers\n"
        "  --one-word  non-atomic accesses of a location all to the same word\n"
        "  --allow-sc  accept seq_cst accesses\n"
        "Exit status: 0; 2 on bad usage, on a trace that cannot be driven, and when the run went\n"
        "another way than the trace.\n",
        stderr);
  return 2;
}

struct arguments {
  const struct carrier *carrier;
  enum drive_plain plain;
  unsigned reader;
  const char *file;
};

static int drive_file(const struct arguments *arguments, FILE *file) {
  struct trace_reader reader;
  struct trace trace = {0};
  struct trace_error error;
  struct trace_indices flags = {0}, races = {0};
  const char *bad = NULL;
  enum trace_result result = TRACE_END;
  trace_reader_init(&reader, file, arguments->reader);
  while (!bad && (result = trace_reader_next(&reader, &trace, &error)) == TRACE_READ) {
    bad = drive_refuses(&trace);
    if (bad)
      break;
    flags.count = races.count = 0;
    drive_trace(arguments->carrier, arguments->plain, &trace, &flags, &races);
    trace_write_verdict(stdout, trace.id, &flags, &races);
  }
  if (result == TRACE_MALFORMED)
    bad = error.reason;
  if (bad)
    fprintf(stderr, "%s:%zu: %s\n", arguments->file,
            result == TRACE_MALFORMED ? error.line : reader.line, bad);
  free(flags.at);
  free(races.at);
  trace_reader_free(&reader);
  trace_free(&trace);
  return bad ? 2 : 0;
}

int main(int argc, char **argv) {
  struct arguments arguments = {.carrier = &carrier_fibers, .plain = DRIVE_PAIRS};
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--threads") == 0)
      arguments.carrier = &carrier_threads;
    else if (strcmp(argv[i], "--one-word") == 0)
      arguments.plain = DRIVE_ONE_WORD;
    else if (strcmp(argv[i], "--allow-sc") == 0)
      arguments.reader = TRACE_ALLOW_SC;
    else if (arguments.file || argv[i][0] == '-')
      return usage();
    else
      arguments.file = argv[i];
  }
  if (!arguments.file)
    return usage();
  FILE *file = fopen(arguments.file, "r");
  if (!file) {
    fprintf(stderr, "%s: %s\n", arguments.file, strerror(errno));
    return 2;
  }
  int status = drive_file(&arguments, file);
  fclose(file);
  if (fflush(stdout) != 0 || ferror(stdout)) {
    fprintf(stderr, "cannot write: %s\n", strerror(errno));
    return 2;
  }
  return status;
}
