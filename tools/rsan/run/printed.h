// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a run has printed about its failure: assertions, panics of Rust's, failures of GoogleTest.

#ifndef RUN_PRINTED_H
#define RUN_PRINTED_H

struct printed {
  char *assertion; // what has not held, NULL: nothing is said of that; owned, like the others
  char *panic;     // place of a panic of Rust's, NULL: none
  char *check;     // place of the first check of GoogleTest that has failed, NULL: none
  char *test;      // name of the first of its tests that has failed, NULL: none
  char *last;      // line that is not empty
};

// Reads the file, as far as it can be read.
void printed_read(struct printed *printed, const char *path);
void printed_free(struct printed *printed);

#endif
