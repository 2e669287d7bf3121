// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Findings in lines that a change has touched: those with a place, or a step of the cycle, in a
// line in which git's working tree differs from a revision. Where lines were only deleted, the
// lines beside the gap count.

#ifndef CHANGED_H
#define CHANGED_H

#include <cjson/cJSON.h>
#include <stdbool.h>

struct changes;

// Asks git, in the current directory. NULL after a message if git does not know the revision.
// For changes_free.
struct changes *changes_read(const char *revision);
void changes_free(struct changes *changes);

// Whether git knows the revision; else a message has been printed.
bool changes_are_known(const char *revision);

// The revision, as it was asked for.
const char *changes_revision(const struct changes *changes);

// Sets the member "changed" of the record, whose files are named as in its program. Null CHANGES:
// removes it.
void changes_mark(const struct changes *changes, cJSON *record);

#endif
