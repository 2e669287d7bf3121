// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts of the HTML page.

#ifndef HTML_H
#define HTML_H

#include <cjson/cJSON.h>
#include <stdio.h>

#include "collection.h"

extern const char html_style[];  // CSS
extern const char html_script[]; // the filter; without it everything is shown

// A violation's critical cycle, or a race, as an image with a column for each thread (SVG).
// Nothing for other types.
void html_diagram(const cJSON *record, FILE *out);

// The lines round the places of the frames, whose files are known and which it sorts: as far as the
// files are found as they are named, below --strip-prefix or below --sysroot.
void html_excerpts(const struct collection *collection, const cJSON **frames, size_t count,
                   FILE *out);

// The frames that the report is about: of each step of the cycle, else the sites. At most `room`,
// each place once, all with files. Returns their number.
size_t html_frames(const cJSON *record, const cJSON **frames, size_t room);

#endif
