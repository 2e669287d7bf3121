// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The reports of all files, each kind once: reports with the same token are one.

#ifndef COLLECTION_H
#define COLLECTION_H

#include <cjson/cJSON.h>
#include <stddef.h>
#include <stdint.h>

#include "baseline.h"
#include "module.h"
#include "origin.h"
#include "symbolizer.h"
#include "wrappers.h"

// Runs as hashes of program and process, with repetitions until they are counted.
struct run_set {
  uint64_t *at;
  size_t count, room;
};

struct collection {
  // How raw frames become symbolized ones, and paths shorter.
  struct modules modules;
  struct wrappers wrappers;
  struct symbolizer symbolizer;
  const char *strip_prefix; // "": none
  const char *source_root;  // sources are shown of files below this folder; "": none

  bool colour;               // is the output a terminal that shows colours?
  struct baseline *baseline; // of findings that are known; NULL: none was given
  struct changes *changes;   // of lines that findings come first in; NULL: none were asked for

  // Sorted by collection_finish: what is in changed lines comes first, what is known last; each
  // has violations by group, races, others; by place.
  struct entry *at;
  size_t count, room;
  size_t fresh;              // how many are not known
  size_t changed;            // how many of these are in changed lines
  struct run_set runs;       // that reports are of
  uint64_t total, run_count; // reports read; different runs, set by collection_finish
  struct origin origin;      // of the files that were read
  char *lost;                // what could not be checked (lost.h); NULL: nothing is said
};

// The violations that lack the same repair (groups.h).
struct group {
  size_t size;     // how many they are; 0: the report is in none
  size_t first;    // place of the first of them
  bool mild;       // of each that is so (groups.c)
  size_t harmless; // how many are (classes.h)
};

struct entry {
  char token[17];
  cJSON *record;
  uint64_t count;
  struct run_set runs;
  uint64_t run_count; // how many runs; before collection_finish, those of results merged before
  bool known;         // by the baseline, set by collection_finish
  bool changed;       // it is in changed lines, and not known; the same
  size_t place;       // in the order by source, set by collection_finish
  struct group group; // the same
};

// Takes over the record, which was read at FILE:LINE: symbolizes it, gives it its token, and merges
// it with what is there.
void collection_add(struct collection *collection, cJSON *record, const char *file, size_t line);

// A report that was added was made in further tests (tests_again). OBJECT may be NULL.
void collection_add_tests(struct collection *collection, const cJSON *object);

// Sorts, groups, and puts the counts into the records. Nothing is added after that.
void collection_finish(struct collection *collection);
void collection_clear(struct collection *collection);

// Puts functions, files and lines into the record's raw frames (symbolize.c), and makes its tokens
// of them. Were there any in its stacks?
bool symbolize_record(struct collection *collection, cJSON *record);

#endif
