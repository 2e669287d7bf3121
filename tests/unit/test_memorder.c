// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rsan/memorder.h: what each memory order does.

#include "unit.h"

#include "memorder.h"

static const struct {
  int compiler; // the number that clang passes to the runtime
  enum rsan_order order;
  bool acquires, releases;
} orders[] = {
    {__ATOMIC_RELAXED, RSAN_RELAXED, false, false}, {__ATOMIC_CONSUME, RSAN_CONSUME, true, false},
    {__ATOMIC_ACQUIRE, RSAN_ACQUIRE, true, false},  {__ATOMIC_RELEASE, RSAN_RELEASE, false, true},
    {__ATOMIC_ACQ_REL, RSAN_ACQ_REL, true, true},   {__ATOMIC_SEQ_CST, RSAN_SEQ_CST, true, true},
};

enum { ORDERS = sizeof orders / sizeof orders[0] };

static void orders_have_the_compilers_numbers(void **state) {
  (void)state;
  for (unsigned i = 0; i < ORDERS; i++)
    assert_int_equal(orders[i].compiler, orders[i].order);
}

static void consume_acquire_acqrel_seqcst_acquire(void **state) {
  (void)state;
  for (unsigned i = 0; i < ORDERS; i++)
    assert_int_equal(rsan_order_acquires(orders[i].order), orders[i].acquires);
}

static void release_acqrel_seqcst_release(void **state) {
  (void)state;
  for (unsigned i = 0; i < ORDERS; i++)
    assert_int_equal(rsan_order_releases(orders[i].order), orders[i].releases);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(orders_have_the_compilers_numbers),
      cmocka_unit_test(consume_acquire_acqrel_seqcst_acquire),
      cmocka_unit_test(release_acqrel_seqcst_release),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
