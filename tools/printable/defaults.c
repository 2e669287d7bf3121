// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "defaults.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "completion.h"
#include "need.h"
#include "printable.h"
#include "similar.h"

static const struct defaults *defaults;

void defaults_set(const struct defaults *settings) {
  defaults = settings;
}

__attribute__((format(printf, 3, 4), noreturn)) static void
refuse(const char *program, const struct argument_default *option, const char *format, ...) {
  va_list values;
  char *text = NULL;
  va_start(values, format);
  const int length = vasprintf(&text, format, values);
  va_end(values);
  print_line(stderr, "%s: %s:%u: %s: %s", program, defaults->file, option->line, option->name,
             length < 0 ? format : text);
  exit(argp_err_exit_status);
}

// The options and operands that the command line has.
struct given {
  const struct argp_option **options;
  size_t count;
  bool operand;
  bool takes_none; // --resume, or a question for help
};

static bool asks_help(const char *word) {
  static const char *const own[] = {"--help", "--usage", "--version"};
  const size_t length = strlen(word);
  for (size_t i = 0; i < sizeof own / sizeof *own; i++)
    if (length > 2 && strncmp(own[i], word, length) == 0)
      return true;
  return strcmp(word, "-?") == 0 || strcmp(word, "-V") == 0;
}

static struct given find_given(const struct argp *argp, int argc, char **argv, bool in_order) {
  struct given given = {.options = need(calloc((size_t)argc + 1, sizeof *given.options))};
  for (int i = 1; i < argc; i++) {
    const bool ends = strcmp(argv[i], "--") == 0;
    if (ends || argv[i][0] != '-' || !argv[i][1]) {
      given.operand |= !ends || i + 1 < argc;
      if (ends || in_order)
        break;
      continue;
    }
    const struct argp_option *option = completion_option(argp, argv[i]);
    if (option)
      given.options[given.count++] = option;
    given.takes_none |=
        option ? option->name && strcmp(option->name, "resume") == 0 : asks_help(argv[i]);
    i += completion_takes_next(argp, argv[i]);
  }
  return given;
}

static bool has(const struct given *given, const struct argp_option *option) {
  for (size_t i = 0; i < given->count; i++)
    if (given->options[i]->key == option->key)
      return true;
  return false;
}

static const struct argp_option *find_option(const struct argp *argp, const char *program,
                                             const struct argument_default *wanted) {
  struct similar similar = {.typed = wanted->name};
  for (const struct argp_option *at = argp->options; at->name || at->key || at->doc; at++) {
    if (!at->name)
      continue;
    if (strcmp(at->name, wanted->name) == 0)
      return at;
    similar_offer(&similar, at->name);
  }
  if (similar.best)
    refuse(program, wanted, "there is no option --%s; did you mean %s?", wanted->name,
           similar.best);
  refuse(program, wanted, "there is no option --%s", wanted->name);
}

static char *path_of(const char *name) {
  char *path = NULL;
  if (*name == '/' || strcmp(name, "-") == 0 || !*defaults->folder)
    return need(strdup(name));
  if (asprintf(&path, "%s/%s", defaults->folder, name) < 0)
    abort();
  return path;
}

static char *option_word(const struct argp_option *option, const char *value) {
  const bool is_path = strcmp(option->arg, "FILE") == 0 || strcmp(option->arg, "DIR") == 0;
  char *text = is_path ? path_of(value) : need(strdup(value)), *word = NULL;
  if (asprintf(&word, "--%s=%s", option->name, text) < 0)
    abort();
  free(text);
  return word;
}

struct words {
  char **words;
  size_t count;
};

static void add_word(struct words *words, char *word) {
  words->words = need(realloc(words->words, (words->count + 2) * sizeof *words->words));
  words->words[words->count++] = word;
  words->words[words->count] = NULL;
}

static void add_option(struct words *words, const struct argp_option *option, const char *program,
                       const struct argument_default *wanted) {
  const bool may_be_flag = !option->arg || option->flags & OPTION_ARG_OPTIONAL;
  char *flag = NULL;
  if (wanted->boolean && !may_be_flag)
    refuse(program, wanted, "it needs a value, %s", option->arg);
  if (!wanted->boolean && !option->arg)
    refuse(program, wanted, "it must be true or false");
  for (char **value = wanted->values; !wanted->boolean && *value; value++)
    add_word(words, option_word(option, *value));
  if (!wanted->boolean || strcmp(wanted->values[0], "1") != 0)
    return;
  if (asprintf(&flag, "--%s", option->name) < 0)
    abort();
  add_word(words, flag);
}

// The first word is a program; without a slash it is looked for in PATH.
static void add_command(struct words *words) {
  add_word(words, need(strdup("--")));
  for (size_t i = 0; defaults->command[i]; i++) {
    const char *word = defaults->command[i];
    add_word(words, i == 0 && strchr(word, '/') ? path_of(word) : need(strdup(word)));
  }
}

static char **added; // of the arguments that are being parsed; NULL at the end

static void tell_added(int status, void *unused) {
  (void)unused;
  if (status != argp_err_exit_status || !added)
    return;
  for (char **word = added; *word; word++)
    print_line(stderr, "note: %s gives %s", defaults->file, *word);
}

void defaults_accepted(void) {
  added = NULL;
}

void defaults_apply(const struct argp *argp, int *argc, char ***argv, bool in_order) {
  struct words words = {0};
  if (!defaults)
    return;
  const struct given given = find_given(argp, *argc, *argv, in_order);
  add_word(&words, (*argv)[0]);
  for (size_t i = 0; i < defaults->count && !given.takes_none; i++) {
    const struct argument_default *wanted = &defaults->options[i];
    const struct argp_option *option = find_option(argp, (*argv)[0], wanted);
    if (!has(&given, option))
      add_option(&words, option, (*argv)[0], wanted);
  }
  if (words.count > 1) {
    added = need(calloc(words.count, sizeof *added));
    memcpy(added, words.words + 1, (words.count - 1) * sizeof *added);
    on_exit(tell_added, NULL);
  }
  for (int i = 1; i < *argc; i++)
    add_word(&words, (*argv)[i]);
  const bool wants_command = argp->args_doc && strstr(argp->args_doc, "COMMAND");
  if (defaults->command && wants_command && !given.operand && !given.takes_none)
    add_command(&words);
  free(given.options);
  if (defaults->show) {
    defaults->show(words.words);
    exit(0);
  }
  *argc = (int)words.count;
  *argv = words.words;
}
