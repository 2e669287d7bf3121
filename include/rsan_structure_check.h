/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A part of rsan_structure.h: all scenarios, and the verdict.
 *
 * Names that end in an underscore are not for use.
 */

#ifndef RSAN_STRUCTURE_H
#error "include rsan_structure.h"
#endif
#ifndef RSAN_STRUCTURE_CHECK_H
#define RSAN_STRUCTURE_CHECK_H

#include "rsan_structure_clients.h"

#ifdef __cplusplus
extern "C" {
#endif

/* -- the verdict -- */

RSAN_UNUSED_ void rsan_print_(const struct rsan_structures_check_ *c, const char *text) {
  const char *name = c->structure->name;
  fprintf(stderr, "rsan_structure: %s%s%s\n", name ? name : "", name ? ": " : "", text);
}

RSAN_UNUSED_ void rsan_show_failure_(struct rsan_structures_check_ *c, struct rsan_scenario_ *s,
                                     bool is_shown) {
  struct rsan_scenario_result_ result;
  struct rsan_text_ text = {{0}, 0};
  const bool is_bad = s->found_bad;
  if (!is_shown)
    rsan_explore_client_(s, false, &result);
  if (is_bad)
    rsan_add_(&text, "not linearizable: no order of the calls gives these results");
  else
    rsan_add_(&text, "fails, as reported above");
  if (!c->only)
    rsan_add_(&text, ", after %llu scenarios without a failure",
              (unsigned long long)c->scenarios - 1);
  rsan_add_(&text, ":\n");
  rsan_add_table_(&text, s, is_bad ? s->bad : 0);
  rsan_add_(&text, "  to repeat it: RSAN_OPTIONS=scenario=");
  rsan_add_structure_(&text, s);
  rsan_add_scenario_(&text, s);
  rsan_add_(&text, "; as a test: only(\"");
  rsan_add_scenario_(&text, s);
  rsan_add_(&text, "\")");
  rsan_print_(c, text.text);
}

RSAN_UNUSED_ void rsan_note_undecided_(struct rsan_structures_check_ *c,
                                       const struct rsan_scenario_ *s, const char *when,
                                       const char *why) {
  struct rsan_text_ *text = &c->first_undecided;
  if (c->undecided++)
    return;
  rsan_add_(text, "the first of them: ");
  rsan_add_scenario_(text, s);
  rsan_add_(text, ": %s%s", when, why);
}

RSAN_UNUSED_ void rsan_add_bounds_(struct rsan_text_ *text,
                                   const struct rsan_scenario_result_ *all) {
  const struct {
    const char *name;
    unsigned bound;
  } bounds[] = {{"loop", all->turns}, {"unroll", all->unroll}, {"spurious", all->spurious}};
  const char *word = ", within";
  for (unsigned i = 0; i < sizeof bounds / sizeof *bounds; i++)
    if (bounds[i].bound) {
      rsan_add_(text, "%s explore_%s=%u", word, bounds[i].name, bounds[i].bound - 1);
      word = " and";
    }
}

RSAN_UNUSED_ const char *rsan_plural_(uint64_t count) {
  return count == 1 ? "" : "s";
}

/* What is proved of the scenarios that were decided. */
RSAN_UNUSED_ void rsan_add_claim_(struct rsan_text_ *text, const struct rsan_structures_check_ *c) {
  if (c->undecided)
    rsan_add_(text, "; the other ones are linearizable");
  else if (c->only)
    rsan_add_(text, "the scenario is linearizable%s", c->is_client ? " with these waits" : "");
  else
    rsan_add_(text, "all %llu scenarios of at most %u calls are linearizable",
              (unsigned long long)c->scenarios, c->most_calls);
  const char *word = ", where these operations may fail at any time: ";
  for (unsigned i = 0; i < c->structure->operation_count; i++)
    if (c->structure->operations[i].may_fail) {
      rsan_add_(text, "%s%s", word, c->structure->operations[i].name);
      word = " and ";
    }
#ifdef __SANITIZE_ROBUSTNESS__
  rsan_add_(text, ", for all that C++20 allows");
  if (c->all.freed)
    rsan_add_(text, ", where freed memory is used again in interleavings alone");
  rsan_add_bounds_(text, &c->all);
#else
  rsan_add_(text, " on one thread: nothing was explored, for want of -fsanitize=robustness");
#endif
}

RSAN_UNUSED_ int rsan_tell_verdict_(const struct rsan_structures_check_ *c) {
  struct rsan_text_ text = {{0}, 0};
  if (!c->scenarios)
    rsan_add_(&text, "not decided: there is no scenario");
  if (c->undecided)
    rsan_add_(&text, "not decided: %llu of %llu scenario%s of at most %u calls",
              (unsigned long long)c->undecided, (unsigned long long)c->scenarios,
              rsan_plural_(c->scenarios), c->most_calls);
  if (c->scenarios > c->undecided)
    rsan_add_claim_(&text, c);
#ifdef __SANITIZE_ROBUSTNESS__
  rsan_add_(&text,
            "\n  %llu exploration%s, %llu of them with calls that wait for other ones: %llu "
            "executions, %llu graphs",
            (unsigned long long)c->explored, rsan_plural_(c->explored),
            (unsigned long long)c->ordered, (unsigned long long)c->all.executions,
            (unsigned long long)c->all.graphs);
#endif
  if (c->undecided)
    rsan_add_(&text, "\n  %s", c->first_undecided.text);
  rsan_print_(c, text.text);
  return c->undecided || !c->scenarios ? RSAN_CHECK_NOT_PROVED : RSAN_CHECK_PROVED;
}

/* Returns false at the first failure. */
RSAN_UNUSED_ bool rsan_visit_scenario_(struct rsan_structures_check_ *c, struct rsan_scenario_ *s,
                                       rsan_order_ order) {
  struct rsan_scenario_result_ result;
  unsigned calls[RSAN_CALLS_];
  c->scenarios++;
  s->sequences = s->outcomes = 0;
  s->too_many = s->found_bad = false;
  s->outcome = c->outcome;
  rsan_set_order_(s, order);
  if (!rsan_run_sequences_(s, calls, 0)) {
    rsan_note_undecided_(c, s, "when one thread makes all calls, ", s->why);
    return true;
  }
  rsan_explore_scenario_(c, s, order, &result);
  c->failed = result.status == RSAN_CHECK_FOUND || result.status == RSAN_CHECK_FAILED;
  c->fails_with = result.status;
  if (c->failed)
    rsan_show_failure_(c, s, result.repeated);
  else if (result.status != RSAN_CHECK_PROVED)
    rsan_note_undecided_(c, s, "", result.why);
  return !c->failed;
}

/* -- all scenarios -- */

RSAN_UNUSED_ bool rsan_is_same_role_(const struct rsan_call_ *a, const struct rsan_call_ *b) {
  const char *role = a->operation->role, *other = b->operation->role;
  return role && other && !strcmp(role, other);
}

/* May the call be made by the scenario's last thread? */
RSAN_UNUSED_ bool rsan_may_add_(const struct rsan_scenario_ *s, const struct rsan_call_ *call) {
  for (unsigned i = 0; i < s->count; i++)
    if (s->call[i].thread != s->threads - 1 && rsan_is_same_role_(&s->call[i], call))
      return false;
  return true;
}

/* Compares the calls from `a` on with those from `b` on, `count` of them. */
RSAN_UNUSED_ int rsan_compare_calls_(const struct rsan_scenario_ *s, unsigned a, unsigned b,
                                     unsigned count) {
  for (unsigned i = 0; i < count; i++) {
    const struct rsan_call_ *left = &s->call[a + i], *right = &s->call[b + i];
    if (left->operation != right->operation)
      return left->operation < right->operation ? -1 : 1;
    if (left->value != right->value && !left->operation->is_fresh)
      return left->value < right->value ? -1 : 1;
  }
  return 0;
}

/* Adds threads whose calls are `left` together, each with no more calls than the one before, and
 * where they are as many, with no smaller ones: so threads that are permuted come once. */
RSAN_UNUSED_ bool rsan_add_threads_(struct rsan_structures_check_ *c, struct rsan_scenario_ *s,
                                    unsigned left, unsigned threads_left, unsigned most);

/* Adds `count` calls to the last thread, and further threads. `begin`: its first call. */
RSAN_UNUSED_ bool rsan_add_calls_(struct rsan_structures_check_ *c, struct rsan_scenario_ *s,
                                  unsigned begin, unsigned count, unsigned left,
                                  unsigned threads_left) {
  const unsigned made = s->count - begin;
  if (made == count) {
    const bool has_twin = begin >= count && s->threads > 1 &&
                          s->call[begin - count].thread == s->threads - 2 &&
                          (begin == count || s->call[begin - count - 1].thread != s->threads - 2);
    if (has_twin && rsan_compare_calls_(s, begin - count, begin, count) > 0)
      return true;
    return rsan_add_threads_(c, s, left, threads_left, count);
  }
  for (unsigned k = 0; k < c->kinds; k++) {
    if (!rsan_may_add_(s, &c->kind[k]))
      continue;
    s->call[s->count] = c->kind[k];
    if (c->kind[k].operation->is_fresh)
      s->call[s->count].value = s->count + 1;
    s->call[s->count++].thread = s->threads - 1;
    const bool goes_on = rsan_add_calls_(c, s, begin, count, left, threads_left);
    s->count--;
    if (!goes_on)
      return false;
  }
  return true;
}

RSAN_UNUSED_ bool rsan_add_threads_(struct rsan_structures_check_ *c, struct rsan_scenario_ *s,
                                    unsigned left, unsigned threads_left, unsigned most) {
  if (!threads_left)
    return left || rsan_visit_scenario_(c, s, rsan_order_of_threads_(s));
  for (unsigned count = 1; count <= most && count <= left; count++) {
    if ((left - count < threads_left - 1) || left - count > (threads_left - 1) * count)
      continue;
    s->threads++;
    const bool goes_on = rsan_add_calls_(c, s, s->count, count, left - count, threads_left - 1);
    s->threads--;
    if (!goes_on)
      return false;
  }
  return true;
}

RSAN_UNUSED_ void rsan_visit_all_(struct rsan_structures_check_ *c, struct rsan_scenario_ *s) {
  for (unsigned calls = 1; calls <= c->most_calls; calls++)
    for (unsigned threads = 1; threads <= c->threads && threads <= calls; threads++) {
      s->threads = s->count = 0;
      if (!rsan_add_threads_(c, s, calls, threads, c->calls))
        return;
    }
}

/* -- one scenario -- */

#define RSAN_LETTERS_ "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"

RSAN_UNUSED_ bool rsan_read_call_(const struct rsan_structures_check_ *c, struct rsan_scenario_ *s,
                                  const char **at, unsigned *waits_for) {
  const size_t length = strspn(*at, RSAN_LETTERS_);
  for (unsigned i = 0; i < c->kinds; i++) {
    const struct rsan_operation *operation = c->kind[i].operation;
    if (strlen(operation->name) != length || strncmp(operation->name, *at, length))
      continue;
    struct rsan_call_ *call = &s->call[s->count++];
    *call = c->kind[i];
    call->thread = s->threads - 1;
    *at += length;
    if (rsan_takes_value_(operation)) {
      char *end = 0;
      if (*(*at)++ != '-')
        return false;
      call->value = strtoll(*at, &end, 10);
      if (end == *at)
        return false;
      *at = end;
    }
    if (**at == '@')
      for (++*at; **at >= 'a' && **at < 'a' + RSAN_CALLS_; ++*at)
        *waits_for |= 1u << (**at - 'a');
    return true;
  }
  return false;
}

/* Sets *order to that of the client. */
RSAN_UNUSED_ bool rsan_read_scenario_(const struct rsan_structures_check_ *c,
                                      struct rsan_scenario_ *s, rsan_order_ *order) {
  unsigned waits_for[RSAN_CALLS_] = {0};
  const char *at = c->only;
  s->count = 0;
  s->threads = 1;
  do {
    if (s->count == RSAN_CALLS_ || !rsan_read_call_(c, s, &at, &waits_for[s->count]))
      return false;
    s->threads += *at == '/';
  } while ((*at == '.' || *at == '/') && *++at);
  *order = rsan_order_of_threads_(s);
  for (unsigned b = 0; b < s->count; b++)
    for (unsigned a = 0; a < RSAN_CALLS_; a++)
      if (waits_for[b] >> a & 1)
        *order |= a < s->count ? rsan_before_(a, b) : rsan_before_(b, b);
  *order = rsan_close_(*order, s->count);
  for (unsigned a = 0; a < s->count; a++)
    if (*order & rsan_before_(a, a))
      return false;
  return !*at && s->threads <= RSAN_CALLS_;
}

RSAN_UNUSED_ int rsan_refuse_(const struct rsan_structures_check_ *c, const char *why) {
  rsan_print_(c, why);
  return RSAN_CHECK_USAGE;
}

RSAN_UNUSED_ int rsan_check_one_(struct rsan_structures_check_ *c, struct rsan_scenario_ *s) {
  rsan_order_ order;
  if (!rsan_read_scenario_(c, s, &order))
    return rsan_refuse_(c, "the scenario to check is none of this structure's");
  c->most_calls = s->count;
  return rsan_visit_scenario_(c, s, order) ? RSAN_CHECK_PROVED : c->fails_with;
}

/* -- the call -- */

RSAN_UNUSED_ int rsan_scenario_way_(void) {
#ifdef __SANITIZE_ROBUSTNESS__
  return __rsan_scenario_way();
#else
  return RSAN_SCHEDULED_;
#endif
}

RSAN_UNUSED_ bool rsan_is_word_(const char *name) {
  return *name && !name[strspn(name, RSAN_LETTERS_)];
}

RSAN_UNUSED_ const char *rsan_set_kinds_(struct rsan_structures_check_ *c) {
  const struct rsan_structure *structure = c->structure, *model = structure->model;
  if (!structure->create || !structure->operation_count || structure->operation_count > 32)
    return "it has no `create', or not 1 to 32 operations";
  if (structure->name && !rsan_is_word_(structure->name))
    return "its name has other characters than letters, digits and `_'";
  if (model && (!model->create || model->operation_count != structure->operation_count))
    return "its model has no `create', or other operations";
  for (unsigned i = 0; i < structure->operation_count; i++) {
    const struct rsan_operation *operation = &structure->operations[i];
    if (!rsan_is_word_(operation->name))
      return "the name of an operation has other characters than letters, digits and `_'";
    for (unsigned v = 0; v < (operation->value_count ? operation->value_count : 1); v++) {
      if (c->kinds == RSAN_KINDS_)
        return "it has more than 64 pairs of operation and value";
      struct rsan_call_ *kind = &c->kind[c->kinds++];
      kind->operation = operation;
      kind->model = model ? &model->operations[i] : operation;
      kind->value = operation->value_count ? operation->values[v] : 0;
    }
  }
  c->threads = structure->threads ? structure->threads : 3;
  c->calls = structure->calls ? structure->calls : 2;
  c->most_calls = structure->most_calls ? structure->most_calls : 4;
  if (c->threads * c->calls < c->most_calls)
    c->most_calls = c->threads * c->calls;
  return c->threads > RSAN_CALLS_ || c->most_calls > RSAN_CALLS_ ? "more than 8 threads or calls"
                                                                 : 0;
}

RSAN_UNUSED_ int rsan_check_all_(struct rsan_structures_check_ *c, struct rsan_scenario_ *s) {
  const char *wrong = rsan_set_kinds_(c);
  if (wrong)
    return rsan_refuse_(c, wrong);
  const bool is_scheduled = rsan_check_instrumented() && rsan_scenario_way_() == RSAN_SCHEDULED_;
  s->explores = rsan_check_instrumented() && rsan_scenario_way_() == RSAN_EXPLORED_;
  if (c->only) {
    const int status = rsan_check_one_(c, s);
    if (status || is_scheduled)
      return status;
  } else if (is_scheduled) {
    return rsan_refuse_(c, "where the whole program is scheduled, scenario= in RSAN_OPTIONS has to "
                           "name one scenario");
  } else {
    rsan_visit_all_(c, s);
  }
  return c->failed ? c->fails_with : rsan_tell_verdict_(c);
}

/* The scenario that scenario= asks for, if it does; else `only`. */
RSAN_UNUSED_ const char *rsan_asked_scenario_(const struct rsan_scenario_ *s, const char *only,
                                              bool *is_other) {
  *is_other = false;
#ifdef __SANITIZE_ROBUSTNESS__
  struct rsan_text_ which = {{0}, 0};
  const char *asked = __rsan_scenario();
  rsan_add_structure_(&which, s);
  if (*asked) {
    *is_other = strncmp(asked, which.text, which.length) != 0;
    return asked + which.length;
  }
#else
  (void)s;
#endif
  return only;
}

RSAN_UNUSED_ int rsan_check_structure_(const struct rsan_structure *structure, const char *only) {
  static unsigned calls;
  const size_t room = structure->most_calls > 5 ? (size_t)1 << 18 : (size_t)1 << 12;
  const unsigned number = __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
  struct rsan_structures_check_ *c = (struct rsan_structures_check_ *)calloc(1, sizeof *c);
  struct rsan_scenario_ *s = (struct rsan_scenario_ *)calloc(1, sizeof *s);
  rsan_order_ *seen = (rsan_order_ *)calloc(room, sizeof *seen);
  int status = RSAN_CHECK_NOT_PROVED;
  bool is_other;
  if (c && s && seen) {
    c->structure = s->structure = structure;
    s->number = number;
    c->only = rsan_asked_scenario_(s, only, &is_other);
    c->seen.slot = seen;
    c->seen.room = room;
    status = is_other ? RSAN_CHECK_PROVED : rsan_check_all_(c, s);
    if (is_other)
      rsan_print_(c, "left out, because scenario= is about another structure");
    free(s->sequence);
  }
  free(seen);
  free(s);
  free(c);
  return status;
}

#ifdef __cplusplus
}
#endif

#endif
