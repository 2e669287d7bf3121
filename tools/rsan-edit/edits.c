// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "edits.h"

#include <stdlib.h>
#include <string.h>

bool edits_add(struct edits *edits, unsigned offset, unsigned length, enum edit_class class,
               unsigned begin, const char *text) {
  for (size_t i = 0; i < edits->count; i++) {
    const struct edit *old = &edits->at[i];
    if (old->offset == offset && old->length == length && old->class == class &&
        strcmp(old->text, text) == 0 && (old->begin == begin || class != EDIT_CLOSE))
      return true;
    if (length && old->length && offset < old->offset + old->length &&
        old->offset < offset + length)
      return false;
  }
  struct edit edit = {offset, length, class, begin, strdup(text)};
  edits->at = realloc(edits->at, (edits->count + 1) * sizeof *edits->at);
  if (!edits->at || !edit.text)
    abort();
  edits->at[edits->count++] = edit;
  return true;
}

struct edit *edits_replacement(const struct edits *edits, unsigned offset, unsigned length) {
  for (size_t i = 0; i < edits->count; i++)
    if (edits->at[i].offset == offset && edits->at[i].length == length && length)
      return &edits->at[i];
  return NULL;
}

void edit_set_text(struct edit *edit, const char *text) {
  free(edit->text);
  edit->text = strdup(text);
  if (!edit->text)
    abort();
}

// Insertions first, then what is replaced at the same place.
static int compare(const void *a, const void *b) {
  const struct edit *x = a, *y = b;
  if (x->offset != y->offset)
    return x->offset < y->offset ? -1 : 1;
  if (!x->length != !y->length)
    return x->length ? 1 : -1;
  if (x->class != y->class)
    return x->class < y->class ? -1 : 1;
  if (x->class == EDIT_CLOSE && x->begin != y->begin)
    return x->begin > y->begin ? -1 : 1;
  return strcmp(x->text, y->text);
}

void edits_merge(struct edits *edits) {
  size_t kept = 0;
  if (edits->count)
    qsort(edits->at, edits->count, sizeof *edits->at, compare);
  for (size_t i = 0; i < edits->count; i++) {
    struct edit *edit = &edits->at[i], *last = kept ? &edits->at[kept - 1] : NULL;
    if (!last || last->offset != edit->offset) {
      edits->at[kept++] = *edit;
      continue;
    }
    size_t length = strlen(last->text);
    last->text = realloc(last->text, length + strlen(edit->text) + 1);
    if (!last->text)
      abort();
    strcpy(last->text + length, edit->text);
    last->length += edit->length;
    free(edit->text);
  }
  edits->count = kept;
}

char *edits_apply(const struct edits *edits, const char *text) {
  size_t size = strlen(text) + 1;
  for (size_t i = 0; i < edits->count; i++)
    size += strlen(edits->at[i].text);
  char *result = malloc(size), *to = result;
  if (!result)
    abort();
  size_t from = 0;
  for (size_t i = 0; i < edits->count; i++) {
    const struct edit *edit = &edits->at[i];
    memcpy(to, text + from, edit->offset - from);
    to += edit->offset - from;
    size_t length = strlen(edit->text);
    memcpy(to, edit->text, length);
    to += length;
    from = edit->offset + edit->length;
  }
  strcpy(to, text + from);
  return result;
}

void edits_free(struct edits *edits) {
  for (size_t i = 0; i < edits->count; i++)
    free(edits->at[i].text);
  free(edits->at);
  *edits = (struct edits){0};
}
