// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a command of rsan was asked to run, in a file of its folder, so that --resume goes on with
// the same: the command, the directory, and the runtime's options.

#ifndef ASKED_H
#define ASKED_H

#include <cjson/cJSON.h>
#include <stdbool.h>

// Adds them as they are now.
void asked_add(cJSON *json, char *const *command);

// Writes the object to the file, and frees it in any case. False: errno says why.
bool asked_write(const char *path, cJSON *json);

// The object in the file; NULL: there is none. For cJSON_Delete.
cJSON *asked_read(const char *path);

// Goes to the directory and sets the options. Gives the command, for asked_free. False: the object
// has none, or the directory is not there.
bool asked_take(const cJSON *json, char ***command);

void asked_free(char **command);

#endif
