// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Relations against the textbook definitions, element by element, on sizes
// around the word boundary.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h> // needs the above

#include "relation.h"
#include "rng.h"

static const size_t sizes[] = {0, 1, 2, 7, 63, 64, 65, 130};
enum { SIZES = sizeof sizes / sizeof *sizes };

static void fill(struct relation *r, size_t n, struct rng *rng) {
  relation_reset(r, n);
  for (size_t edge = 0; n && edge < n + n / 4; edge++)
    relation_add(r, rng_below(rng, (uint32_t)n), rng_below(rng, (uint32_t)n));
}

static void test_reset_empties(void **state) {
  (void)state;
  struct relation r = {0};
  for (size_t i = SIZES; i-- > 0;) {
    relation_reset(&r, sizes[i]);
    assert_true(relation_empty(&r));
    if (!sizes[i])
      continue;
    relation_add(&r, sizes[i] - 1, sizes[i] - 1);
    assert_false(relation_empty(&r));
    assert_false(relation_irreflexive(&r));
  }
  relation_free(&r);
}

static void test_compose(void **state) {
  (void)state;
  struct relation a = {0}, b = {0}, out = {0};
  struct rng rng = {1};
  for (size_t i = 0; i < SIZES; i++) {
    size_t n = sizes[i];
    fill(&a, n, &rng);
    fill(&b, n, &rng);
    relation_compose(&out, &a, &b);
    for (size_t x = 0; x < n; x++) {
      for (size_t z = 0; z < n; z++) {
        bool expected = false;
        for (size_t y = 0; y < n; y++)
          expected |= relation_has(&a, x, y) && relation_has(&b, y, z);
        assert_int_equal(relation_has(&out, x, z), expected);
      }
    }
  }
  relation_free(&a);
  relation_free(&b);
  relation_free(&out);
}

static void test_inverse_and_unite(void **state) {
  (void)state;
  struct relation a = {0}, inverse = {0}, back = {0};
  struct rng rng = {2};
  for (size_t i = 0; i < SIZES; i++) {
    size_t n = sizes[i];
    fill(&a, n, &rng);
    relation_inverse(&inverse, &a);
    for (size_t x = 0; x < n; x++)
      for (size_t y = 0; y < n; y++)
        assert_int_equal(relation_has(&a, x, y), relation_has(&inverse, y, x));
    relation_inverse(&back, &inverse);
    assert_true(relation_equal(&a, &back));
    relation_unite(&back, &inverse);
    for (size_t x = 0; x < n; x++)
      for (size_t y = 0; y < n; y++)
        assert_int_equal(relation_has(&back, x, y),
                         relation_has(&a, x, y) | relation_has(&a, y, x));
  }
  relation_free(&a);
  relation_free(&inverse);
  relation_free(&back);
}

// Breadth-first reachability in one step or more.
static void reach(const struct relation *r, size_t from, bool *reached) {
  size_t queue[256], head = 0, tail = 0;
  for (size_t y = 0; y < r->n; y++)
    reached[y] = false;
  queue[tail++] = from;
  while (head < tail) {
    size_t x = queue[head++];
    for (size_t y = 0; y < r->n; y++) {
      if (!relation_has(r, x, y) || reached[y])
        continue;
      reached[y] = true;
      queue[tail++] = y;
    }
  }
}

static void test_closure(void **state) {
  (void)state;
  struct relation a = {0}, closed = {0};
  struct rng rng = {3};
  bool reached[256];
  for (size_t i = 0; i < SIZES; i++) {
    size_t n = sizes[i];
    fill(&a, n, &rng);
    relation_copy(&closed, &a);
    relation_close(&closed);
    for (size_t x = 0; x < n; x++) {
      reach(&a, x, reached);
      for (size_t y = 0; y < n; y++)
        assert_int_equal(relation_has(&closed, x, y), reached[y]);
    }
  }
  relation_free(&a);
  relation_free(&closed);
}

static void test_cycle(void **state) {
  (void)state;
  struct relation r = {0};
  relation_reset(&r, 70);
  for (size_t x = 0; x + 1 < 70; x++)
    relation_add(&r, x, x + 1);
  relation_close(&r);
  assert_true(relation_irreflexive(&r));
  assert_true(relation_has(&r, 0, 69));
  assert_false(relation_has(&r, 69, 0));
  relation_add(&r, 69, 0);
  relation_close(&r);
  assert_false(relation_irreflexive(&r));
  relation_free(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_reset_empties),
      cmocka_unit_test(test_compose),
      cmocka_unit_test(test_inverse_and_unite),
      cmocka_unit_test(test_closure),
      cmocka_unit_test(test_cycle),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
