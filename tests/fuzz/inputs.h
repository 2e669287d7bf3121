// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The readers of rsan's tools, a target each (inputs.c, input_files.c).

#ifndef INPUTS_H
#define INPUTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct input {
  const char *folder; // for files, absolute
  const char *path;   // the file in there that has the input; NULL if the target has none
  char *text;         // the input, with a zero behind it; may be changed
  size_t size;
};

struct input_target {
  const char *name;
  const char *file; // the input's name in the folder; NULL: the target takes text
  bool sealed;      // the file is an object of JSON with a checksum
  void (*read)(const struct input *input);
};

// NULL: there is no such target.
const struct input_target *input_target_find(const char *name);

// Writes the names, one a line.
void input_target_list(FILE *out);

// -- what programs have printed (inputs.c) --

void input_reports(const struct input *input);
void input_symbolize(const struct input *input);
void input_symbolizer(const struct input *input);
void input_line_table(const struct input *input);
void input_log(const struct input *input);
void input_progress(const struct input *input);
void input_departures(const struct input *input);
void input_options(const struct input *input);

// -- what commands have written (input_files.c) --

void input_schedule(const struct input *input);
void input_archive(const struct input *input);
void input_manifest(const struct input *input);
void input_check(const struct input *input);
void input_confirm(const struct input *input);
void input_campaign(const struct input *input);
void input_journal(const struct input *input);
void input_runs(const struct input *input);
void input_tries(const struct input *input);
void input_confirmed(const struct input *input);
void input_rules(const struct input *input);
void input_trace(const struct input *input);
void input_trusted(const struct input *input);
void input_elf(const struct input *input);

#endif
