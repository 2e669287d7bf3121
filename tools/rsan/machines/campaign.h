// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rsan run --on ENGINE: runs that many machines make, in units (unit/command.c). One loop for all
// engines: the units that are missing are given to the engine; what came back is validated; again,
// until none is missing, or a round has brought nothing. Nothing but a valid archive says that a
// unit was carried out: not the engine's status, nor its log.
//
// The folder has
//   tries.jsonl       what runs are that differ by more than their seeds (unit/tries.h)
//   campaign.json     what was asked for, so that --resume goes on with it
//   units/F-L.tgz     archives of units, validated
//   incoming/N/F-L.tgz   what came back in round N; a late one is taken by --resume
//   bundle/           what the hosts need (bundle.h)
//   engine.log        what the engine has said

#ifndef CAMPAIGN_H
#define CAMPAIGN_H

#include <cjson/cJSON.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

#include "run/runs.h"
#include "unit/program.h"

// Some units of the runs could be made nowhere.
enum { EXIT_INCOMPLETE = 75 };

struct share {
  unsigned first, last;
  bool done;
};

struct campaign {
  const char *name;        // begins messages
  struct run_plan plan;    // what was asked for; the folder is that of the campaign
  const char *engine;      // as --on has it
  const char *const *with; // what travels with the program, NULL at the end; NULL: nothing
  unsigned unit_runs;      // runs of a unit; 0: by the time that a run takes
  bool resumed;
  // For runs that are tries (unit/tries.h): when none is missing, adds further ones to tries.jsonl,
  // chosen by the results so far, and makes shares of them. False: no more are wanted.
  // NULL: the runs differ by their seeds.
  bool (*tries)(struct campaign *campaign, void *context);
  void *context;

  struct program program;
  cJSON *kept;            // of --resume: campaign.json, which has the texts above; owned
  const char **kept_with; // the same: `with'; owned
  cJSON *wanted;          // the manifest that all units agree with, of the first one; owned
  struct share *shares;   // in the order of their runs
  size_t share_count;
  unsigned next;  // the first run that is in no share yet
  unsigned slots; // units that can be carried out at a time; 0: not known yet
  unsigned hosts; // in use; 0: not known
  unsigned round;
  unsigned long runs_done, runs_reporting;
  unsigned long long executions; // of an exploration, in earlier rounds; 0: there is none
  double begun;
  bool interrupted, finished;
  bool found, clean; // a report; --until-clean is fulfilled
};

struct engine {
  const char *name;
  // Gets the hosts ready, and says how many slots they have. False after a message: there is none.
  // Called before each round.
  bool (*prepare)(struct campaign *campaign);
  // Carries out shares, by their places; what they bring goes to FOLDER/F-L.tgz. Returns when
  // nothing more will come, or when campaign_poll says so: then all that it has started is ended.
  void (*round)(struct campaign *campaign, const size_t *shares, size_t count, const char *folder);
  // Nothing of it is left on the hosts.
  void (*end)(struct campaign *campaign);
  size_t most; // units of a round; 0: any number
};

extern const struct engine engine_ssh, engine_slurm;

struct machines_asked; // asked.h

// One that makes what `plan` says as those options say, of which it keeps the texts.
struct campaign campaign_of(const char *name, const struct run_plan *plan,
                            const struct machines_asked *asked);

// Makes the runs, as far as they can be made, and leaves what came of them in units/.
void campaign_make(struct campaign *campaign);

// Says that runs which were wanted are missing, and what goes on with them. False: none is.
bool campaign_say_incomplete(const struct campaign *campaign, FILE *out);

void campaign_free(struct campaign *campaign);

// Makes runs that differ by their seeds, and the result of all. The exit status.
int campaign_run(struct campaign *campaign);

// -- engines.c --

// Returns the engine that the text of --on names, or NULL if there is none of that name. `*rest` is
// what follows the name and its colon.
const struct engine *engine_find(const char *text, const char **rest);

// -- progress.c --

// For engines, about ten times a second at most: waits SECONDS or until a child ends or the user
// interrupts, shows the progress. True: the caller must break off the round.
bool campaign_poll(struct campaign *campaign, const char *folder, double seconds);

// The signals that campaign_poll waits for. The caller blocks them: one that comes between two
// calls would be lost otherwise.
void campaign_signals(sigset_t *signals);

// Erases the line of progress on the terminal. To be called before another line is printed.
void campaign_clear_progress(void);

// Is --time over?
bool campaign_is_late(const struct campaign *campaign);

// -- paths.c --

// The path of the log of what the campaign has called, for a message, so that the log is kept. In
// static memory.
const char *campaign_named_log(const struct campaign *campaign);

// A path in the campaign's folder, in static memory, until the second call after this one.
__attribute__((format(printf, 2, 3))) const char *campaign_path(const struct campaign *campaign,
                                                                const char *format, ...);

// -- kept.c --

// campaign.json. False after a message.
bool campaign_keep(const struct campaign *campaign);
bool campaign_resume(struct campaign *campaign, char ***command);
// As campaign_resume, for tries: the plan already has their command and time.
bool campaign_resume_tries(struct campaign *campaign);
// Has an earlier process begun one in the folder?
bool campaign_is_kept(const char *folder);

// -- shares.c --

// Makes shares of the next runs: at least as many as the slots need, and no more than LAST.
void shares_cut(struct campaign *campaign, double run_seconds);

// One share, which is not made yet.
struct share *shares_add(struct campaign *campaign, unsigned first, unsigned last);

// "101..200, 301..400" of those that are not done.
void shares_print_missing(const struct campaign *campaign, FILE *out);

// Seconds that no unit of these shares takes that does what it should; 0: any time is right.
double shares_limit(const struct campaign *campaign, const size_t *shares, size_t count);

size_t shares_missing(const struct campaign *campaign);

// -- arrivals.c --

// Takes each archive in the folder that is valid and of a share that is missing. How many.
size_t arrivals_take(struct campaign *campaign, const char *folder);

// Is --until-clean fulfilled by the shares that are done, in the order of their runs?
bool arrivals_are_clean(const struct campaign *campaign);

#endif
