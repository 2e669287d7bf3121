// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rsan fix [OPTION...] -- COMMAND... Exit status: 0 no violation or race, or a repair that is clean
// and in the diff; 1 not all of it; 3 nothing was checked; 4 applied in part; 66 violations after
// --apply; 2 wrong usage.

#include <argp.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "arguments.h"
#include "base/command.h"
#include "base/plural.h"
#include "base/quantity.h"
#include "file/output.h"
#include "fix.h"
#include "need.h"
#include "printable.h"
#include "program/atomics.h"
#include "program/image.h"
#include "run/checked.h"
#include "run/folder.h"
#include "run/guard.h"

// The exit status if sources were changed that could not be put back.
enum { EXIT_PARTLY = 4 };

enum { MAX_EXTENSIONS = 8 };
enum { DEFAULT_RUNS = 50, DEFAULT_TIMEOUT = 600, MAX_JOBS = 1024 };

static const char description[] =
    "Find a small repair of the robustness violations and data races that COMMAND, built with "
    "rsan-clang, reports: fences, or stronger orders where those are enough. Candidates come from "
    "the cycles of the reports, and for data races from the accesses that run. They are tried "
    "without rebuilding (RSAN_OPTIONS=simulate=). Candidates that the "
    "runs stay clean without are dropped. The repair is printed as a unified diff."
    "\v"
    "Only --apply changes sources, and only if the whole repair can be written. Places in macros, "
    "in system headers and in sources that COMMAND was not built from are named, not edited. "
    "`Clean' means that as many runs as --runs says had no violation. CMD of --native builds "
    "COMMAND's program as the file $PROGRAM, "
    "with $CC or $CXX and the flags $CFLAGS or $CXXFLAGS.\n"
    "\n"
    "Exit status: 0 no violation or data race, or a clean repair, all of it in the diff and with "
    "--apply in the sources; 1 violations or data races are not repaired, or places are not "
    "edited; 66 violations or data races after --apply and --build; 2 wrong usage; 3 nothing was "
    "checked, or no atomic access was seen "
    "(--allow-empty: 0); 4 changed sources could not be restored; 127 or 126 COMMAND cannot be "
    "started; 130 interrupted.\n";

enum {
  KEY_BUILD = 256,
  KEY_APPLY,
  KEY_TIMEOUT,
  KEY_KEEP,
  KEY_NATIVE,
  KEY_CONFIRMED,
  KEY_NEVER,
  KEY_REQUEST,
  KEY_CHECK
};

static const struct argp_option options[] = {
    {"runs", 'n', "N", 0, "call a repair clean after N clean runs (50)", 0},
    {"jobs", 'j', "N", 0, "make N runs at a time (1)", 0},
    {"timeout", KEY_TIMEOUT, "TIME", 0, "end a run that takes longer (600; 0: none)", 0},
    {"time", 't', "TIME", 0, "stop reducing a repair after TIME", 0},
    {"apply", KEY_APPLY, NULL, 0, "change the sources, if all can be written", 0},
    ALLOW_EMPTY_OPTION,
    {"build", KEY_BUILD, "CMD", 0, "with --apply: rebuild by CMD, and run again", 0},
    {"check", KEY_CHECK, "TIME", 0, "with --build: explore what was rebuilt", 0},
    {"native", KEY_NATIVE, "CMD", 0, "measure the cost with builds by CMD; see below", 0},
    {"output", 'o', "FILE", 0, "also write the diff to FILE", 0},
    {"database", 'p', "DIR", 0, "take compiler flags from compile_commands.json", 0},
    {"pr", KEY_REQUEST, "FILE", 0, "write the diff and a message for review", 0},
    {"never-edit", KEY_NEVER, "DIR", 0, "edit no source below DIR; may be repeated", 0},
    {"keep", KEY_KEEP, "DIR", 0, "keep the logs of all runs in DIR", 0},
    {"confirmed", KEY_CONFIRMED, "FILE", 0, "repair only what rsan confirm wrote to FILE", 0},
    {NULL, 0, NULL, 0, NULL, 0},
};

struct arguments {
  struct fix fix;
  const char *build, *check, *output, *request, *keep, *confirmed;
  bool apply;
};

static void add_kept(const struct argp_state *state, struct fix *fix, const char *folder) {
  if (access(folder, F_OK) != 0)
    arguments_error(state, "--never-edit: %s: %s", folder, strerror(errno));
  fix->kept = need(realloc(fix->kept, (fix->kept_count + 1) * sizeof *fix->kept));
  fix->kept[fix->kept_count++] = folder;
}

// Takes options whose value is a text.
static bool take_text(int key, const char *text, struct arguments *arguments) {
  const struct {
    int key;
    const char **to;
  } texts[] = {
      {KEY_BUILD, &arguments->build},
      {KEY_NATIVE, &arguments->fix.native},
      {'o', &arguments->output},
      {'p', &arguments->fix.database},
      {KEY_REQUEST, &arguments->request},
      {KEY_KEEP, &arguments->keep},
      {KEY_CONFIRMED, &arguments->confirmed},
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    if (texts[i].key == key) {
      *texts[i].to = text;
      return true;
    }
  return false;
}

static error_t parse_option(int key, char *text, struct argp_state *state) {
  struct arguments *arguments = state->input;
  struct fix *fix = &arguments->fix;
  if (checked_take_option(key, &fix->plan.allow_empty) || take_text(key, text, arguments))
    return 0;
  switch (key) {
  case 'n':
    fix->runs = quantity_count(state, "--runs", text, UINT_MAX);
    return 0;
  case 'j':
    fix->plan.jobs = quantity_count(state, "--jobs", text, MAX_JOBS);
    return 0;
  case 't':
    fix->time = quantity_seconds(state, "--time", text);
    return 0;
  case KEY_TIMEOUT:
    fix->plan.timeout = quantity_seconds(state, "--timeout", text);
    return 0;
  case KEY_APPLY:
    arguments->apply = true;
    return 0;
  case KEY_CHECK:
    quantity_seconds(state, "--check", text);
    arguments->check = text;
    return 0;
  case KEY_NEVER:
    add_kept(state, fix, text);
    return 0;
  case ARGP_KEY_ARG:
    fix->plan.command = arguments_command(state);
    return 0;
  case ARGP_KEY_NO_ARGS:
    arguments_error(state, "which COMMAND?");
    return 0;
  case ARGP_KEY_SUCCESS:
    if (arguments->build && !arguments->apply)
      arguments_error(state, "--build is for --apply");
    if (arguments->check && !arguments->build)
      arguments_error(state, "--check is for --build");
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

// Atomic accesses in the programs and libraries that violations are in: what would have to be
// changed to make every access seq_cst.
static unsigned long count_accesses(const struct fix_problem *problem) {
  struct atomics atomics = {0};
  for (size_t i = 0; i < problem->module_count; i++) {
    GElf_Ehdr header;
    int descriptor;
    if (access(problem->modules[i], R_OK) != 0)
      continue;
    Elf *file = image_read_file(problem->modules[i], &descriptor);
    if (image_open(file, &header))
      atomics_count(file, &atomics);
    elf_file_close(file, descriptor);
  }
  return atomics.count[ATOMICS_LOAD] + atomics.count[ATOMICS_STORE] +
         atomics.count[ATOMICS_MODIFY] + atomics.count[ATOMICS_COMPARE];
}

static void print_summary(const struct fix *fix) {
  fix_print_summary(fix);
  printf("making all accesses seq_cst would change %lu accesses\n", count_accesses(&fix->problem));
  fix_print_native(fix);
  fix_print_left(fix);
  fix_print_harmless(fix);
  fix_print_races_left(fix);
}

static void say_stuck(const struct fix *fix) {
  const struct fix_problem *problem = &fix->problem;
  for (size_t i = 0; i < problem->violation_count; i++)
    if (problem->violations[i].level == FIX_GIVEN_UP)
      print_line(stdout, "not repaired: %s", problem->violations[i].place);
}

static bool build(const struct arguments *arguments) {
  int status = system(arguments->build);
  return status != -1 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// Exit status when the build has failed.
static int put_back(const struct arguments *arguments) {
  const struct fix *fix = &arguments->fix;
  bool restored = fix_restore(fix);
  print_line(stderr, "%s: `%s' failed; %s", fix->name, arguments->build,
             restored ? "the sources are as they were" : "the sources are not put back, as said");
  return 1;
}

// The status of the whole after the sources have been changed.
static int verify(struct arguments *arguments) {
  struct fix *fix = &arguments->fix;
  if (!arguments->build) {
    puts("applied, not rebuilt");
    return 0;
  }
  if (!build(arguments))
    return put_back(arguments);
  struct runs runs;
  fix->unfiltered = true; // tokens have lines in them, and these have moved
  bool run = fix_run(fix, NULL, NULL, fix->runs, false, &runs);
  size_t violations = records_of_type(&runs.records, "robustness violation");
  size_t found = fix_goals(fix, &runs.records), races = found - violations;
  if (violations)
    printf("applied and rebuilt: %zu violation%s in %u runs", violations, plural(violations),
           runs_ended(&runs));
  else if (races)
    printf("applied and rebuilt: %zu data race%s in %u runs", races, plural(races),
           runs_ended(&runs));
  else if (run)
    printf("applied and rebuilt: no violation in %u runs", runs_ended(&runs));
  if (fix->left_count && (found || run))
    printf("; %zu had been left", fix->left_count);
  if (found || run)
    putchar('\n');
  records_free(&runs.records);
  if (found > fix->left_count || !run)
    return found > fix->left_count ? 66 : fix->empty ? EXIT_EMPTY : 1;
  return arguments->check ? fix_prove(fix, arguments->check) : 0;
}

static unsigned count_refused(const struct fix *fix) {
  unsigned refused = 0;
  for (size_t i = 0; i < fix->problem.rule_count; i++)
    refused += fix->chosen[i] && fix->problem.rules[i].refused;
  return refused;
}

// What has become of --apply, and the status of that.
static int say_applied(struct arguments *arguments, int edited, unsigned refused) {
  struct fix *fix = &arguments->fix;
  if (edited != 0 && fix_print_changed(fix))
    return EXIT_PARTLY;
  if (edited != 0) {
    fprintf(stderr, "%s: %s\n", fix->name,
            arguments->apply ? "not applied: no source was changed"
                             : "the diff could not be written, as said");
    return 1;
  }
  if (arguments->apply && refused)
    printf("not applied: %u of the rules cannot be written into a source%s\n", refused,
           fix_is_edited(fix) ? "; the diff has the others" : "");
  else if (arguments->apply && !fix_is_edited(fix))
    puts("not applied: there is nothing to write");
  else if (arguments->apply)
    return verify(arguments);
  return 0;
}

// The diff, to standard output and to where else it was asked for; changes the sources if WRITE. As
// fix_edit.
static int edit(const struct arguments *arguments, bool clean, bool write) {
  const struct fix *fix = &arguments->fix;
  char own[PATH_MAX];
  const char *diff = arguments->output;
  snprintf(own, sizeof own, "%s/diff", fix->folder);
  if (!diff && arguments->request)
    diff = own;
  int edited = fix_edit(fix, diff, write);
  if (edited != 0 || !arguments->request || !clean || !fix_is_edited(fix))
    return edited;
  if (fix_write_request(fix, arguments->request, diff))
    return 0;
  print_line(stderr, "%s: %s: %s", fix->name, arguments->request, strerror(errno));
  return -1;
}

static int finish(struct arguments *arguments, bool clean) {
  struct fix *fix = &arguments->fix;
  int edited = -1;
  bool measured = !fix->native || fix_native(fix);
  unsigned refused = count_refused(fix);
  if (fix_modules_are_same(fix) && fix_save(fix))
    edited = edit(arguments, clean, arguments->apply && !refused);
  fix_note_applied(fix);
  print_summary(fix);
  if (clean)
    fix_print_schedules(fix);
  else
    say_stuck(fix);
  if (fix->untried)
    printf("%u of its rules may not be needed: --time was over\n", fix->untried);
  int status = say_applied(arguments, edited, refused);
  return status ? status : refused || !clean || !measured || fix_given_up(fix);
}

// The search; then what the runs do without is taken out and what siblings need is added, until
// that is clean as well.
static enum fix_outcome find_repair(struct fix *fix) {
  for (unsigned i = 0; i < MAX_EXTENSIONS; i++) {
    enum fix_outcome outcome = fix_search(fix);
    if (outcome != FIX_CLEAN)
      return outcome;
    if (!fix_reduce(fix) || !fix_replace_fences(fix)) {
      if (fix->interrupted || !fix_drop_refused(fix))
        return FIX_FAILED;
      continue;
    }
    if (!fix_add_siblings(fix))
      return FIX_CLEAN;
    struct runs runs;
    bool run = fix_confirm(fix, fix->chosen, &runs);
    bool clean = run && !fix_goals(fix, &runs.records);
    records_free(&runs.records);
    if (fix->interrupted || (!run && !fix_drop_refused(fix)))
      return FIX_FAILED;
    if (clean)
      return FIX_CLEAN;
  }
  return FIX_STUCK;
}

static int fix_all(struct arguments *arguments) {
  struct fix *fix = &arguments->fix;
  switch (find_repair(fix)) {
  case FIX_NO_VIOLATION:
    if (!fix->made && !fix->plan.allow_empty) {
      puts("no run came to its end: nothing is known of it");
      return 1;
    }
    if (fix->race_count)
      return finish(arguments, false);
    printf("no %sviolation in %u runs: nothing to repair\n", fix->only ? "confirmed " : "",
           fix->made);
    fix_print_left(fix);
    fix_print_harmless(fix);
    return 0;
  case FIX_CLEAN:
    return finish(arguments, true);
  case FIX_STUCK:
    return finish(arguments, false);
  case FIX_FAILED:
    break;
  }
  if (fix->interrupted)
    fprintf(stderr, "%s: interrupted: no repair is known to be clean\n", fix->name);
  return fix->interrupted   ? 130
         : fix->start_error ? runs_start_status(fix->start_error)
         : fix->empty       ? EXIT_EMPTY
                            : 1;
}

static int carry_out(int argc, char **argv, struct arguments *arguments) {
  static const struct argp argp = {.options = options,
                                   .parser = parse_option,
                                   .args_doc = "[--] COMMAND [ARGUMENT...]",
                                   .doc = description};
  if (arguments_parse(&argp, argc, argv, ARGP_IN_ORDER, arguments) != 0)
    return EXIT_USAGE;
  if (arguments->output && !file_output_check(arguments->output)) {
    print_line(stderr, "%s: cannot write %s: %s", argv[0], arguments->output, strerror(errno));
    return EXIT_USAGE;
  }
  if (arguments->request && !file_output_check(arguments->request)) {
    print_line(stderr, "%s: cannot write %s: %s", argv[0], arguments->request, strerror(errno));
    return EXIT_USAGE;
  }
  if (arguments->confirmed && !fix_read_confirmed(&arguments->fix, arguments->confirmed))
    return EXIT_USAGE;
  if (arguments->confirmed && !arguments->fix.only) {
    puts("no violation is confirmed: nothing to repair");
    fix_print_left(&arguments->fix);
    return 0;
  }
  guard_begin();
  arguments->fix.folder = run_folder_make(argv[0], arguments->keep);
  if (!arguments->fix.folder)
    return EXIT_USAGE;
  int status = fix_all(arguments);
  fix_free_saved(&arguments->fix);
  fix_free_races(&arguments->fix);
  fix_free_harmless(&arguments->fix);
  fix_free(&arguments->fix.problem);
  return status;
}

int command_fix(int argc, char **argv) {
  struct arguments *arguments = calloc(1, sizeof *arguments);
  if (!arguments)
    abort();
  arguments->fix = (struct fix){.name = argv[0],
                                .runs = DEFAULT_RUNS,
                                .begun = now_seconds(),
                                .plan = {.jobs = 1, .timeout = DEFAULT_TIMEOUT}};
  int status = carry_out(argc, argv, arguments);
  fix_free_confirmed(&arguments->fix);
  free(arguments->fix.kept);
  free(arguments);
  return status;
}
