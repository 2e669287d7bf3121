// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts of rsan fix: the search for a repair by simulated runs, and its way into the sources.

#ifndef FIX_H
#define FIX_H

#include <sys/stat.h>

#include "problem.h"
#include "run/runs.h"

// A source that the chosen rules are in; the texts before and after they were applied.
struct fix_saved {
  char *path, *before, *after;
};

// A data race that was reported.
struct fix_race {
  char *token, *place, *text; // the record
  const char *given_up;       // why stronger orders do not repair it, NULL: they may
};

struct fix_harmless {
  char *token, *place, *class;
};

struct fix {
  const char *name;
  const char *folder;   // of all runs
  const char *native;   // builds a program without the sanitizer, NULL: none does
  const char *database; // folder of compile_commands.json, NULL: search
  const char **kept;    // folders whose sources are not edited
  size_t kept_count;
  struct run_plan plan; // the command, jobs, timeout
  unsigned runs;        // without a violation that make a repair clean
  double time;          // seconds from BEGUN, after which no rule is taken out; 0: no limit
  double begun;         // now_seconds()
  unsigned untried;     // chosen rules that no run was made without, for want of time
  unsigned steps;       // series of runs made so far
  unsigned made;        // runs
  double fences;        // executed in a run of the last clean series
  struct fix_problem problem;
  bool chosen[FIX_MAX_RULES];
  bool interrupted;
  int start_error; // errno if the command could not be started
  bool empty;      // in the last series nothing was checked, and that is a failure
  bool refused; // the last series ended because of a rule, which is known to be illegal since then
  struct stat *modules; // of the problem, when they were first reported
  size_t noted;
  struct fix_saved *saved;
  size_t saved_count;
  char **only;     // tokens of the violations that are repaired, NULL at the end; NULL: all are
  bool unfiltered; // but not in the runs that are made now
  char **left;     // places of those that were tried and did not fail
  size_t left_count;
  struct fix_harmless *harmless; // violations that are left
  size_t harmless_count;
  struct fix_race *races;
  size_t race_count;
};

// -- runs.c --

__attribute__((format(printf, 2, 3))) void fix_say(const struct fix *fix, const char *format, ...);

// A series of runs with the chosen rules simulated (NULL: none). The caller frees RUNS by
// records_free. OPTIONS are for the runtime, NULL for none. False, after a message, if the command
// cannot be run or nothing is checked.
bool fix_run(struct fix *fix, const bool *chosen, const char *options, unsigned iterations,
             bool stop_on_first, struct runs *runs);

bool fix_is_any(const struct fix *fix); // is any rule chosen?

// -- harmless.c --

// Marks the violations among the records that do no harm as known, so that they are no goals.
void fix_leave_harmless(struct fix *fix, struct records *records);
void fix_print_harmless(const struct fix *fix);
void fix_free_harmless(struct fix *fix);

// -- race.c --

bool fix_is_race(const struct record *record);

// Counts what the search repairs of the records: violations, and data races not given up.
size_t fix_goals(const struct fix *fix, const struct records *records);
size_t fix_given_up(const struct fix *fix); // races

// Adds the races among the records, and gives those among the records (NULL: all) up.
void fix_note_races(struct fix *fix, const struct records *records);
void fix_give_up(struct fix *fix, const struct records *records, const char *why);

// Says which data races there were, and which of them are left.
void fix_print_races(const struct fix *fix);
void fix_print_races_left(const struct fix *fix);
void fix_free_races(struct fix *fix);

// -- trial.c --

// All runs that a repair must be clean in: half of them as the system schedules them, then half of
// them with schedules that are chosen; it ends at the first violation. As fix_run.
bool fix_confirm(struct fix *fix, const bool *chosen, struct runs *runs);
unsigned fix_scheduled(const struct fix *fix); // how many have chosen schedules

// After a series that has failed: was it a rule's fault, which is not chosen any more?
bool fix_drop_refused(struct fix *fix);

// Is the time over in which rules are taken out?
bool fix_is_late(const struct fix *fix);

// -- search.c --

enum fix_outcome { FIX_NO_VIOLATION, FIX_CLEAN, FIX_STUCK, FIX_FAILED };

// Finds rules with which fix->runs runs are clean: fix->chosen.
enum fix_outcome fix_search(struct fix *fix);

// Takes out each rule without which as many runs stay clean.
bool fix_reduce(struct fix *fix);

// "2 fences, 1 stronger order"
void fix_count(const struct fix *fix, const bool *chosen, char *text, size_t size);

// -- count.c --

// Finds out, for rules of which it is not known, how often they would be executed and whether the
// runtime would refuse them.
void fix_measure(struct fix *fix);

// -- publish.c --

// For data races that the records have, beside no violation: finds orders that repair them, or
// gives the races up. False if that cannot be found out: a run has failed.
bool fix_publish(struct fix *fix, const struct records *records);

// Replaces the fences of a clean repair by orders, if these are enough and cost less. False as
// above.
bool fix_replace_fences(struct fix *fix);

// -- sibling.c --

// Adds, for each order of the repair, those that sibling accesses need in schedules that were not
// seen. True if there were some.
bool fix_add_siblings(struct fix *fix);

// -- summary.c --

// What was found, and the repair; then, for which schedules it holds.
void fix_print_summary(const struct fix *fix);
void fix_write_rules_chosen(const struct fix *fix, FILE *out); // with what they were preferred to
void fix_print_schedules(const struct fix *fix);

// -- message.c --

// Writes to PATH what is in DIFF, behind a message. False with errno set.
bool fix_write_request(const struct fix *fix, const char *path, const char *diff);

// -- edit.c --

// Writes the chosen rules (all for NULL) that have a place in a source to the file.
bool fix_write_rules(const struct fix *fix, const bool *chosen, const char *path);

// Asks rsan-edit which of the rules that are not judged yet it can put into the sources.
void fix_judge(struct fix *fix);

// Prints the chosen rules as a diff on standard output. If DIFF is not NULL, writes the diff to
// that file as well and, if DIFF is a regular file, the changes to DIFF.yaml. With WRITE it changes
// the sources. Returns the exit status of rsan-edit: 0 if all was done, 1 or 2 if no source was
// changed, 3 if some were; -1 if rsan-edit did not run.
int fix_edit(const struct fix *fix, const char *diff, bool write);

// Is any of the chosen rules one for the sources?
bool fix_is_edited(const struct fix *fix);

// Repaired copies of the sources in FOLDER, with its overlay.yaml for clang's -ivfsoverlay.
bool fix_overlay(const struct fix *fix, const char *folder);

// -- apply.c --

// Notes which builds the problem's modules are, and tells, with a message if not, whether they
// still are.
void fix_note_modules(struct fix *fix);
bool fix_modules_are_same(const struct fix *fix);

// Notes the sources that the chosen rules are in, before and after those are applied, and puts them
// back if they have not been changed since. Each false after a message.
bool fix_save(struct fix *fix);
void fix_note_applied(struct fix *fix);
bool fix_restore(const struct fix *fix);

// Says which of them were changed and which were not; says nothing, and returns false, if none was.
bool fix_print_changed(const struct fix *fix);
void fix_free_saved(struct fix *fix);

// -- confirmed.c --

// Chooses the violations that FILE, of `rsan confirm', calls confirmed. False after a message.
bool fix_read_confirmed(struct fix *fix, const char *path);
void fix_print_left(const struct fix *fix);
void fix_free_confirmed(struct fix *fix);

// -- prove.c --

// Explores what was rebuilt by `rsan check --time TIME', and says what comes of it. 66: it has
// findings.
int fix_prove(const struct fix *fix, const char *time);

// -- native.c --

// Measures, before the sources are changed, what the repair costs natively. False after a message.
bool fix_native(const struct fix *fix);
void fix_print_native(const struct fix *fix);

#endif
