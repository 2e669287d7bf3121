// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a command of rsan was asked to run, in a file of its folder, so that --resume goes on with
// the same: the command, the directory, and the runtime's options. The folder may be another user's
// or damaged: the file has a checksum, and its command is on the list of what this user has run
// (trust/list.h).

#ifndef ASKED_H
#define ASKED_H

#include <cjson/cJSON.h>
#include <stdbool.h>

// Adds them as they are now.
void asked_add(cJSON *json, char *const *command);

// Writes the object with its checksum to the file, and frees it in any case. What it asks for is
// trusted from then on. False: errno says why.
bool asked_write(const char *path, cJSON *json);

// The object in the file; NULL: there is none, or it is not as asked_write has written it. For
// cJSON_Delete.
cJSON *asked_read(const char *path);

// Does this user's list have what the object asks for? If not, prints the command to standard
// error, and that --trust is needed; NAME begins the message.
bool asked_is_trusted(const cJSON *json, const char *name, const char *path);

// Goes to the directory and sets the options. Gives the command, for asked_free. False: the object
// has none, or the directory is not there.
bool asked_take(const cJSON *json, char ***command);

void asked_free(char **command);

// A number of the object from LEAST to MOST. False: it has none.
bool asked_number(const cJSON *json, const char *name, double least, double most, double *number);

#endif
