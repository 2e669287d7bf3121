// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Binary relations over 0..n-1 as bit matrices, with the operators of the
// paper: union, composition, closure, inverse. Nothing is assumed about order:
// closure is Warshall's, so that no result rests on how a run was recorded.
//
// How to read the signatures: the result is the first argument and must be
// another object than the operands unless said otherwise. A zeroed struct is
// ready for relation_reset; relation_free returns its memory. Sets of elements
// are rows: relation_words(n) words of 64 bits.
#ifndef RSAN_TESTS_ORACLE_RELATION_H
#define RSAN_TESTS_ORACLE_RELATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct relation {
  size_t n;
  size_t words; // in a row
  size_t capacity;
  uint64_t *bits;
};

static inline size_t relation_words(size_t n) {
  return (n + 63) / 64;
}

static inline uint64_t *relation_row(const struct relation *r, size_t a) {
  return r->bits + a * r->words;
}

static inline bool relation_has(const struct relation *r, size_t a, size_t b) {
  return relation_row(r, a)[b / 64] >> (b % 64) & 1;
}

static inline void relation_add(struct relation *r, size_t a, size_t b) {
  relation_row(r, a)[b / 64] |= (uint64_t)1 << (b % 64);
}

void relation_reset(struct relation *r, size_t n); // the empty relation
void relation_free(struct relation *r);
void relation_copy(struct relation *out, const struct relation *a);
void relation_unite(struct relation *r, const struct relation *a); // r ∪= a
void relation_add_identity(struct relation *r);                    // r ∪= id
void relation_compose(struct relation *out, const struct relation *a,
                      const struct relation *b); // a ; b
void relation_inverse(struct relation *out, const struct relation *a);
void relation_close(struct relation *r); // r := r^+
bool relation_irreflexive(const struct relation *r);
bool relation_empty(const struct relation *r);
bool relation_equal(const struct relation *a, const struct relation *b);

#endif
