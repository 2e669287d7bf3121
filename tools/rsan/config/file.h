// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads a file of settings in TOML 1.0: keys before the first table, and keys in tables. A table in
// a table is a fault.

#ifndef CONFIG_FILE_H
#define CONFIG_FILE_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum config_kind { CONFIG_TABLE, CONFIG_TEXT, CONFIG_NUMBER, CONFIG_BOOLEAN, CONFIG_LIST };

// A table is an entry without a key and values, and so is each of its keys. A list has its texts in
// `values`; any other value is written there once, a boolean as 1 or 0.
struct config_entry {
  char *table; // "": the key stands at the top
  char *key;
  enum config_kind kind;
  char **values; // NULL at the end
  unsigned line; // from 1
};

struct config {
  struct config_entry *entries; // in the order of their lines
  size_t count;
};

// Reads a regular file. Returns NULL, and `into` owns what it has; or what is wrong, for free():
// "LINE: ..." or, if the file cannot be read, without a line. Ends the process by abort if there is
// no memory.
char *config_read(const char *path, struct config *into);

void config_free(struct config *config);

#ifdef __cplusplus
}
#endif

#endif
