// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All schedules of a bounded program, one of each class: source-DPOR with sleep sets (Abdulla,
// Aronis, Jonsson, Sagonas, 'Optimal dynamic partial order reduction', POPL 2014). A class are the
// runs that differ in the order of independent steps alone (dependence.h).
//
// It executes nothing. Its caller asks for a prefix, runs the program along it and then by
// rsan_dpor_choose, and gives the trace back. From the trace's races follow further prefixes:
//
//   while ((node = rsan_dpor_next(&d))) {
//     ... run along rsan_dpor_prefix(node, step), then freely; note each step
//     rsan_dpor_executed(&d, node, &trace);
//   }
//
// Several prefixes may be asked for before the first trace is back, also by processes that run at
// the same time. Which classes are explored does not depend on it: a step is asked for at a state
// when what all earlier ones from there do is known, so it sleeps in the same way.
//
// A step races with an earlier one of another thread that it depends on if nothing else orders
// them. Then the earlier one's node needs a thread that leads to the reversed order: if none of the
// initials of that order, its first steps, will be explored there, one is added. A step that
// blocks races with *all* earlier ones before which it could have been made, not with the last
// alone: that one may be what made it possible again.
//
// A thread that was explored at a node sleeps in what is explored there later, until a step is made
// that depends on its own. A run in which all that can proceed sleep is given up: it is known, or
// will be.
//
// With a bound of preemptions what needs more is not begun, or given up, and counted as `cut`. As
// long as nothing is, the exploration is the one without a bound. From then on some runs within the
// bound are lost, too: they would have been found from a run that is not made, or are taken for
// known from one that is not (Coons, Musuvathi, McKinley, 'Bounded partial-order reduction',
// OOPSLA 2013).
//
// Data choices (one of n) are entries of the trace of their own behind the step that has them; each
// value is explored.

#ifndef RSAN_SCHEDULE_DPOR_H
#define RSAN_SCHEDULE_DPOR_H

#include <stdbool.h>
#include <stdint.h>

#include "dpor_state.h"

void rsan_dpor_init(struct rsan_dpor *d, uint32_t preemptions);
void rsan_dpor_clear(struct rsan_dpor *d);

// The state from which a run is asked for along a new step. NULL: there is none, until a trace
// comes back; if no run is under way, all have been explored. It belongs to `d`, and is valid until
// its run was given to rsan_dpor_executed.
struct rsan_dpor_node *rsan_dpor_next(struct rsan_dpor *d);
// The prefix of that run: how many steps and choices, which are written to `step` unless that is
// NULL. The last one has only its thread, enabled threads and choice. (The sleep set
// `node->sleep` holds before the last one.)
uint32_t rsan_dpor_prefix(const struct rsan_dpor_node *node, struct rsan_dpor_step *step);
// The run along the prefix. False: it did not follow it; the rest of what was to be explored along
// this prefix is given up.
bool rsan_dpor_executed(struct rsan_dpor *d, struct rsan_dpor_node *node,
                        const struct rsan_dpor_trace *trace);
// The run was not made: its prefix will be asked for again.
void rsan_dpor_withdraw(struct rsan_dpor *d, struct rsan_dpor_node *node);

struct rsan_dpor_left rsan_dpor_left(struct rsan_dpor *d);

// Sleep sets, also for whoever runs: after `step` those go on sleeping that do not depend on it.
void rsan_sleep_copy(struct rsan_dpor_sleep *to, const struct rsan_dpor_sleep *from);
void rsan_sleep_add(struct rsan_dpor_sleep *s, uint32_t thread, const struct rsan_op *op);
void rsan_sleep_step(struct rsan_dpor_sleep *s, const struct rsan_dpor_step *step);
void rsan_sleep_clear(struct rsan_dpor_sleep *s);

// Beyond the prefix: who is next, of those that can proceed and do not sleep: the one that ran,
// else the first one. RSAN_NO_THREAD: they all sleep.
uint32_t rsan_dpor_choose(uint64_t enabled, uint64_t asleep, uint32_t last);

#endif
