// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options of commands that can have their runs made by other machines.

#ifndef MACHINES_ASKED_H
#define MACHINES_ASKED_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>

enum { KEY_MACHINES_ON = 512, KEY_MACHINES_WITH, KEY_MACHINES_UNIT };

// For the command's table.
#define MACHINES_OPTIONS                                                                           \
  {"on", KEY_MACHINES_ON, "ENGINE", 0, "use other machines: ssh:FILE or slurm[:OPTIONS]", 0},      \
      {"with", KEY_MACHINES_WITH, "FILE", 0, "with --on ssh: send FILE, too; may be repeated", 0}, \
      {"unit", KEY_MACHINES_UNIT, "N", 0, "with --on: give N runs at a time (a minute's)", 0}

struct machines_asked {
  const char *on;    // NULL: runs are made here
  const char **with; // NULL at the end; owned
  size_t with_count;
  unsigned unit; // 0: by time
};

// False: the option is none of these.
bool machines_asked_take(const struct argp_state *state, int key, const char *text,
                         struct machines_asked *asked);

// Ends with a usage error if options are given that exclude each other. MACHINES: other machines
// make the runs, because of --on or because --resume goes on with such runs. JOBS: --jobs was
// given.
void machines_asked_check(const struct argp_state *state, const struct machines_asked *asked,
                          bool machines, bool jobs);

// The name of an option among these that was given and cannot be given with --resume, or NULL.
const char *machines_asked_new(const struct machines_asked *asked);

#endif
