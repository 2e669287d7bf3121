// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A stack of one element in C, for rsan_structure.h: put() fails if there is one. With -DBROKEN two
// threads may put theirs at a time.

#include <stdatomic.h>
#include <stdlib.h>

#include "rsan_structure.h"

static void *create(const void *unused) {
  atomic_llong *slot = malloc(sizeof *slot);
  (void)unused;
  atomic_init(slot, 0);
  return slot;
}
static void destroy(void *slot, const void *unused) {
  (void)unused;
  free(slot);
}
static int64_t put(void *object, int64_t value, const void *unused) {
  atomic_llong *slot = object;
  long long empty = 0;
  (void)unused;
#ifdef BROKEN
  if (atomic_load(slot) != empty)
    return RSAN_RESULT_FALSE;
  atomic_store(slot, value);
  return RSAN_RESULT_TRUE;
#else
  return atomic_compare_exchange_strong(slot, &empty, value) ? RSAN_RESULT_TRUE : RSAN_RESULT_FALSE;
#endif
}
static int64_t take(void *object, int64_t value, const void *unused) {
  const long long found = atomic_exchange((atomic_llong *)object, 0);
  (void)value, (void)unused;
  return found ? found : RSAN_RESULT_NONE;
}

static const int64_t values[] = {-1, 5};
static const struct rsan_operation operations[] = {
    {.name = "put", .call = put, .values = values, .value_count = 2},
    {.name = "take", .call = take},
};
static const struct rsan_structure structure = {
    .name = "slot",
    .create = create,
    .destroy = destroy,
    .operations = operations,
    .operation_count = 2,
};

int main(int argc, char **argv) {
  return argc > 1 ? rsan_structure_check_only(&structure, argv[1])
                  : rsan_structure_check(&structure);
}
