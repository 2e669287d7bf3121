// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small programs. A program has an execution on the target that is not SC exactly when some step of
// an interleaving is flagged, by the definitions and by the engine, which agree on every step.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "judge.h"

struct exploration {
  struct judge *judge;
  enum target_model model;
  const struct program *program; // as written, not as mapped
  uint64_t steps, interleavings, flagged;
  bool differs;
};

// The run as the program's own operations have it: a compare-exchange that the machine has as a
// strong one may be weak there.
static void unmap(const struct program *program, struct trace *trace, enum trace_op *mapped) {
  uint32_t done[PROGRAM_MAX_THREADS] = {0};
  for (size_t i = 0; i < trace->count; i++) {
    struct trace_event *event = &trace->events[i];
    mapped[i] = event->op;
    uint32_t index = done[event->thread]++;
    if (event->op == TRACE_STRONG_CAS)
      event->op = program->ops[event->thread][index].op;
  }
}

static bool agree(struct exploration *exploration, struct trace *trace) {
  struct judge *judge = exploration->judge;
  enum trace_op mapped[2 * PROGRAM_MAX_THREADS * PROGRAM_MAX_OPS];
  judge_define(judge, exploration->model, trace);
  unmap(exploration->program, trace, mapped);
  judge_engine(exploration->model, RSAN_HISTORY_EXACT, false, trace, &judge->flags, NULL);
  bool same = trace_indices_equal(&judge->expected, &judge->flags);
  if (!same) {
    printf("difference: the engine and the definitions, in a run of\n  ");
    program_print(stdout, exploration->program);
    printf("\n  ");
    trace_write(stdout, trace);
    trace_write_verdict(stdout, "definitions", &judge->expected, &(struct trace_indices){0});
    trace_write_verdict(stdout, "engine", &judge->flags, &(struct trace_indices){0});
  }
  for (size_t i = 0; i < trace->count; i++)
    trace->events[i].op = mapped[i];
  return same;
}

static bool step(void *context, struct enumerate_state *state) {
  struct exploration *exploration = context;
  exploration->steps++;
  if (!agree(exploration, &state->trace)) {
    exploration->differs = true;
    return false;
  }
  const struct trace_indices *flags = &exploration->judge->expected;
  // Flags before the last step were seen with an earlier one.
  if (flags->count && flags->at[flags->count - 1] + 1 == state->trace.count)
    exploration->flagged++;
  return true;
}

static void print_program(enum target_model model, uint64_t index, uint64_t seed,
                          const struct program *program, bool robust, bool flagged) {
  printf("difference: program %" PRIu64 " of seed %" PRIu64 " on %s: %s, %s: ", index, seed,
         target_model_names[model], robust ? "robust" : "not robust",
         flagged ? "flagged" : "not flagged");
  program_print(stdout, program);
  putchar('\n');
}

static void draw_program(uint64_t seed, struct program *program) {
  struct rng rng = {seed};
  struct program_params params;
  program_params_default(&params);
  params.locations = rng_between(&rng, 2, 3);
  params.max_ops = rng_between(&rng, 6, 9);
  if (rng_percent(&rng, 50))
    params.sc_percent = rng_between(&rng, 5, 60);
  if (rng_percent(&rng, 60)) // else nearly all are robust
    params.rmw_percent = params.fence_percent = rng_below(&rng, 15);
  program_random(&params, rng_next(&rng), program);
}

bool programs_random(enum target_model model, uint64_t first, uint64_t count, uint64_t seed) {
  struct judge judge = {0};
  uint64_t steps = 0, graphs = 0, robust_ones = 0;
  bool fine = true;
  for (uint64_t i = first; fine && i < first + count; i++) {
    struct program program, mapped;
    uint64_t more;
    draw_program(rng_derive(seed, i), &program);
    bool robust = target_robust(model, &program, &more);
    struct exploration exploration = {.judge = &judge, .model = model, .program = &program};
    target_map_program(model, &program, &mapped);
    enumerate(&mapped, ENUMERATE_SC, step, &exploration, NULL);
    graphs += more;
    steps += exploration.steps;
    robust_ones += robust;
    if (!exploration.differs && robust == !exploration.flagged)
      continue;
    fine = false;
    print_program(model, i, seed, &program, robust, exploration.flagged != 0);
  }
  printf("seed %" PRIu64 ": %" PRIu64 " programs on %s, %" PRIu64 " not robust, %" PRIu64
         " executions, %" PRIu64 " steps, %s\n",
         seed, count, target_model_names[model], count - robust_ones, graphs, steps,
         fine ? "no difference" : "a difference");
  judge_free(&judge);
  return fine;
}

static bool same_outcomes(const struct target_outcomes *a, const struct target_outcomes *b) {
  if (a->count != b->count)
    return false;
  for (size_t i = 0; i < a->count; i++)
    if (strcmp(a->at[i], b->at[i]) != 0)
      return false;
  return true;
}

bool programs_machine(uint64_t count, uint64_t seed) {
  uint64_t outcomes = 0;
  bool fine = true;
  for (uint64_t i = 0; fine && i < count; i++) {
    struct program_params params;
    struct program drawn, program;
    struct target_outcomes machine = {0}, axioms = {0};
    program_params_default(&params);
    params.max_ops = 6;
    params.sc_percent = i % 3 ? 0 : 30;
    program_random(&params, rng_derive(seed, i), &drawn);
    target_map_program(TARGET_X86, &drawn, &program);
    target_outcomes_machine(&program, &machine);
    target_outcomes_axioms(&program, &axioms);
    outcomes += machine.count;
    fine = same_outcomes(&machine, &axioms);
    if (!fine) {
      printf("difference: program %" PRIu64 " of seed %" PRIu64 ": %zu by store buffers, %zu by "
             "axioms: ",
             i, seed, machine.count, axioms.count);
      program_print(stdout, &program);
      putchar('\n');
    }
    target_outcomes_free(&machine);
    target_outcomes_free(&axioms);
  }
  printf("seed %" PRIu64 ": %" PRIu64 " programs, %" PRIu64 " executions, store buffers and axioms "
         "%s\n",
         seed, count, outcomes, fine ? "agree" : "differ");
  return fine;
}

static const struct litmus {
  const char *name, *relaxed, *ordered; // relaxed; release and acquire
  // Y: not robust, n: robust, m: not robust unless dependencies see to it; of the two. "": not
  // asked.
  const char *c11, *x86, *ldar, *ldapr;
} litmus[] = {
    {"SB", "st 0 rlx 1; ld 1 rlx | st 1 rlx 1; ld 0 rlx",
     "st 0 rel 1; ld 1 acq | st 1 rel 1; ld 0 acq", "YY", "YY", "Yn", "YY"},
    {"R", "st 0 rlx 1; st 1 rlx 1 | st 1 rlx 2; ld 0 rlx",
     "st 0 rel 1; st 1 rel 1 | st 1 rel 2; ld 0 acq", "YY", "YY", "Yn", "YY"},
    {"RWC", "st 0 rlx 1 | ld 0 rlx; ld 1 rlx | st 1 rlx 1; ld 0 rlx",
     "st 0 rel 1 | ld 0 acq; ld 1 acq | st 1 rel 1; ld 0 acq", "YY", "YY", "Yn", "YY"},
    {"Z6.U", "st 0 rlx 1; st 1 rlx 1 | ld 1 rlx; st 2 rlx 1 | st 2 rlx 2; ld 0 rlx",
     "st 0 rel 1; st 1 rel 1 | ld 1 acq; st 2 rel 1 | st 2 rel 2; ld 0 acq", "YY", "YY", "Yn",
     "YY"},
    {"MP", "st 0 rlx 1; st 1 rlx 1 | ld 1 rlx; ld 0 rlx",
     "st 0 rel 1; st 1 rel 1 | ld 1 acq; ld 0 acq", "Yn", "nn", "Yn", "Yn"},
    {"MP, release sequence", "st 0 rlx 1; st 1 rlx 1; xc 1 rlx 2 | ld 1 rlx; ld 0 rlx",
     "st 0 rlx 1; st 1 rel 1; xc 1 rlx 2 | ld 1 acq; ld 0 rlx", "Yn", "nn", "Yn", "Yn"},
    {"S", "st 0 rlx 2; st 1 rlx 1 | ld 1 rlx; st 0 rlx 1",
     "st 0 rel 2; st 1 rel 1 | ld 1 acq; st 0 rel 1", "Yn", "nn", "Yn", "Yn"},
    {"ISA2", "st 0 rlx 1; st 1 rlx 1 | ld 1 rlx; st 2 rlx 1 | ld 2 rlx; ld 0 rlx",
     "st 0 rel 1; st 1 rel 1 | ld 1 acq; st 2 rel 1 | ld 2 acq; ld 0 acq", "Yn", "nn", "Yn", "Yn"},
    {"WRC", "st 0 rlx 1 | ld 0 rlx; st 1 rlx 1 | ld 1 rlx; ld 0 rlx",
     "st 0 rel 1 | ld 0 acq; st 1 rel 1 | ld 1 acq; ld 0 acq", "Yn", "nn", "mn", "mn"},
    {"WWC", "st 0 rlx 2 | ld 0 rlx; st 1 rlx 1 | ld 1 rlx; st 0 rlx 1",
     "st 0 rel 2 | ld 0 acq; st 1 rel 1 | ld 1 acq; st 0 rel 1", "Yn", "nn", "mn", "mn"},
    {"2+2W", "st 0 rlx 1; st 1 rlx 2 | st 1 rlx 1; st 0 rlx 2",
     "st 0 rel 1; st 1 rel 2 | st 1 rel 1; st 0 rel 2", "YY", "nn", "Yn", "Yn"},
    {"Z6.3", "st 0 rlx 1; st 1 rlx 1 | st 1 rlx 2; st 2 rlx 1 | ld 2 rlx; ld 0 rlx",
     "st 0 rel 1; st 1 rel 1 | st 1 rel 2; st 2 rel 1 | ld 2 acq; ld 0 acq", "YY", "nn", "Yn",
     "Yn"},
    {"IRIW", "st 0 rlx 1 | st 1 rlx 1 | ld 0 rlx; ld 1 rlx | ld 1 rlx; ld 0 rlx",
     "st 0 rel 1 | st 1 rel 1 | ld 0 acq; ld 1 acq | ld 1 acq; ld 0 acq", "YY", "nn", "mn", "mn"},
    {"SB, seq_cst stores", "st 0 sc 1; ld 1 rlx | st 1 sc 1; ld 0 rlx",
     "st 0 sc 1; ld 1 acq | st 1 sc 1; ld 0 acq", "??", "nn", "", ""},
    {"SB, seq_cst loads", "st 0 rlx 1; ld 1 sc | st 1 rlx 1; ld 0 sc",
     "st 0 rel 1; ld 1 sc | st 1 rel 1; ld 0 sc", "??", "YY", "", ""},
    {"SB, SC fences", "st 0 rlx 1; fn sc; ld 1 rlx | st 1 rlx 1; fn sc; ld 0 rlx",
     "st 0 rel 1; fn sc; ld 1 acq | st 1 rel 1; fn sc; ld 0 acq", "nn", "nn", "nn", "nn"},
    {"SB, exchanges", "xc 0 rlx 1; ld 1 rlx | xc 1 rlx 1; ld 0 rlx",
     "xc 0 ar 1; ld 1 acq | xc 1 ar 1; ld 0 acq", "YY", "nn", "Yn", "YY"},
    {"SB, forwarded", "st 0 rlx 1; ld 0 rlx; ld 1 rlx | st 1 rlx 1; ld 1 rlx; ld 0 rlx",
     "st 0 rel 1; ld 0 acq; ld 1 acq | st 1 rel 1; ld 1 acq; ld 0 acq", "YY", "YY", "", ""},
};

struct verdict {
  bool robust, agrees;
  uint64_t flagged, steps;
};

static struct verdict look(enum target_model model, const struct program *program) {
  struct judge judge = {0};
  struct program mapped;
  struct exploration exploration = {.judge = &judge, .model = model, .program = program};
  struct verdict verdict = {.robust = target_robust(model, program, NULL)};
  target_map_program(model, program, &mapped);
  enumerate(&mapped, ENUMERATE_SC, step, &exploration, NULL);
  verdict.flagged = exploration.flagged;
  verdict.steps = exploration.steps;
  verdict.agrees = !exploration.differs && verdict.robust == !exploration.flagged;
  judge_free(&judge);
  return verdict;
}

// ARMv8, by all executions alone: definitely, maybe (without a dependency), or not.
static bool check_arm(const char *name, const char *expected, enum target_model may,
                      enum target_model definite, unsigned which, const struct program *program) {
  if (!*expected)
    return true;
  char found = !target_robust(definite, program, NULL) ? 'Y'
               : !target_robust(may, program, NULL)    ? 'm'
                                                       : 'n';
  printf("  %s %c", name, found);
  return found == expected[which];
}

static bool check_litmus(const struct litmus *l, unsigned which) {
  const char *text = which ? l->ordered : l->relaxed, *reason;
  struct program program;
  if (!program_parse_sc(text, &program, &reason)) {
    printf("%s: %s\n", l->name, reason);
    return false;
  }
  bool fine = true;
  printf("%-20s %-8s", l->name, which ? "rel/acq" : "relaxed");
  if (l->c11[which] != '?') {
    char found = enumerate_robust(&program, NULL) ? 'n' : 'Y';
    printf(" C11 %c", found);
    fine = found == l->c11[which];
  } else {
    printf("      ");
  }
  struct verdict verdict = look(TARGET_X86, &program);
  printf("  x86 %c", verdict.robust ? 'n' : 'Y');
  fine = fine && verdict.agrees && (verdict.robust ? 'n' : 'Y') == l->x86[which];
  fine =
      check_arm("ARM ldar", l->ldar, TARGET_ARM_LDAR, TARGET_ARM_LDAR_DEFINITE, which, &program) &&
      fine;
  fine = check_arm("ldapr", l->ldapr, TARGET_ARM, TARGET_ARM_DEFINITE, which, &program) && fine;
  puts(fine ? "" : "  <- not as it should be");
  return fine;
}

bool programs_litmus(void) {
  bool fine = true;
  for (size_t i = 0; i < sizeof litmus / sizeof *litmus; i++)
    for (unsigned which = 0; which < 2; which++)
      fine = check_litmus(&litmus[i], which) && fine;
  return fine;
}

bool programs_one(const char *text) {
  struct program program;
  const char *reason;
  if (!program_parse_sc(text, &program, &reason)) {
    fprintf(stderr, "program: %s\n", reason);
    exit(2);
  }
  bool fine = true;
  for (int model = 0; model < TARGET_MODEL_COUNT; model++) {
    struct verdict verdict = look((enum target_model)model, &program);
    printf("%s: %s, flagged in %" PRIu64 " of %" PRIu64 " steps\n", target_model_names[model],
           verdict.robust ? "robust" : "not robust", verdict.flagged, verdict.steps);
    fine = fine && verdict.agrees;
  }
  return fine;
}
