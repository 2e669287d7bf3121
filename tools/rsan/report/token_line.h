// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lines that tokens of records are made of. While a token is made, frames have a member with
// the identity of their place.

#ifndef TOKEN_LINE_H
#define TOKEN_LINE_H

#include <cjson/cJSON.h>

// Reads the source of the frame's place by the path in the frame, which must be whole, and notes
// the place's identity in the frame. FRAME may be NULL.
void frame_note_identity(cJSON *frame);
void record_forget_identities(cJSON *item);

// The line of the frame in tokens of that version, for free(). NULL: nothing is known.
char *frame_token_line(const cJSON *frame, unsigned version);

#endif
