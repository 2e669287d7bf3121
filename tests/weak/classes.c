// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "classes.h"

#include <inttypes.h>
#include <string.h>

// The operations on one location; the other location's follow.
static const struct letter {
  enum trace_op op;
  enum trace_order order;
} core[] = {{TRACE_LOAD, TRACE_RLX},     {TRACE_LOAD, TRACE_ACQ},     {TRACE_STORE, TRACE_RLX},
            {TRACE_STORE, TRACE_REL},    {TRACE_EXCHANGE, TRACE_RLX}, {TRACE_EXCHANGE, TRACE_ACQ},
            {TRACE_EXCHANGE, TRACE_REL}, {TRACE_EXCHANGE, TRACE_AR}},
  with_seq_cst[] = {{TRACE_LOAD, TRACE_RLX},    {TRACE_LOAD, TRACE_ACQ},   {TRACE_LOAD, TRACE_SC},
                    {TRACE_STORE, TRACE_RLX},   {TRACE_STORE, TRACE_REL},  {TRACE_STORE, TRACE_SC},
                    {TRACE_EXCHANGE, TRACE_AR}, {TRACE_EXCHANGE, TRACE_SC}};

enum { KINDS = 8, LETTERS = 2 * KINDS, ACCESSES = 4 };
_Static_assert(sizeof core == KINDS * sizeof *core, "as many letters");
_Static_assert(sizeof with_seq_cst == KINDS * sizeof *core, "as many letters");

static void make(bool seq_cst, const uint32_t word[ACCESSES], struct program *out) {
  memset(out, 0, sizeof *out);
  out->threads = 2;
  for (uint32_t i = 0; i < ACCESSES; i++) {
    const struct letter *letter = (seq_cst ? with_seq_cst : core) + word[i] % KINDS;
    struct trace_event *op = &out->ops[i / 2][out->length[i / 2]++];
    op->op = letter->op;
    op->order = letter->order;
    op->object = word[i] / KINDS;
    op->written = op->op == TRACE_LOAD ? 0 : i + 1;
  }
}

static uint32_t number_of(const uint32_t word[ACCESSES], bool swap_threads, bool swap_locations) {
  uint32_t number = 0;
  for (uint32_t i = 0; i < ACCESSES; i++) {
    uint32_t letter = word[swap_threads ? (i + 2) % ACCESSES : i];
    number = number * LETTERS + (swap_locations ? (letter + KINDS) % LETTERS : letter);
  }
  return number;
}

// Is it the first one of those that are the same?
static bool counts(const uint32_t word[ACCESSES]) {
  uint32_t number = number_of(word, false, false);
  return number <= number_of(word, true, false) && number <= number_of(word, false, true) &&
         number <= number_of(word, true, true);
}

static void judge(const struct program *program, struct class_result *result) {
  static struct outcomes allowed, sc, reached;
  memset(&allowed, 0, sizeof allowed);
  memset(&sc, 0, sizeof sc);
  memset(&reached, 0, sizeof reached);
  struct explored ignored = {0}, one = {0};
  outcomes_allowed(program, &allowed);
  explore(program, 0, 0, false, &ignored, &sc);
  explore(program, 0, ACCESSES, false, &one, &reached);
  uint64_t weak = 0, not_reached = 0;
  for (size_t i = 0; i < sizeof allowed.bits / sizeof *allowed.bits; i++) {
    weak += (uint64_t)__builtin_popcountll(allowed.bits[i] & ~sc.bits[i]);
    not_reached += (uint64_t)__builtin_popcountll(allowed.bits[i] & ~reached.bits[i]);
    one.inconsistent += (uint64_t)__builtin_popcountll(reached.bits[i] & ~allowed.bits[i]);
  }
  result->programs++;
  result->weak_programs += weak != 0;
  result->weak += weak;
  result->not_reached += not_reached;
  for (size_t k = 0; k < sizeof one / sizeof(uint64_t); k++)
    ((uint64_t *)&result->sum)[k] += ((uint64_t *)&one)[k];
  if (!not_reached && !explored_bad(&one))
    return;
  printf("difference: %" PRIu64 " of %" PRIu64 " weak outcomes not reached, %" PRIu64
         " inconsistent: ",
         not_reached, weak, one.inconsistent);
  program_print(stdout, program);
  putchar('\n');
}

void class_run(bool seq_cst, uint64_t one_of, uint64_t first, struct class_result *result) {
  uint64_t number = 0;
  for (uint32_t n = 0; n < LETTERS * LETTERS * LETTERS * LETTERS; n++) {
    uint32_t word[ACCESSES];
    for (uint32_t i = 0, rest = n; i < ACCESSES; i++, rest /= LETTERS)
      word[ACCESSES - 1 - i] = rest % LETTERS;
    struct program program;
    make(seq_cst, word, &program);
    if (counts(word) && has_seq_cst(&program) == seq_cst && number++ % one_of == first % one_of)
      judge(&program, result);
  }
}
