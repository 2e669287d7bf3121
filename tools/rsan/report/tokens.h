// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tokens of records (docs/guide/FORMATS.md), as the runtime makes them.

#ifndef TOKENS_H
#define TOKENS_H

#include <cjson/cJSON.h>
#include <stdbool.h>

// Makes the record's "token" and "token_v1" from its places. Reads the sources of the places by
// the paths in the record, which must be whole, and leaves out the paths' beginning up to PREFIX
// then. False: of some place nothing is known; the tokens stay as they are.
bool record_renew_tokens(cJSON *record, const char *prefix);

#endif
