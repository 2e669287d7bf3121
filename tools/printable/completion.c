// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "completion.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "printable.h"
#include "similar.h"

bool completion_asked(int *argc, char ***argv) {
  if (*argc < 2 || strcmp((*argv)[1], "--complete") != 0)
    return false;
  (*argv)[1] = (*argv)[0];
  ++*argv;
  --*argc;
  return true;
}

void completion_offer(const char *typed, const char *word, const char *text) {
  if (strncmp(typed, word, strlen(typed)) != 0)
    return;
  put_printable(word, stdout);
  fputc('\t', stdout);
  put_printable(text ? text : "", stdout);
  fputc('\n', stdout);
}

static bool is_end(const struct argp_option *option) {
  return !option->name && !option->key && !option->doc && !option->group;
}

// It finds the same option as getopt.
const struct argp_option *completion_option(const struct argp *argp, const char *word) {
  const struct argp_option *found = NULL;
  unsigned count = 0;
  size_t length = word[0] == '-' && word[1] == '-' ? strcspn(word + 2, "=") : 0;
  for (const struct argp_option *at = argp->options; at && !is_end(at); at++) {
    if (length == 0 ? at->key == word[1] && isprint((unsigned char)word[1])
                    : at->name && strcmp(at->name, word + 2) == 0)
      return at;
    if (length && at->name && strncmp(at->name, word + 2, length) == 0) {
      found = at;
      count++;
    }
  }
  return count == 1 ? found : NULL;
}

// The option whose value the next word is; NULL: it is not the value of this word.
static const struct argp_option *wants_value(const struct argp *argp, const char *word) {
  const struct argp_option *option = completion_option(argp, word);
  bool has_value = word[1] == '-' ? strchr(word, '=') != NULL : word[2] != 0;
  return option && option->arg && !(option->flags & OPTION_ARG_OPTIONAL) && !has_value ? option
                                                                                       : NULL;
}

bool completion_takes_next(const struct argp *argp, const char *word) {
  return wants_value(argp, word) != NULL;
}

// The values of an option whose argument is called a|b|c; file names for every other.
static void offer_values(const struct argp_option *option, const char *before, const char *typed) {
  char *names = option && strchr(option->arg, '|') ? strdup(option->arg) : NULL, *rest = NULL;
  if (!names) {
    puts(":files");
    return;
  }
  for (char *name = strtok_r(names, "|", &rest); name; name = strtok_r(NULL, "|", &rest)) {
    char *word = NULL;
    if (asprintf(&word, "%s%s", before, name) >= 0)
      completion_offer(typed, word, NULL);
    free(word);
  }
  free(names);
}

static void offer_options(const struct argp *argp, const char *typed) {
  char word[64];
  for (const struct argp_option *at = argp->options; at && !is_end(at); at++) {
    if (!at->name || at->flags & OPTION_HIDDEN)
      continue;
    snprintf(word, sizeof word, "--%s", at->name);
    completion_offer(typed, word, at->doc);
  }
  completion_offer(typed, "--help", "give this help list");
  completion_offer(typed, "--usage", "give a short usage message");
  if (argp_program_version)
    completion_offer(typed, "--version", "print program version");
}

// Is it an option that the program does not have? An abbreviation of several is none.
static bool is_unknown(const struct argp *argp, const char *word) {
  static const char *const own[] = {"help", "usage", "version"};
  size_t length = strcspn(word + 2, "=");
  for (const struct argp_option *at = argp->options; at && !is_end(at); at++)
    if (at->name && strncmp(at->name, word + 2, length) == 0)
      return false;
  for (size_t i = 0; i < sizeof own / sizeof *own; i++)
    if (strncmp(own[i], word + 2, length) == 0)
      return false;
  return true;
}

const char *completion_unknown(const struct argp *argp, int argc, char **argv, bool in_order,
                               struct similar *similar) {
  char name[64];
  for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
    if (argv[i][0] != '-' || !argv[i][1]) {
      if (in_order)
        return NULL;
    } else if (argv[i][1] == '-' && is_unknown(argp, argv[i])) {
      snprintf(name, sizeof name, "%.*s", (int)strcspn(argv[i] + 2, "="), argv[i] + 2);
      *similar = (struct similar){.typed = name};
      for (const struct argp_option *at = argp->options; at && !is_end(at); at++)
        if (at->name && !(at->flags & OPTION_HIDDEN))
          similar_offer(similar, at->name);
      similar->typed = NULL; // it ends here
      return similar->best ? argv[i] : NULL;
    } else {
      i += completion_takes_next(argp, argv[i]);
    }
  }
  return NULL;
}

void completion_print(const struct argp *argp, int argc, char **argv, bool in_order) {
  const char *typed = argc > 1 ? argv[argc - 1] : "";
  const struct argp_option *value = NULL;
  bool operands = false;
  for (int i = 1; i < argc - 1 && !operands; i++) {
    const char *word = argv[i];
    if (value)
      value = NULL;
    else if (word[0] == '-' && word[1])
      value = wants_value(argp, word);
    else
      operands = in_order;
    operands |= strcmp(word, "--") == 0;
  }
  const char *equals = strchr(typed, '=');
  if (!operands && value) {
    offer_values(value, "", typed);
  } else if (!operands && strncmp(typed, "--", 2) == 0 && equals) {
    char *before = strndup(typed, (size_t)(equals + 1 - typed));
    offer_values(completion_option(argp, typed), before ? before : "", typed);
    free(before);
  } else if (!operands && *typed == '-') {
    offer_options(argp, typed);
  } else {
    puts(":files");
  }
}
