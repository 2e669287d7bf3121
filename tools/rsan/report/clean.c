// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "clean.h"

#include <stdlib.h>
#include <string.h>

#include "base/shell.h"
#include "complain.h"
#include "printable.h"

static bool is_token(const char *text) {
  static const char letters[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ._-";
  size_t length = strlen(text);
  return length > 0 && length <= 64 && *text != '-' && !text[strspn(text, letters)];
}

// Returns whether the text is valid for its member. An invalid token or command would do more harm
// than a missing one.
static bool has_its_form(const cJSON *item) {
  const char *name = item->string;
  if (!name)
    return true;
  if (strcmp(name, "token") == 0 || strcmp(name, "token_v1") == 0)
    return is_token(item->valuestring);
  if (strcmp(name, "repeat") == 0 || strcmp(name, "command") == 0)
    return strlen(item->valuestring) <= CLEAN_LONGEST && shell_is_command(item->valuestring);
  return true;
}

// Members that nobody knows are passed on, so their names must be harmless, too.
static bool has_a_name(const cJSON *item) {
  static const char letters[] =
      "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ._-+";
  const char *name = item->string;
  return !name || (*name && strlen(name) <= 64 && !name[strspn(name, letters)]);
}

static void cut(char *text) {
  size_t end = CLEAN_LONGEST - strlen("...");
  if (strlen(text) <= CLEAN_LONGEST)
    return;
  while (end > 0 && ((unsigned char)text[end] & 0xc0) == 0x80) // within a sequence
    end--;
  strcpy(text + end, "...");
}

static bool clean_text(cJSON *item) {
  if (is_printable(item->valuestring) && strlen(item->valuestring) <= CLEAN_LONGEST)
    return false; // most texts: there may be millions
  char *text = printable(item->valuestring);
  cut(text);
  if (!cJSON_SetValuestring(item, text)) {
    complain(STATUS_FAILED, "out of memory");
    exit(STATUS_FAILED);
  }
  free(text);
  return true;
}

bool record_clean(cJSON *record) {
  bool changed = false;
  for (cJSON *item = record ? record->child : NULL, *next; item; item = next) {
    next = item->next;
    if (has_a_name(item) && !cJSON_IsString(item)) {
      changed |= record_clean(item);
    } else if (has_a_name(item) && has_its_form(item)) {
      changed |= clean_text(item);
    } else {
      cJSON_Delete(cJSON_DetachItemViaPointer(record, item));
      changed = true;
    }
  }
  return changed;
}
