// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The file in which a command of rsan stores what it was asked to run, so that --resume can
// continue it: the command, the directory and the runtime's options. The file may be damaged, so it
// has a checksum. It may be another user's, so --resume runs the command only if it is on this
// user's list (trust/list.h) or --trust is given.

#ifndef ASKED_H
#define ASKED_H

#include <cjson/cJSON.h>
#include <stdbool.h>

// Adds the command, the working directory and the options of the environment to the object.
void asked_add(cJSON *json, char *const *command);

// Writes the object and its checksum to the file, adds its command to the user's list, and frees
// the object. Returns false with errno on failure.
bool asked_write(const char *path, cJSON *json);

// Returns the object in the file, or NULL if there is none or its checksum does not match. The
// caller frees it with cJSON_Delete.
cJSON *asked_read(const char *path);

// Returns whether the command of the object is on the user's list. If it is not, prints the command
// and that --trust is needed to standard error. NAME begins the message, PATH is the file.
bool asked_is_trusted(const cJSON *json, const char *name, const char *path);

// Changes to the directory, sets the options, and stores the command in *COMMAND. The caller frees
// it with asked_free. Returns false if the object has no valid command or the directory does not
// exist.
bool asked_take(const cJSON *json, char ***command);

void asked_free(char **command);

// Stores the object's number NAME in *NUMBER. Returns false if there is none from LEAST to MOST.
bool asked_number(const cJSON *json, const char *name, double least, double most, double *number);

#endif
