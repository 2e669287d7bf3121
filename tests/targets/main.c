// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rsan-targets: what machines can show, by definition and by the engine. Exit status: 0, 1 a
// difference was found, 2 bad usage.

#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "judge.h"

static const char usage[] =
    "usage: rsan-targets litmus                       the table, by all interleavings and by\n"
    "                                                 all executions\n"
    "       rsan-targets programs|runs|reuse MODEL [--count N] [--seed S] [--first I]\n"
    "                                                 random programs, long runs, runs in\n"
    "                                                 which thread indices are reused by\n"
    "                                                 force; MODEL is x86, armv8[-ldar|-lse]\n"
    "                                                 or armv8[-ldar|-lse]-definite\n"
    "       rsan-targets machine [--count N] [--seed S]  TSO's axioms and store buffers\n"
    "       rsan-targets program 'st 0 rlx 1; ...'    one program\n";

static _Noreturn void misused(void) {
  fputs(usage, stderr);
  exit(2);
}

static uint64_t parse_count(const char *text) {
  char *end;
  errno = 0;
  unsigned long long value = strtoull(text, &end, 0);
  if (errno || *end || end == text || *text == '-')
    misused();
  return value;
}

static enum target_model parse_model(const char *name) {
  for (int model = 0; model < TARGET_MODEL_COUNT; model++)
    if (strcmp(name, target_model_names[model]) == 0)
      return (enum target_model)model;
  misused();
}

int main(int argc, char **argv) {
  static const struct option long_options[] = {{"count", required_argument, NULL, 'c'},
                                               {"seed", required_argument, NULL, 's'},
                                               {"first", required_argument, NULL, 'f'},
                                               {NULL, 0, NULL, 0}};
  uint64_t count = 1000, seed = 1, first = 0;
  int option;
  while ((option = getopt_long(argc, argv, "", long_options, NULL)) != -1) {
    if (option == '?')
      misused();
    *(option == 'c' ? &count : option == 's' ? &seed : &first) = parse_count(optarg);
  }
  int words = argc - optind;
  const char *mode = words ? argv[optind] : "", *what = words > 1 ? argv[optind + 1] : "";
  bool fine;
  if (words == 1 && strcmp(mode, "litmus") == 0)
    fine = programs_litmus();
  else if (words == 1 && strcmp(mode, "machine") == 0)
    fine = programs_machine(count, seed);
  else if (words == 2 && strcmp(mode, "program") == 0)
    fine = programs_one(what);
  else if (words == 2 && strcmp(mode, "programs") == 0)
    fine = programs_random(parse_model(what), first, count, seed);
  else if (words == 2 && (strcmp(mode, "runs") == 0 || strcmp(mode, "reuse") == 0))
    fine = runs_random(parse_model(what), mode[1] == 'e', first, count, seed);
  else
    misused();
  return fine ? 0 : 1;
}
