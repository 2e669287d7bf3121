// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef FLAGS_H
#define FLAGS_H

#include <stdbool.h>

// The flags that a file is compiled with: those of the compilation database in the folder DATABASE,
// or, for NULL, of a compile_commands.json in a folder above the file or in `build' there; without
// one the defaults of the file's language. EXTRA, if not NULL, goes behind them.
char **flags_for(const char *path, const char *database, char *const *extra, int *count);

// The same for a source that is known to have been compiled in FOLDER (NULL: it is not known
// where).
char **flags_in(const char *path, const char *folder, const char *database, char *const *extra,
                int *count);

// Gives the source of the database with the NUMBERth longest part of its path in common with
// PATH's, for free(); NULL: there are not so many, or PATH is one of them.
char *flags_source_near(const char *path, const char *database, unsigned number);

// Those of a header that is C++.
char **flags_cxx(int *count);
void flags_free(char **flags, int count);

// Is it C++?
bool flags_are_cxx(const char *path, char *const *flags, int count);

#endif
