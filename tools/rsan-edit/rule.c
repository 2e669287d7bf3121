// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "rule.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file/line.h"
#include "printable.h"

static const char *const orders[] = {"relaxed", "acquire", "release", "acq_rel", "seq_cst"};

// Sets NUMBER only if the text is one.
static bool parse_number(const char *text, unsigned *number) {
  char *end;
  errno = 0;
  unsigned long value = strtoul(text, &end, 10);
  bool fine = *text >= '1' && *text <= '9' && !*end && !errno && value < 1u << 30;
  if (fine)
    *number = (unsigned)value;
  return fine;
}

// FILE:LINE or FILE:LINE:COLUMN; a file's name may have colons of its own.
static bool parse_point(char *text, struct rule *rule) {
  char *last = strrchr(text, ':');
  unsigned number;
  if (!last || last == text || !parse_number(last + 1, &number))
    return false;
  *last = 0;
  char *line = strrchr(text, ':');
  rule->line = number;
  if (line && line != text && parse_number(line + 1, &rule->line)) {
    rule->column = number;
    *line = 0;
  }
  rule->file = text;
  return true;
}

static const char *parse_rule(char *line, struct rule *rule) {
  char *place = NULL, *word = strtok_r(line, " \t", &place);
  if (strcmp(word, "fence-before") == 0) {
    rule->kind = RULE_FENCE_BEFORE;
  } else if (strcmp(word, "fence-after") == 0) {
    rule->kind = RULE_FENCE_AFTER;
  } else if (strcmp(word, "order") == 0) {
    rule->kind = RULE_ORDER;
    const char *order = strtok_r(NULL, " \t", &place);
    for (int i = ORDER_ACQUIRE; order && i <= ORDER_SEQ_CST; i++)
      if (strcmp(order, orders[i]) == 0)
        rule->order = (enum rule_order)i;
    if (!rule->order)
      return "an order is acquire, release, acq_rel or seq_cst";
  } else {
    return "a rule begins with fence-before, fence-after or order";
  }
  char *point = strtok_r(NULL, "", &place);
  if (!point)
    return "the place is missing: FILE:LINE:COLUMN";
  point += strspn(point, " \t");
  if (!parse_point(point, rule))
    return "the place is not FILE:LINE:COLUMN (one in a module has no source)";
  rule->given = strdup(rule->file);
  rule->file = strdup(rule->file);
  return rule->file && rule->given ? NULL : "no memory";
}

static void strip(char *line) {
  for (char *at = line; (at = strchr(at, '#')); at++)
    if (at == line || at[-1] == ' ' || at[-1] == '\t') {
      *at = 0;
      break;
    }
  size_t length = strlen(line);
  while (length && strchr(" \t\r\n", line[length - 1]))
    line[--length] = 0;
}

bool rules_read(const char *path, struct rules *rules) {
  FILE *file = fopen(path, "r");
  char *line = NULL;
  size_t size = 0;
  unsigned number = 0;
  bool fine = true;
  *rules = (struct rules){0};
  if (!file) {
    print_line(stderr, "%s: %s", path, strerror(errno));
    return false;
  }
  while (file_line(&line, &size, file) >= 0) {
    number++;
    strip(line);
    if (!line[strspn(line, " \t")])
      continue;
    struct rule rule = {0};
    const char *error = parse_rule(line, &rule);
    if (error) {
      print_line(stderr, "%s:%u: %s", path, number, error);
      fine = false;
      continue;
    }
    rules->at = realloc(rules->at, (rules->count + 1) * sizeof *rules->at);
    if (!rules->at)
      abort();
    rules->at[rules->count++] = rule;
  }
  if (!feof(file)) { // as of a folder
    print_line(stderr, "%s: %s", path, strerror(errno));
    fine = false;
  }
  free(line);
  fclose(file);
  return fine;
}

void rules_free(struct rules *rules) {
  for (size_t i = 0; i < rules->count; i++) {
    free(rules->at[i].given);
    free(rules->at[i].file);
  }
  free(rules->at);
}

const char *rule_text(const struct rule *rule) {
  static char text[32];
  if (rule->kind != RULE_ORDER)
    return rule->kind == RULE_FENCE_AFTER ? "fence after" : "fence before";
  snprintf(text, sizeof text, "order %s", orders[rule->order]);
  return text;
}

bool rule_refuse(struct rule *rule, const char *format, ...) {
  va_list values;
  va_start(values, format);
  if (!*rule->reason)
    vsnprintf(rule->reason, sizeof rule->reason, format, values);
  va_end(values);
  return false;
}
