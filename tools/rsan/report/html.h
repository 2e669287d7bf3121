// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts of the HTML page.

#ifndef HTML_H
#define HTML_H

#include <cjson/cJSON.h>
#include <stdio.h>

#include "collection.h"
#include "source.h"

extern const char html_style[];  // CSS
extern const char html_script[]; // the filters; without it everything is shown

// A violation's critical cycle, or a race, as an image with a column for each thread (SVG).
// Nothing for other types.
void html_diagram(const cJSON *record, FILE *out);

// The lines round the places of the frames, whose files are known and which it sorts: as far as the
// files are found as they are named, below --strip-prefix or below --sysroot.
// A file that has changed since the build is not shown.
void html_excerpts(const struct collection *collection, struct sources *sources,
                   const cJSON *record, const cJSON **frames, size_t count, FILE *out);

// The frames that the report is about, of each step of the cycle and the sites: each place once,
// all with files. Sets their number. The list is for free(), the frames are the record's.
const cJSON **html_frames(const cJSON *record, size_t *count);

// By what reports can be chosen: file, function, machine ("x86-64 no"), and the cause that makes a
// group of violations.
struct html_filters;
struct html_filters *html_filters_of(const struct collection *collection);
void html_filters_free(struct html_filters *filters);

// A selection for each filter that any report has a value for.
void html_filters_write_choices(const struct html_filters *filters, FILE *out);

// The attributes of a report's row and article, which the filters go by.
void html_filters_write_attributes(const struct html_filters *filters, const cJSON *record,
                                   FILE *out);

#endif
