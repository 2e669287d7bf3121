// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "relation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void relation_reset(struct relation *r, size_t n) {
  r->n = n;
  r->words = relation_words(n);
  size_t needed = n * r->words;
  if (needed > r->capacity) {
    free(r->bits);
    r->bits = malloc(needed * sizeof *r->bits);
    if (!r->bits) {
      fprintf(stderr, "out of memory\n");
      abort();
    }
    r->capacity = needed;
  }
  if (needed)
    memset(r->bits, 0, needed * sizeof *r->bits);
}

void relation_free(struct relation *r) {
  free(r->bits);
  memset(r, 0, sizeof *r);
}

static inline void row_unite(uint64_t *out, const uint64_t *a, size_t words) {
  for (size_t w = 0; w < words; w++)
    out[w] |= a[w];
}

void relation_copy(struct relation *out, const struct relation *a) {
  relation_reset(out, a->n);
  relation_unite(out, a);
}

void relation_unite(struct relation *r, const struct relation *a) {
  row_unite(r->bits, a->bits, r->n * r->words);
}

void relation_add_identity(struct relation *r) {
  for (size_t a = 0; a < r->n; a++)
    relation_add(r, a, a);
}

void relation_compose(struct relation *out, const struct relation *a, const struct relation *b) {
  relation_reset(out, a->n);
  for (size_t x = 0; x < a->n; x++) {
    const uint64_t *row = relation_row(a, x);
    for (size_t w = 0; w < a->words; w++) {
      for (uint64_t rest = row[w]; rest; rest &= rest - 1) {
        size_t y = w * 64 + (size_t)__builtin_ctzll(rest);
        row_unite(relation_row(out, x), relation_row(b, y), a->words);
      }
    }
  }
}

void relation_inverse(struct relation *out, const struct relation *a) {
  relation_reset(out, a->n);
  for (size_t x = 0; x < a->n; x++)
    for (size_t y = 0; y < a->n; y++)
      if (relation_has(a, x, y))
        relation_add(out, y, x);
}

void relation_close(struct relation *r) {
  for (size_t k = 0; k < r->n; k++)
    for (size_t x = 0; x < r->n; x++)
      if (relation_has(r, x, k))
        row_unite(relation_row(r, x), relation_row(r, k), r->words);
}

bool relation_irreflexive(const struct relation *r) {
  for (size_t a = 0; a < r->n; a++)
    if (relation_has(r, a, a))
      return false;
  return true;
}

bool relation_empty(const struct relation *r) {
  for (size_t i = 0; i < r->n * r->words; i++)
    if (r->bits[i])
      return false;
  return true;
}

bool relation_equal(const struct relation *a, const struct relation *b) {
  if (a->n != b->n)
    return false;
  for (size_t i = 0; i < a->n * a->words; i++)
    if (a->bits[i] != b->bits[i])
      return false;
  return true;
}
