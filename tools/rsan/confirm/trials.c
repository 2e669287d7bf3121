// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "trials.h"

#include <stdlib.h>
#include <string.h>

#include "need.h"
#include "run/departures.h"

enum {
  TWINS = 3,              // runs without departures for a seed that does not repeat a run
  ENOUGH_FAILURES = 3,    // of a kind stronger than a report: no more tries of the violation
  MAX_TRIES_PER_RUN = 4,  // tries, for each run with departures that is asked for
  ENOUGH_ALIKE = 2,       // runs that fail alike, for a failure that counts
  MAX_AGAIN = 3,          // times that a run is made again for that
  MAX_REPEATS_OF_RUN = 8, // each with another departure alone
  MAX_REPEATED = 3,       // runs of a violation that are repeated
};

struct violation *trials_violation(struct trials *trials, const char *token, const char *place) {
  for (size_t i = 0; i < trials->violation_count; i++)
    if (strcmp(trials->violation[i].token, token) == 0)
      return &trials->violation[i];
  size_t size = (trials->violation_count + 1) * sizeof *trials->violation;
  trials->violation = need(realloc(trials->violation, size));
  struct violation *violation = &trials->violation[trials->violation_count++];
  *violation = (struct violation){.token = need(strdup(token)), .place = need(strdup(place))};
  return violation;
}

// -- which failures count --

static unsigned count_controls(const struct trials *trials, unsigned seed) {
  size_t index = seed - trials->first_seed;
  return index < trials->seed_count ? trials->by_seed[index] : 0;
}

static bool has_twins(const struct trials *trials, unsigned seed) {
  return count_controls(trials, seed) >= (recipe_is_repeatable(seed) ? 1 : TWINS);
}

// Had its departures come to an end?
static bool has_ceased(const struct made *made) {
  return made->ceased || made->most >= made->trial.recipe.departures;
}

// The strongest failure that no run without departures has, with that seed or another.
static const struct failure *own_failure(const struct trials *trials, const struct made *made) {
  const struct failure *best = NULL;
  for (size_t i = 0; i < made->outcome.count; i++) {
    const struct failure *failure = &made->outcome.at[i];
    if ((best && best->kind <= failure->kind) || outcome_has(&trials->without, failure) ||
        (failure->kind == FAILURE_HANG && !has_ceased(made)))
      continue;
    best = failure;
  }
  return best;
}

const struct failure *trials_failure(const struct trials *trials, const struct made *made) {
  return has_twins(trials, made->trial.recipe.seed) ? own_failure(trials, made) : NULL;
}

// Is A a better example of a failure than B?
static bool is_better(const struct trials *trials, const struct made *a, const struct made *b) {
  const struct failure *x = trials_failure(trials, a), *y = b ? trials_failure(trials, b) : NULL;
  if (!x || !y)
    return x;
  if (x->kind != y->kind)
    return x->kind < y->kind;
  if (a->departures != b->departures)
    return a->departures < b->departures;
  return recipe_is_repeatable(a->trial.recipe.seed) > recipe_is_repeatable(b->trial.recipe.seed);
}

unsigned trials_failed(const struct trials *trials, const struct violation *violation,
                       const struct failure *failure) {
  unsigned count = 0;
  for (size_t i = 0; i < violation->failed_count; i++) {
    const struct failure *own = trials_failure(trials, &violation->failed[i]);
    count += own && own->kind == failure->kind && strcmp(own->key, failure->key) == 0;
  }
  return count;
}

static const struct failure hang = {.kind = FAILURE_HANG, .key = (char *)""};

// Did it hang while it was given stale values, as no run without departures does?
static bool is_unfair(const struct trials *trials, const struct made *made) {
  return !has_ceased(made) && outcome_has(&made->outcome, &hang) &&
         !outcome_has(&trials->without, &hang);
}

const struct made *trials_best(const struct trials *trials, const struct violation *violation) {
  const struct made *best = NULL;
  for (size_t i = 0; i < violation->failed_count; i++) {
    const struct failure *failure = trials_failure(trials, &violation->failed[i]);
    if (failure && trials_failed(trials, violation, failure) >= ENOUGH_ALIKE &&
        is_better(trials, &violation->failed[i], best))
      best = &violation->failed[i];
  }
  return best;
}

bool trials_is_suspect(const struct trials *trials, const struct made *made) {
  return made->departures && (own_failure(trials, made) || is_unfair(trials, made));
}

unsigned trials_unfair(const struct trials *trials, const struct violation *violation) {
  unsigned count = 0;
  for (size_t i = 0; i < violation->failed_count; i++)
    count += is_unfair(trials, &violation->failed[i]);
  return trials_failed(trials, violation, &hang) ? 0 : count;
}

// -- what is made next --

static bool is_running(const struct trials *trials, const struct trial *trial) {
  for (size_t i = 0; i < trials->running_count; i++) {
    const struct trial *other = &trials->running[i];
    if (other->kind != trial->kind)
      continue;
    if (trial->kind == TRIAL_CONTROL ? other->recipe.seed == trial->recipe.seed
                                     : other->of == trial->of && other->number == trial->number)
      return true;
  }
  return false;
}

static bool next_control(const struct trials *trials, struct trial *next) {
  for (unsigned i = 0; i < trials->controls; i++) {
    *next = (struct trial){.kind = TRIAL_CONTROL, .recipe = {.seed = trials->first_seed + i}};
    if (!count_controls(trials, next->recipe.seed) && !is_running(trials, next))
      return true;
  }
  return false;
}

// For a failure whose seed no run without departures has had.
static bool next_twin(const struct trials *trials, struct trial *next) {
  for (size_t i = 0; i < trials->violation_count; i++)
    for (size_t j = 0; j < trials->violation[i].failed_count; j++) {
      const struct made *made = &trials->violation[i].failed[j];
      *next = (struct trial){.kind = TRIAL_CONTROL, .recipe = {.seed = made->trial.recipe.seed}};
      if (trials_is_suspect(trials, made) && !has_twins(trials, made->trial.recipe.seed) &&
          !is_running(trials, next))
        return true;
    }
  return false;
}

// A failure that only one run has.
static bool next_again(const struct trials *trials, struct trial *next) {
  for (size_t i = 0; i < trials->violation_count; i++)
    for (size_t j = 0; j < trials->violation[i].failed_count; j++) {
      const struct made *made = &trials->violation[i].failed[j];
      const struct failure *failure = trials_failure(trials, made);
      if (!failure || made->again >= MAX_AGAIN ||
          trials_failed(trials, &trials->violation[i], failure) >= ENOUGH_ALIKE)
        continue;
      *next = made->trial;
      next->kind = TRIAL_AGAIN;
      next->of = made->run;
      if (!is_running(trials, next))
        return true;
    }
  return false;
}

// The departure that repeat NUMBER of a run makes: the last one, the first one, then backwards.
static unsigned departure_of(unsigned number, unsigned long count) {
  unsigned last = (unsigned)(count < MAX_DEPARTURES ? count : MAX_DEPARTURES) - 1;
  return number == 0 ? last : number == 1 ? 0 : last - (number - 1);
}

// Has one of its repeats failed?
static bool is_repeated(const struct trials *trials, const struct violation *violation,
                        const struct made *made) {
  for (size_t i = 0; i < violation->failed_count; i++)
    if (violation->failed[i].trial.kind == TRIAL_REPEAT &&
        violation->failed[i].trial.of == made->run && trials_failure(trials, &violation->failed[i]))
      return true;
  return false;
}

static bool next_repeat_of(const struct trials *trials, const struct violation *violation,
                           const struct made *made, struct trial *next) {
  if (made->trial.kind == TRIAL_REPEAT || made->repeats >= made->departures ||
      made->repeats >= MAX_REPEATS_OF_RUN || is_repeated(trials, violation, made))
    return false;
  *next = made->trial;
  next->kind = TRIAL_REPEAT;
  next->recipe.departures = 1;
  next->recipe.follow = 0;
  next->of = made->run;
  next->number = departure_of(made->repeats, made->departures);
  return !is_running(trials, next);
}

// Chooses the next repetition: of the best example of a failure, if it has several departures; else
// of a hang that may be unfair.
static bool next_repeat(const struct trials *trials, struct trial *next) {
  for (size_t i = 0; i < trials->violation_count; i++) {
    const struct violation *violation = &trials->violation[i];
    const struct made *best = trials_best(trials, violation);
    unsigned repeated = 0;
    if (best && best->departures > 1 && next_repeat_of(trials, violation, best, next))
      return true;
    for (size_t j = 0; j < violation->failed_count && !best && repeated < MAX_REPEATED; j++) {
      const struct made *made = &violation->failed[j];
      if (!is_unfair(trials, made))
        continue;
      repeated++;
      if (next_repeat_of(trials, violation, made, next))
        return true;
    }
  }
  return false;
}

static bool is_done(const struct trials *trials, const struct violation *violation) {
  unsigned running = violation->started - violation->tries, strong = 0;
  for (size_t i = 0; i < violation->failed_count; i++) {
    const struct failure *failure = trials_failure(trials, &violation->failed[i]);
    strong += failure && failure->kind < FAILURE_REPORT;
  }
  return violation->excluded || !violation->places.count || strong >= ENOUGH_FAILURES ||
         violation->injected + running >= trials->runs ||
         violation->started / MAX_TRIES_PER_RUN >= trials->runs;
}

// Seeds whose control runs have shown the violation come there again; between them, new ones.
static unsigned seed_of(const struct trials *trials, const struct violation *violation,
                        unsigned number) {
  if (violation->seen_count && number % 2 == 0)
    return violation->seen[number / 2 % violation->seen_count];
  return trials->first_seed + trials->controls + number;
}

// What the tries of a violation's group have come to.
struct turn {
  bool failed;      // one of its violations has failed
  unsigned started; // tries
  unsigned rank;    // of its likeliest violation
};

static struct turn turn_of(const struct trials *trials, const struct violation *violation) {
  struct turn turn = {.rank = violation->rank};
  for (size_t i = 0; i < trials->violation_count; i++) {
    const struct violation *other = &trials->violation[i];
    if (other->group != violation->group || other->excluded)
      continue;
    turn.started += other->started;
    turn.rank = other->rank < turn.rank ? other->rank : turn.rank;
    turn.failed |= trials_best(trials, other) != NULL;
  }
  return turn;
}

// Does A's turn come before that of B? (Without groups all violations are in one.)
static bool comes_before(const struct trials *trials, const struct violation *a,
                         const struct violation *b) {
  if (a->spared != b->spared)
    return b->spared;
  const struct turn x = turn_of(trials, a), y = turn_of(trials, b);
  if (a->group == b->group)
    return a->started != b->started ? a->started < b->started
           : a->rank != b->rank     ? a->rank < b->rank
                                    : a->order < b->order;
  return x.failed != y.failed     ? y.failed
         : x.started != y.started ? x.started < y.started
         : x.rank != y.rank       ? x.rank < y.rank
                                  : a->group < b->group;
}

static bool next_try(const struct trials *trials, struct trial *next) {
  const struct violation *least = NULL;
  for (size_t i = 0; i < trials->violation_count; i++) {
    const struct violation *violation = &trials->violation[i];
    if (!is_done(trials, violation) && (!least || comes_before(trials, violation, least)))
      least = violation;
  }
  if (!least)
    return false;
  *next = (struct trial){.kind = TRIAL_TRY, .violation = (size_t)(least - trials->violation)};
  next->recipe = recipe_of(least->started, seed_of(trials, least, least->started));
  // None is left out where there is no other.
  if (next->recipe.skip >= least->occasions)
    next->recipe.skip = least->occasions ? (unsigned)least->occasions - 1 : 0;
  return true;
}

bool trials_next(const struct trials *trials, struct trial *next) {
  if (trials->controls_only)
    return next_control(trials, next);
  return next_twin(trials, next) || next_again(trials, next) || next_repeat(trials, next) ||
         next_try(trials, next);
}

// -- runs begin and end --

void trials_begin(struct trials *trials, const struct trial *trial) {
  size_t size = (trials->running_count + 1) * sizeof *trials->running;
  trials->running = need(realloc(trials->running, size));
  trials->running[trials->running_count++] = *trial;
  if (trial->kind == TRIAL_TRY)
    trials->violation[trial->violation].started++;
}

static bool same_trial(const struct trial *a, const struct trial *b) {
  return a->kind == b->kind && a->violation == b->violation && a->recipe.seed == b->recipe.seed &&
         a->recipe.candidate == b->recipe.candidate &&
         a->recipe.departures == b->recipe.departures && a->recipe.skip == b->recipe.skip &&
         a->recipe.pause == b->recipe.pause && a->recipe.follow == b->recipe.follow &&
         a->of == b->of && a->number == b->number;
}

void trials_drop(struct trials *trials, const struct trial *trial) {
  for (size_t i = 0; i < trials->running_count; i++)
    if (same_trial(&trials->running[i], trial)) {
      trials->running[i] = trials->running[--trials->running_count];
      return;
    }
}

// The run that this one was made because of.
static void note_repeat(struct violation *violation, const struct made *made) {
  for (size_t i = 0; i < violation->failed_count; i++)
    if (violation->failed[i].run == made->trial.of) {
      violation->failed[i].repeats += made->trial.kind == TRIAL_REPEAT;
      violation->failed[i].again += made->trial.kind == TRIAL_AGAIN;
    }
}

// A run without a departure.
static void add_control(struct trials *trials, struct made *made) {
  size_t index = made->trial.recipe.seed - trials->first_seed;
  bool has[FAILURE_KINDS] = {false};
  if (index >= trials->seed_count) {
    trials->by_seed = need(realloc(trials->by_seed, (index + 1) * sizeof *trials->by_seed));
    memset(trials->by_seed + trials->seed_count, 0,
           (index + 1 - trials->seed_count) * sizeof *trials->by_seed);
    trials->seed_count = index + 1;
  }
  trials->by_seed[index]++;
  trials->control_count++;
  for (size_t i = 0; i < made->outcome.count; i++)
    has[made->outcome.at[i].kind] = true;
  for (int kind = 0; kind < FAILURE_KINDS; kind++)
    trials->failed_without[kind] += has[kind];
  outcome_add_all(&trials->without, &made->outcome);
  outcome_free(&made->outcome);
}

static void add_failed(struct violation *violation, const struct made *made) {
  size_t size = (violation->failed_count + 1) * sizeof *violation->failed;
  violation->failed = need(realloc(violation->failed, size));
  violation->failed[violation->failed_count++] = *made;
}

static void add_to_violation(struct violation *violation, const struct made *made) {
  bool is_try = made->trial.kind == TRIAL_TRY;
  violation->tries += is_try;
  violation->injected += is_try && made->departures;
  violation->runs += made->departures > 0;
  violation->departures += made->departures;
  if (made->departures && made->trial.recipe.skip + made->most > violation->occasions)
    violation->occasions = made->trial.recipe.skip + made->most;
  if (!is_try)
    note_repeat(violation, made);
  if (made->departures && made->outcome.count)
    add_failed(violation, made);
}

void trials_add(struct trials *trials, struct made *made) {
  trials_drop(trials, &made->trial);
  outcome_add_all(&trials->without, &made->before);
  outcome_free(&made->before);
  if (made->trial.kind != TRIAL_CONTROL)
    add_to_violation(&trials->violation[made->trial.violation], made);
  if (!made->departures)
    add_control(trials, made);
}

void trials_free(struct trials *trials) {
  for (size_t i = 0; i < trials->violation_count; i++) {
    struct violation *violation = &trials->violation[i];
    for (size_t j = 0; j < violation->failed_count; j++)
      outcome_free(&violation->failed[j].outcome);
    places_free(&violation->places);
    free(violation->failed);
    free(violation->seen);
    free(violation->cause);
    free(violation->token);
    free(violation->place);
  }
  outcome_free(&trials->without);
  free(trials->by_seed);
  free(trials->violation);
  free(trials->running);
  *trials = (struct trials){0};
}
