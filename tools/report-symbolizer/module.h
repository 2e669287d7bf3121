// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the files are whose names the report gives: programs and shared libraries.
//
// The default format of frames gives no more than a base name. A file is looked for, in this order,
//   in the folders of --module-dir,
//   at the path that the report gives, here or in its summary line,
//   beside the modules whose paths are known,
//   in the current folder, in the folders of the system's libraries, in RSan's own,
//   among the system's files of debugging information, by build id,
// all but the first below --sysroot. Where the report gives a build id, a file with another one is
// not taken.

#ifndef MODULE_H
#define MODULE_H

#include <stdbool.h>
#include <stddef.h>

#include "frame.h"

struct modules {
  const char **folders; // --module-dir
  size_t folder_count;
  const char *sysroot; // "" for none
  struct module {
    char *name, *build_id; // as in the report; build_id may be NULL
    char *path;            // NULL: not found, which has been said
  } *known;
  size_t known_count;
  char **paths; // given by the report
  size_t path_count;
};

// Notes a path that the report gives in full.
void modules_note(struct modules *modules, const struct place *place);

// The file of the place's module; NULL: there is none, which is said once a module.
const char *modules_find(struct modules *modules, const struct place *place);

// Looks for the file again, and says nothing. *REBUILT: there is none, and another build of it is
// at a path that the report gives. The caller frees the path.
char *modules_find_quietly(const struct modules *modules, const struct place *place, bool *rebuilt);

void modules_clear(struct modules *modules);

#endif
