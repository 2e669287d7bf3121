// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// model FILE: stands in for a program with RSan's runtime, as rsan fix sees it. FILE is a list of
// violations, each with
//   token, cycle  steps "NAME EDGE": an access at the mark /*NAME*/ of the source, and its edge to
//                 the next step (po, sync, rf, mo, fr)
//   ends          [NAME, NAME] in place of a cycle: missed write, offending access
//   repairs       as in a record, but with NAME as the frame; absent: none
//   needs         [[RULE...]...]: not reported if one rule of each list is simulated; "KIND NAME"
//   class         as in a record
//   runs          N: reported in every Nth run only
//   refuses       true: every second run with rules ends because of one of them
//   hides         a token: reported once that one is not any more
//   siblings      as in a record, but with NAME as the frames of "write" and "read"
// and one object without a token, for what count_repairs=1 says:
//   counts        {RULE: [EXECUTIONS, CALLERS]...}
//   illegal       {RULE: WHY...}: a run with the rule ends because of it
// The source is FILE with .c for .json, and the module that it was built into is FILE with .o.

#include <cjson/cJSON.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char source[PATH_MAX], module[PATH_MAX], marks[1 << 16], rules[1 << 16];

static void read_file(const char *path, char *text, size_t size) {
  FILE *file = fopen(path, "r");
  size_t length = file ? fread(text, 1, size - 1, file) : 0;
  text[length] = 0;
  if (file)
    fclose(file);
}

// The value of an option that is quoted, or "".
static const char *option(const char *name) {
  static char value[2][PATH_MAX];
  static int next;
  char *to = value[next++ % 2];
  const char *text = getenv("RSAN_OPTIONS"), *at = text ? strstr(text, name) : NULL;
  *to = 0;
  if (at && at[strlen(name)] == '=' && at[strlen(name) + 1] == '"') {
    at += strlen(name) + 2;
    snprintf(to, PATH_MAX, "%.*s", (int)strcspn(at, "\""), at);
  }
  return to;
}

static void find_mark(const char *name, int *line, int *column) {
  char mark[64];
  snprintf(mark, sizeof mark, "/*%s*/", name);
  const char *at = strstr(marks, mark);
  *line = 1;
  *column = (int)strlen(mark) + 1;
  for (const char *c = marks; at && c < at; c++) {
    *line += *c == '\n';
    *column = *c == '\n' ? (int)strlen(mark) + 1 : *column + 1;
  }
}

// Where it is among the rules, NULL if it is not.
static const char *find_rule(const char *rule) {
  char line[PATH_MAX + 128];
  const char *name = strrchr(rule, ' ') + 1;
  int number, column;
  find_mark(name, &number, &column);
  snprintf(line, sizeof line, "%.*s %s:%d:%d\n", (int)(name - 1 - rule), rule, source, number,
           column);
  return strstr(rules, line);
}

static bool is_simulated(const char *rule) {
  return find_rule(rule);
}

static unsigned line_of(const char *at) {
  unsigned line = 1;
  for (const char *c = rules; c < at; c++)
    line += *c == '\n';
  return line;
}

// What count_repairs=1 prints, of the rules that the model has counts for.
static void print_counts(const cJSON *violations, FILE *log) {
  const cJSON *object, *count;
  cJSON_ArrayForEach(object, violations) {
    cJSON_ArrayForEach(count, cJSON_GetObjectItem(object, "counts")) {
      const char *at = find_rule(count->string);
      const cJSON *why = cJSON_GetObjectItem(cJSON_GetObjectItem(object, "illegal"), count->string);
      if (at)
        fprintf(log, "ThreadSanitizer: %s:%u: %d executions, %d callers%s%s\n", option("simulate"),
                line_of(at), cJSON_GetArrayItem(count, 0)->valueint,
                cJSON_GetArrayItem(count, 1)->valueint, why ? ": " : "",
                why ? why->valuestring : "");
    }
  }
}

// The rule that the runtime would refuse: 66 after the words for it, else 0.
static int refuse(const cJSON *violations, FILE *log) {
  const cJSON *object, *why;
  cJSON_ArrayForEach(object, violations) {
    cJSON_ArrayForEach(why, cJSON_GetObjectItem(object, "illegal")) {
      const char *at = find_rule(why->string);
      if (at) {
        fprintf(log, "ThreadSanitizer: %s:%u: %s\n", option("simulate"), line_of(at),
                why->valuestring);
        return 66;
      }
    }
  }
  return 0;
}

// The function that a line is in: the last one that begins before it.
static void find_function(int line, char name[32]) {
  const char *at = marks;
  *name = 0;
  for (int i = 1; i <= line && at; i++, at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL)
    if (strncmp(at, "int ", 4) == 0 || strncmp(at, "void ", 5) == 0)
      sscanf(strchr(at, ' '), " %31[a-z]", name);
}

static bool is_repaired(const cJSON *violation) {
  const cJSON *need, *rule;
  cJSON_ArrayForEach(need, cJSON_GetObjectItem(violation, "needs")) {
    bool met = false;
    cJSON_ArrayForEach(rule, need) met |= is_simulated(rule->valuestring);
    if (!met)
      return false;
  }
  return true;
}

static cJSON *make_frame(const char *name) {
  int line, column;
  char offset[32];
  find_mark(name, &line, &column);
  snprintf(offset, sizeof offset, "0x%x%02x", (unsigned)line, (unsigned)column);
  cJSON *frame = cJSON_CreateObject();
  cJSON_AddStringToObject(frame, "module", module);
  cJSON_AddStringToObject(frame, "offset", offset);
  char function[32];
  find_function(line, function);
  cJSON_AddStringToObject(frame, "function", function);
  cJSON_AddStringToObject(frame, "file", source);
  cJSON_AddNumberToObject(frame, "line", line);
  cJSON_AddNumberToObject(frame, "column", column);
  return frame;
}

static void add_access(cJSON *accesses, const char *name) {
  cJSON *access = cJSON_CreateObject();
  cJSON_AddItemToArray(cJSON_AddArrayToObject(access, "stack"), make_frame(name));
  cJSON_AddItemToArray(accesses, access);
}

static void add_cycle(cJSON *record, const cJSON *cycle, char first[16], char last[16]) {
  static const char *const edges[][2] = {{"po", "program order"},
                                         {"sync", "synchronisation"},
                                         {"rf", "reads-from"},
                                         {"mo", "modification order"},
                                         {"fr", "from-read"}};
  const cJSON *text;
  cJSON *steps = cJSON_AddArrayToObject(cJSON_AddObjectToObject(record, "cycle"), "steps");
  cJSON_ArrayForEach(text, cycle) {
    char edge[16] = "";
    if (sscanf(text->valuestring, "%15s %15s", last, edge) != 2)
      abort();
    if (text == cycle->child)
      strcpy(first, last);
    cJSON *step = cJSON_CreateObject();
    cJSON_AddObjectToObject(step, "access");
    cJSON_AddItemToObject(step, "frame", make_frame(last));
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++)
      if (strcmp(edge, edges[i][0]) == 0)
        cJSON_AddStringToObject(step, "to_next", edges[i][1]);
    cJSON_AddItemToArray(steps, step);
  }
}

static void add_siblings(cJSON *record, const cJSON *siblings) {
  static const char *const sides[] = {"write", "read"};
  cJSON *copy = cJSON_Duplicate(siblings, true), *sibling;
  cJSON_ArrayForEach(sibling, copy) for (int i = 0; i < 2; i++) {
    cJSON *side = cJSON_GetObjectItem(sibling, sides[i]);
    const char *name = cJSON_GetObjectItem(side, "frame")->valuestring;
    cJSON_ReplaceItemInObject(side, "frame", make_frame(name));
  }
  if (copy)
    cJSON_AddItemToObject(record, "siblings", copy);
}

static void report(const cJSON *violation, FILE *log) {
  char first[16] = "", last[16] = "";
  const cJSON *cycle = cJSON_GetObjectItem(violation, "cycle"), *repair;
  const cJSON *ends = cJSON_GetObjectItem(violation, "ends");
  cJSON *record = cJSON_CreateObject();
  cJSON_AddNumberToObject(record, "rsan_report", 1);
  cJSON_AddStringToObject(record, "type", "robustness violation");
  cJSON_AddStringToObject(record, "token", cJSON_GetObjectItem(violation, "token")->valuestring);
  if (cJSON_GetObjectItem(violation, "class"))
    cJSON_AddStringToObject(record, "class", cJSON_GetObjectItem(violation, "class")->valuestring);
  if (cycle)
    add_cycle(record, cycle, first, last);
  cJSON *accesses = cJSON_AddArrayToObject(record, "accesses");
  add_access(accesses, cycle ? last : cJSON_GetArrayItem(ends, 1)->valuestring);
  add_access(accesses, cycle ? first : cJSON_GetArrayItem(ends, 0)->valuestring);
  cJSON *repairs = cJSON_AddArrayToObject(record, "repairs");
  cJSON_ArrayForEach(repair, cJSON_GetObjectItem(violation, "repairs")) {
    cJSON *copy = cJSON_Duplicate(repair, true);
    const char *name = cJSON_GetObjectItem(repair, "frame")->valuestring;
    cJSON_ReplaceItemInObject(copy, "frame", make_frame(name));
    cJSON_AddItemToArray(repairs, copy);
  }
  add_siblings(record, cJSON_GetObjectItem(violation, "siblings"));
  char *line = cJSON_PrintUnformatted(record);
  fprintf(log, "%s\n", line);
  free(line);
  cJSON_Delete(record);
}

static unsigned count_run(const char *model) {
  char path[PATH_MAX + 16], text[32];
  snprintf(path, sizeof path, "%s.counter", model);
  read_file(path, text, sizeof text);
  unsigned run = (unsigned)strtoul(text, NULL, 10) + 1;
  FILE *file = fopen(path, "w");
  fprintf(file, "%u", run);
  fclose(file);
  return run;
}

static bool is_hidden(const cJSON *violations, const cJSON *violation) {
  const cJSON *hides = cJSON_GetObjectItem(violation, "hides"), *other;
  cJSON_ArrayForEach(other, violations) {
    if (hides && cJSON_GetObjectItem(other, "token") &&
        strcmp(cJSON_GetObjectItem(other, "token")->valuestring, hides->valuestring) == 0)
      return !is_repaired(other);
  }
  return false;
}

int main(int argc, char **argv) {
  static char model[1 << 16];
  char path[PATH_MAX + 32];
  if (argc != 2 || strlen(argv[1]) < 5)
    return 2;
  read_file(argv[1], model, sizeof model);
  snprintf(source, sizeof source, "%.*sc", (int)strlen(argv[1]) - 4, argv[1]);
  snprintf(module, sizeof module, "%.*so", (int)strlen(argv[1]) - 4, argv[1]);
  read_file(source, marks, sizeof marks);
  read_file(option("simulate"), rules, sizeof rules);
  unsigned run = count_run(argv[1]);
  snprintf(path, sizeof path, "%s.%d", option("log_path"), (int)getpid());
  FILE *log = fopen(path, "a");
  cJSON *violations = cJSON_Parse(model), *violation;
  if (!log || !violations)
    return 3;
  int status = 0;
  if (strstr(getenv("RSAN_OPTIONS"), "count_repairs=1")) {
    print_counts(violations, log);
    *rules = 0;
  }
  status = refuse(violations, log);
  if (status) {
    fclose(log);
    return status;
  }
  cJSON_ArrayForEach(violation, violations) {
    if (!cJSON_GetObjectItem(violation, "token"))
      continue;
    if (cJSON_GetObjectItem(violation, "refuses") && *rules && run % 2 == 0) {
      fprintf(log, "ThreadSanitizer: %s:1: a store cannot be acquire\n", option("simulate"));
      fclose(log);
      return 66;
    }
    const cJSON *runs = cJSON_GetObjectItem(violation, "runs");
    if (is_repaired(violation) || is_hidden(violations, violation) ||
        (runs && run % (unsigned)runs->valueint))
      continue;
    report(violation, log);
    status = 66;
  }
  fputs("RSan statistics (pid=1):\n  violations  0  text\n  simulated_fences  12  text\n", log);
  fclose(log);
  cJSON_Delete(violations);
  return status;
}
