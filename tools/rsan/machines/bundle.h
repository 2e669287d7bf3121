// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a host needs to carry out units, in the campaign's folder bundle/. Nothing of RSan has to be
// installed there:
//   rsan, lib/   this program, its libraries and their loader
//   unit.sh      unit.sh FIRST LAST ATTEMPT [OPTION...]: carries out a unit
//   work/, own/  the user's program and --with, where the program starts; and its own libraries
//   sums         checksums of all of it, as sha256sum -c reads them

#ifndef BUNDLE_H
#define BUNDLE_H

#include <stdbool.h>

struct campaign;
struct merge_request;

// TRAVELS: to hosts that have none of this machine's files. Else the program stays where it is.
// False after a message.
bool bundle_make(struct campaign *campaign, bool travels);

// Carries out the first runs here, of those to LAST as many as are begun in a second. The exit
// status of rsan unit.
int bundle_pilot(struct campaign *campaign, unsigned last, const char *archive);

// The runs that this archive has, if it begins with the first one; else 0, after a message.
unsigned bundle_pilot_runs(const char *archive);

// The program and its libraries that are not the system's, as files of this machine: what travels.
void bundle_modules(const struct campaign *campaign, void (*take)(void *context, const char *file),
                    void *context);

// Where the program and its libraries are here, for symbolizing.
void bundle_add_modules(const struct campaign *campaign, struct merge_request *request);

#endif
