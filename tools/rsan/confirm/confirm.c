// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The runs: what each of them is given, and what is taken from it.

#include "confirm.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "aim.h"
#include "base/options.h"
#include "base/plural.h"
#include "file/line.h"
#include "journal.h"
#include "need.h"
#include "printable.h"
#include "report/record.h"
#include "run/checked.h"
#include "run/departures.h"

enum { CONTROLS_SHARE = 3, DEFAULT_TIMEOUT = 600, SHORTEST_TIMEOUT = 10, TIMES_LONGEST = 10 };

static const char violation_type[] = "robustness violation";

static void say(const struct confirm *confirm, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void say(const struct confirm *confirm, const char *format, ...) {
  va_list values;
  if (confirm->on_terminal)
    fputs("\r\033[K", stderr);
  fprintf(stderr, "%s: ", confirm->name);
  va_start(values, format);
  print_line_values(stderr, format, values);
  va_end(values);
}

// -- a run begins --

static int copy_places(const struct confirm *confirm, unsigned run, FILE *to) {
  char path[PATH_MAX + 16];
  int next;
  snprintf(path, sizeof path, "%s/places", run_folder(&confirm->plan, run));
  FILE *from = fopen(path, "r");
  if (!from)
    return errno;
  while ((next = getc(from)) != EOF)
    putc(next, to);
  fclose(from);
  return 0;
}

// A repeat has the place of one departure alone.
int confirm_write_places(const struct confirm *confirm, const struct trial *trial, FILE *file) {
  struct recipe recipe = trial->recipe;
  struct departures departures = {0};
  const cJSON *stack = NULL;
  if (trial->kind == TRIAL_AGAIN)
    return copy_places(confirm, trial->of, file);
  if (trial->kind == TRIAL_REPEAT) {
    departures_read(&departures, &confirm->plan, trial->of);
    stack = record_list(cJSON_GetArrayItem(departures.list, (int)trial->number), "stack");
    recipe.skip += places_before(departures.list, trial->number);
  }
  places_write(&confirm->trials.violation[trial->violation].places, &recipe, stack, file);
  departures_free(&departures);
  return 0;
}

static int write_places(const struct confirm *confirm, const struct trial *trial,
                        const char *path) {
  FILE *file = fopen(path, "w");
  if (!file)
    return errno;
  int error = confirm_write_places(confirm, trial, file);
  return fclose(file) == 0 ? error : errno;
}

// Reports have no say in the exit status, and what would end the process with it ends it with
// SIGABRT. The violations are known from the first runs: to report them takes longer than all else.
char *confirm_options(const struct confirm *confirm, const struct trial *trial, const char *folder,
                      const char *places) {
  char *text = NULL;
  size_t size = 0;
  const char *quote = options_quote(folder);
  FILE *out = need(open_memstream(&text, &size));
  fputs("exitcode=0:halt_on_error=0:abort_on_error=1:", out);
  recipe_write(&trial->recipe, places, out);
  if (!confirm->trials.controls_only)
    fputs(":explain=0:report_violations=0", out);
  if (trial->recipe.departures)
    fprintf(out, ":weak_log=%s%s/weak.%%p%s", quote, folder, quote);
  if (trial->recipe.departures && recipe_is_repeatable(trial->recipe.seed))
    fprintf(out, ":schedule_file=%s%s/schedule.%%p%s", quote, folder, quote);
  fclose(out);
  return text;
}

static int begin(void *context, unsigned number, const char *folder) {
  struct confirm *confirm = context;
  struct begun begun = {.run = number};
  char places[PATH_MAX + 16];
  snprintf(places, sizeof places, "%s/places", folder);
  if (!trials_next(&confirm->trials, &begun.trial))
    return ECANCELED;
  if (begun.trial.recipe.departures) {
    int error = write_places(confirm, &begun.trial, places);
    if (error)
      return error;
  }
  begun.options = confirm_options(confirm, &begun.trial, folder, places);
  trials_begin(&confirm->trials, &begun.trial);
  size_t size = (confirm->begun_count + 1) * sizeof *confirm->begun;
  confirm->begun = need(realloc(confirm->begun, size));
  confirm->begun[confirm->begun_count++] = begun;
  return 0;
}

static const char *options(void *context, unsigned number) {
  const struct confirm *confirm = context;
  for (size_t i = 0; i < confirm->begun_count; i++)
    if (confirm->begun[i].run == number)
      return confirm->begun[i].options;
  return "";
}

static bool more(void *context) {
  const struct confirm *confirm = context;
  struct trial next;
  return !confirm->refusal && trials_next(&confirm->trials, &next);
}

// -- a run ends --

struct reading {
  struct records *records;
  unsigned run;
};

static void read_log(void *context, const char *path) {
  const struct reading *reading = context;
  struct records_seen seen;
  records_read(reading->records, path, reading->run, &seen);
}

static void read_records(const struct confirm *confirm, struct records *records, unsigned run) {
  struct reading reading = {records, run};
  run_files(&confirm->plan, run, "report.", read_log, &reading);
}

static void add_seed(struct violation *violation, unsigned seed) {
  size_t size = (violation->seen_count + 1) * sizeof *violation->seen;
  violation->seen = need(realloc(violation->seen, size));
  violation->seen[violation->seen_count++] = seed;
}

// The violations of one of the first control runs.
static void take_violations(struct confirm *confirm, const struct records *records, unsigned seed) {
  for (size_t i = 0; i < records->count; i++) {
    const struct record *record = &records->at[i];
    if (!record->json || strcmp(record->type, violation_type) != 0)
      continue;
    cJSON *object = cJSON_Parse(record->text);
    struct violation *violation = trials_violation(&confirm->trials, record->token, record->place);
    places_add(&violation->places, object);
    add_seed(violation, seed);
    cJSON_Delete(object);
  }
}

void confirm_take(struct confirm *confirm, struct made *made, bool first) {
  if (first) {
    struct records records = {0};
    read_records(confirm, &records, made->run);
    take_violations(confirm, &records, made->trial.recipe.seed);
    records_free(&records);
  }
  read_records(confirm, first ? &confirm->records : &confirm->later, made->run);
  if (first && made->seconds > confirm->longest)
    confirm->longest = made->seconds;
  trials_add(&confirm->trials, made);
}

// A runtime that does not want these options says so and ends the process; one that does not know
// them says that.
static bool is_refusal(const char *line) {
  return strncmp(line, "ThreadSanitizer: weak", strlen("ThreadSanitizer: weak")) == 0 ||
         strstr(line, "unknown option 'weak");
}

// Looks for the refusal in the output too: the runtime may refuse before it opens its log.
static void note_refusal(struct confirm *confirm, const struct records *records,
                         const char *output) {
  char *line = NULL;
  size_t size = 0;
  FILE *file = confirm->refusal ? NULL : fopen(output, "r");
  for (size_t i = 0; i < records->remark_count && !confirm->refusal; i++)
    if (is_refusal(records->remarks[i]))
      confirm->refusal = need(strdup(records->remarks[i]));
  while (file && !confirm->refusal && file_line(&line, &size, file) >= 0)
    if (is_refusal(line))
      confirm->refusal = need(strndup(line, strcspn(line, "\n")));
  free(line);
  if (file)
    fclose(file);
}

static void say_news(const struct confirm *confirm) {
  for (size_t i = 0; i < confirm->trials.violation_count; i++) {
    struct violation *violation = &confirm->trials.violation[i];
    const struct made *best = trials_best(&confirm->trials, violation);
    const struct failure *failure = best ? trials_failure(&confirm->trials, best) : NULL;
    if (!failure || (violation->said && violation->said <= (int)failure->kind + 1))
      continue;
    violation->said = (int)failure->kind + 1;
    say(confirm, "run %u: %s fails: %s", best->run, violation->place, failure->text);
  }
}

static struct trial end_begun(struct confirm *confirm, unsigned run) {
  struct trial trial = {0};
  for (size_t i = 0; i < confirm->begun_count; i++)
    if (confirm->begun[i].run == run) {
      trial = confirm->begun[i].trial;
      free(confirm->begun[i].options);
      confirm->begun[i] = confirm->begun[--confirm->begun_count];
      break;
    }
  return trial;
}

// What came of the run.
static struct made made_of(struct confirm *confirm, const struct run_result *result,
                           const struct trial *trial, bool *reporting) {
  struct made made = {.trial = *trial, .run = result->number, .seconds = result->seconds};
  struct departures departures;
  struct records records = {0};
  char output[PATH_MAX + 16];
  read_records(confirm, &records, result->number);
  departures_read(&departures, &confirm->plan, result->number);
  made.departures = departures.count;
  made.most = departures.most;
  made.ceased = departures_ceased(&departures, result->seconds);
  snprintf(output, sizeof output, "%s/output", run_folder(&confirm->plan, result->number));
  outcome_read(&made.outcome, made.departures ? &made.before : NULL, result, &records, output);
  if (!made.departures)
    note_refusal(confirm, &records, output);
  *reporting = records.count > 0;
  departures_free(&departures);
  records_free(&records);
  return made;
}

bool confirm_ended(struct confirm *confirm, const struct run_result *result,
                   const struct trial *trial, const bool *ceased) {
  bool first = confirm->trials.controls_only, reporting;
  struct made made = made_of(confirm, result, trial, &reporting);
  if (ceased)
    made.ceased = *ceased;
  bool kept =
      (first && (reporting || made.outcome.count)) || trials_is_suspect(&confirm->trials, &made);
  if (confirm->refusal) {
    outcome_free(&made.outcome);
    outcome_free(&made.before);
    return false;
  }
  if (!journal_write(confirm->plan.folder, &confirm->trials, &made, first) && !confirm->unwritten) {
    confirm->unwritten = true;
    say(confirm, "%s/runs.jsonl: %s", confirm->plan.folder, strerror(errno));
  }
  confirm_take(confirm, &made, first);
  say_news(confirm);
  return kept;
}

static bool ended(void *context, const struct run_result *result) {
  struct confirm *confirm = context;
  struct trial trial = end_begun(confirm, result->number);
  if (!result->stopped)
    return confirm_ended(confirm, result, &trial, NULL);
  trials_drop(&confirm->trials, &trial);
  return false;
}

// -- all of them --

static void watch(void *context) {
  const struct confirm *confirm = context;
  const struct trials *trials = &confirm->trials;
  unsigned runs = 0, failing = 0;
  if (!confirm->on_terminal)
    return;
  for (size_t i = 0; i < trials->violation_count; i++) {
    runs += trials->violation[i].injected;
    failing += trials->violation[i].said > 0;
  }
  fprintf(stderr, "\r%s: %u runs without departures, %zu violation%s", confirm->name,
          trials->control_count, trials->violation_count, plural(trials->violation_count));
  if (!trials->controls_only)
    fprintf(stderr, ", %u of them confirmed; %u of up to %zu runs with departures", failing, runs,
            trials->violation_count * trials->runs);
  fputs("\033[K", stderr);
  fflush(stderr);
}

// Makes the runs of one phase. False if no further phase is needed.
static bool make(struct confirm *confirm, bool controls_only, double left) {
  const struct run_guide guide = {confirm, more, begin, options, ended};
  struct runs runs = {0};
  confirm->trials.controls_only = controls_only;
  confirm->plan.guide = &guide;
  confirm->plan.timeout = confirm_timeout(confirm);
  confirm->plan.time = left;
  confirm->plan.watch = watch;
  confirm->plan.watched = confirm;
  if (more(confirm))
    runs_do(&confirm->plan, confirm->name, &runs);
  confirm->plan.earlier += runs.made;
  confirm->interrupted |= runs.interrupted;
  confirm->start_error = runs.start_error;
  confirm->trials.controls_only = false;
  records_free(&runs.records);
  return !runs.interrupted && !runs.start_error;
}

double confirm_timeout(const struct confirm *confirm) {
  double timeout = TIMES_LONGEST * confirm->longest;
  return confirm->timeout >= 0           ? confirm->timeout
         : confirm->trials.controls_only ? DEFAULT_TIMEOUT
         : timeout > SHORTEST_TIMEOUT    ? timeout
                                         : SHORTEST_TIMEOUT;
}

void confirm_say_violations(const struct confirm *confirm) {
  say(confirm, "%u runs without departures: %zu violation%s", confirm->trials.control_count,
      confirm->trials.violation_count, plural(confirm->trials.violation_count));
}

void confirm_say_refusal(const struct confirm *confirm) {
  if (confirm->refusal)
    say(confirm, "the program's runtime makes no departures: %s", confirm->refusal);
}

// Have the runs checked the program, and shown no violation?
static bool shows_nothing(struct confirm *confirm) {
  confirm->records.checked |= checked_read(confirm->plan.folder);
  return !confirm->trials.violation_count && !confirm->refusal && !checked_lack(&confirm->records);
}

// More runs without departures, as many at a time as there were to be, until one shows a violation
// or the time is over. False if no further phase is needed.
static bool make_further_controls(struct confirm *confirm, double end) {
  struct trials *trials = &confirm->trials;
  const unsigned step = trials->controls;
  bool done = true;
  for (double now; done && shows_nothing(confirm) && (now = now_seconds()) < end;) {
    const size_t before = trials->control_count;
    if (before >= trials->controls && trials->controls + step <= TRIALS_MOST)
      trials->controls += step;
    done = make(confirm, true, end - now) && trials->control_count > before;
  }
  return done;
}

// With --time, runs without departures get a share of it, if that is enough to show a violation.
bool confirm_runs(struct confirm *confirm) {
  const double end = now_seconds() + confirm->time;
  bool shares = confirm->time > 0 && !confirm->all_controls;
  bool done = make(confirm, true, shares ? confirm->time / CONTROLS_SHARE : confirm->time);
  if (done && shares)
    done = make_further_controls(confirm, end);
  double left = confirm->time ? end - now_seconds() : 0;
  if (done && left >= 0) {
    confirm_say_violations(confirm);
    aim_tries(confirm);
    make(confirm, false, left);
  }
  if (confirm->on_terminal)
    fputs("\r\033[K", stderr);
  confirm_say_refusal(confirm);
  return !confirm->start_error && !confirm->refusal;
}

void confirm_free(struct confirm *confirm) {
  for (size_t i = 0; i < confirm->begun_count; i++)
    free(confirm->begun[i].options);
  free(confirm->begun);
  free(confirm->refusal);
  aim_free(confirm);
  trials_free(&confirm->trials);
  records_free(&confirm->records);
  records_free(&confirm->later);
}
