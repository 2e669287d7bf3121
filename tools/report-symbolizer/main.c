// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rsan-symbolize: symbolizes reports that were written with symbolize=0, or where no symbolizer
// was. Exit status: enum status in complain.h.

#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arguments.h"
#include "complain.h"
#include "input.h"
#include "report.h"

const char *argp_program_version = "rsan-symbolize " RSAN_VERSION;

static const char description[] =
    "Write the reports in FILE... (or standard input) with functions, files and lines in place of "
    "raw addresses, as the program itself would have written them; everything else passes "
    "unchanged. For reports written with RSAN_OPTIONS=symbolize=0, or without a symbolizer."
    "\v"
    "The program and its shared libraries must be the very builds that ran; build ids are "
    "compared. If frames stay raw because a module is missing or was rebuilt, a line on standard "
    "error names the module.\n"
    "\n"
    "A raw report does not tell the name of a global variable unless it has a line \"Location is "
    "global\".\n"
    "\n"
    "Exit status: 0 all done; 1 some frames are still raw; 2 wrong usage, an input that "
    "cannot be read, an output that cannot be written, or no symbolizer (the reports have then "
    "passed as they were).\n";

static const struct argp_option options[] = {
    {"symbolizer", 's', "PATH", 0, "run that llvm-symbolizer (llvm-symbolizer-" RSAN_LLVM_MAJOR ")",
     0},
    {"module-dir", 'm', "DIR", 0, "look into DIR for modules first; may be repeated", 0},
    {"sysroot", 'r', "DIR", 0, "find programs and libraries below DIR", 0},
    {"strip-path-prefix", 'p', "PREFIX", 0, "leave out source paths up to PREFIX", 0},
    {NULL, 0, NULL, 0, NULL, 0},
};

struct arguments {
  struct rewriter rewriter;
  char **files; // NULL: standard input
};

static void add_folder(struct modules *modules, const char *folder) {
  modules->folders =
      must_alloc(modules->folders, (modules->folder_count + 1) * sizeof *modules->folders);
  modules->folders[modules->folder_count++] = folder;
}

static error_t parse_option(int key, char *value, struct argp_state *state) {
  struct arguments *arguments = state->input;
  switch (key) {
  case 's':
    arguments->rewriter.sources.symbolizer.path = value;
    return 0;
  case 'm':
    add_folder(&arguments->rewriter.sources.modules, value);
    return 0;
  case 'r':
    arguments->rewriter.sources.modules.sysroot = value;
    return 0;
  case 'p':
    arguments->rewriter.sources.strip_path_prefix = value;
    return 0;
  case ARGP_KEY_ARGS:
    arguments->files = state->argv + state->next;
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

static void rewrite(struct rewriter *rewriter, int fd, const char *name) {
  struct input input;
  const char *text;
  size_t length;
  int more;
  input_begin(&input, fd);
  while ((more = input_line(&input, &text, &length)) > 0 && !ferror(stdout))
    rewriter_line(rewriter, text, length);
  int error = errno;
  rewriter_flush(rewriter);
  if (more < 0)
    complain(STATUS_FAILED, "cannot read %s: %s", name, strerror(error));
  input_end(&input);
}

static void rewrite_file(struct rewriter *rewriter, const char *name) {
  if (strcmp(name, "-") == 0) {
    rewrite(rewriter, STDIN_FILENO, "standard input");
    return;
  }
  int fd = open(name, O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    complain(STATUS_FAILED, "cannot read %s: %s", name, strerror(errno));
    return;
  }
  rewrite(rewriter, fd, name);
  close(fd);
}

// Ignores EPIPE: a reader such as head may close the pipe early.
static void finish_output(void) {
  bool failed = ferror(stdout);
  int error = failed ? errno : 0;
  if (fclose(stdout) != 0) {
    failed = true;
    error = errno;
  }
  if (failed && error != EPIPE)
    complain(STATUS_FAILED, "cannot write: %s", strerror(error));
  if (failed)
    exit(STATUS_FAILED);
}

int main(int argc, char **argv) {
  static const struct argp argp = {options, parse_option, "[FILE...]", description,
                                   NULL,    NULL,         NULL};
  struct arguments arguments = {
      .rewriter.sources = {.modules = {.sysroot = ""}, .strip_path_prefix = ""}};
  argp_err_exit_status = STATUS_FAILED;
  arguments_parse(&argp, argc, argv, 0, &arguments);
  signal(SIGPIPE, SIG_IGN); // of the symbolizer that has ended, and of standard output

  if (!arguments.files)
    rewrite(&arguments.rewriter, STDIN_FILENO, "standard input");
  for (char **file = arguments.files; file && *file; file++)
    rewrite_file(&arguments.rewriter, *file);
  rewriter_end(&arguments.rewriter);
  free(arguments.rewriter.sources.modules.folders);
  finish_output();
  return complaint_status();
}
