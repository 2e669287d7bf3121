// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "token_line.h"

#include <stdlib.h>
#include <string.h>

#include "complain.h"
#include "record.h"
#include "token.h"

static const char identity_mark[] = "identity";

static struct source_frame source_of(const cJSON *frame) {
  return (struct source_frame){.function = (char *)record_text(frame, "function"),
                               .file = (char *)record_text(frame, "file"),
                               .line = (unsigned)record_number(frame, "line"),
                               .column = (unsigned)record_number(frame, "column")};
}

void frame_note_identity(cJSON *frame) {
  struct source_frame source = source_of(frame);
  char *identity = frame && !record_text(frame, identity_mark) ? token_identity(&source) : NULL;
  if (identity)
    cJSON_AddStringToObject(frame, identity_mark, identity);
  free(identity);
}

char *frame_token_line(const cJSON *frame, unsigned version) {
  struct source_frame source = source_of(frame);
  const char *module = record_text(frame, "offset") ? record_text(frame, "module") : NULL;
  const char *identity = version == 1 ? NULL : record_text(frame, identity_mark);
  return identity ? must_copy(identity, strlen(identity))
                  : token_line(&source, module, record_hex(frame, "offset"));
}

void record_forget_identities(cJSON *item) {
  cJSON *child;
  cJSON_DeleteItemFromObjectCaseSensitive(item, identity_mark);
  cJSON_ArrayForEach(child, item) record_forget_identities(child);
}
