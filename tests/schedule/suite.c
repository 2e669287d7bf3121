// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All tests of schedules as one program, which tests/mutation links with a core that has an error:
//
//   GROUP [TEST]   the tests of test_GROUP.c, or the one that has this name
//
// It prints a line `difference: ...` if a test fails.

#include "unit.h"

#include <stdlib.h>
#include <string.h>

// The groups' main functions, which are renamed as they are compiled for this program.
#define GROUPS(X)                                                                                  \
  X(blocking)                                                                                      \
  X(deadlock)                                                                                      \
  X(dpor)                                                                                          \
  X(explored)                                                                                      \
  X(explored_bounds)                                                                               \
  X(explored_turns)                                                                                \
  X(holders)                                                                                       \
  X(levels)                                                                                        \
  X(livelock)                                                                                      \
  X(memory)                                                                                        \
  X(pct)                                                                                           \
  X(policies)                                                                                      \
  X(record)                                                                                        \
  X(replay)                                                                                        \
  X(turns)                                                                                         \
  X(waiting)

#define DECLARE(name) int main_of_##name(void);
GROUPS(DECLARE)

static const struct {
  const char *name;
  int (*run)(void);
} groups[] = {
#define LIST(name) {#name, main_of_##name},
    GROUPS(LIST)
#undef LIST
};

int main(int argc, char **argv) {
  for (size_t i = 0; argc > 1 && i < sizeof groups / sizeof *groups; i++) {
    if (strcmp(argv[1], groups[i].name) != 0)
      continue;
    if (argc > 2)
      cmocka_set_test_filter(argv[2]);
    int failed = groups[i].run();
    if (failed)
      printf("difference: %d tests of %s fail\n", failed, argv[1]);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
  }
  fprintf(stderr, "usage: %s GROUP [TEST], where GROUP is the name of a file test_GROUP.c\n",
          argv[0]);
  return 2;
}
