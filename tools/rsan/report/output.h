// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The collected reports in each format.

#ifndef OUTPUT_H
#define OUTPUT_H

#include <stdio.h>

#include "collection.h"

void write_text(const struct collection *collection, FILE *out);
void write_summary(const struct collection *collection, FILE *out);
void write_short_lines(const struct collection *collection, FILE *out);
void write_json(const struct collection *collection, FILE *out);
void write_sarif(const struct collection *collection, FILE *out);
void write_junit(const struct collection *collection, FILE *out);
void write_html(const struct collection *collection, FILE *out);
void write_markdown(const struct collection *collection, FILE *out);
void write_github(const struct collection *collection, FILE *out);
void write_gitlab(const struct collection *collection, FILE *out);
void write_suppressions(const struct collection *collection, FILE *out);

// The reports in full if they are at most so many, else the summary.
enum { REPORTS_IN_FULL = 20 };
void write_default(const struct collection *collection, FILE *out);

// One report in the text form; a stack of it, and an empty line.
void write_report(const cJSON *record, FILE *out);
void write_stack(const cJSON *stack, FILE *out);

// The steps of its cycle and the repairs, as the runtime prints them; nothing if there are none.
void write_cycle(const cJSON *record, FILE *out);
void write_repairs(const cJSON *record, FILE *out);

// A value of a record, "0x..." of any length: a number, if it has at most eight digits.
void write_bits(const char *text, FILE *out);

// `expected 2 and would read 0 in place of 1`, of a record that has values.
void write_values(const cJSON *record, FILE *out);

// `The write left bytes 2-3 of the 4 bytes of this access.`, of a record whose accesses have not
// the same bytes.
bool has_other_bytes(const cJSON *record);
void write_other_bytes(const cJSON *record, FILE *out);

// `Checked again by compare-exchange at ...`, a sentence, of a record that has that.
void write_recheck(const cJSON *record, FILE *out);

// The function's own name: `push`, `operator==`, `lambda in run`; nothing of NULL.
void write_own_name(const char *function, FILE *out);

// `file:line:column`, else `module+0xoffset`, else `function`, of a frame or NULL.
void write_position(const cJSON *frame, FILE *out);

// The same, and ` in function`; nothing of NULL.
void write_site(const cJSON *site, FILE *out);

// Writes the two places of a violation, in two lines: `robustness violation SITE' and
// `  may miss the write SITE' (or `may be ordered before').
void write_violation_sites(const cJSON *record, FILE *out);

// `2 robustness violations, 1 data race; 7 reports in 3 runs`
void write_totals(const struct collection *collection, FILE *out);

// Writes the totals, and what could not be checked, as the last line of a text.
void write_end(const struct collection *collection, FILE *out);

// Writes the object or array as JSON, with indentation, and deletes it.
void write_object(cJSON *object, FILE *out);

// Opens a stream that makes a string for free(); ends the program if there is no memory.
FILE *open_text(char **text, size_t *size);

// "<null>" for NULL, as the runtime prints it.
const char *or_unknown(const char *text);

// One sentence of what the report says, without a final dot, as a string for free().
char *sentence(const cJSON *record);

// What the report is about, without lines and addresses, as a string for free(): `data race of x:
// put (q.c), get (q.c)`.
char *finding_words(const cJSON *record);

// "robustness-violation" of "robustness violation", "data-race", "data-race-on-vptr" ...: of what
// comes before a parenthesis, as a string for free().
char *rule_id(const char *type);

// Text for the content and the attributes of XML and HTML. Marks that turn the direction of text
// are written as `\xe2\x80\xae`, byte by byte, for they would make a reader see another name.
void write_escaped(const char *text, FILE *out);

#endif
