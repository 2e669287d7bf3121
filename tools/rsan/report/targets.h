// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which machines show a violation: the member "targets" of a record, {"c11":"yes","x86":"no"}.

#ifndef TARGETS_H
#define TARGETS_H

#include <cjson/cJSON.h>
#include <stdio.h>

// Into the record of a report, what another one of the same violation says: of each target the
// stronger answer.
void targets_merge(cJSON *record, const cJSON *other);

// `  Observable on: C11 yes, x86-64 no` and an empty line; nothing if the record has none.
void write_targets(const cJSON *record, FILE *out);

// `x86-64 no`: one of the members of "targets" as the text has it, for free().
char *target_answer(const cJSON *target);

#endif
