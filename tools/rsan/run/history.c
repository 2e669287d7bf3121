// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "history.h"

#include <limits.h>
#include <string.h>

#include "report/record.h"

static const char *const names[RUN_ENDS] = {"clean", "with reports", "failed", "hung",
                                            "ended early"};

const char *run_end_name(enum run_end end) {
  return names[end];
}

void history_write(FILE *out, const struct past_run *run, const struct records *records) {
  const char *separator = "";
  fprintf(out, "{\"run\":%u,\"end\":\"%s\",\"status\":%d,\"seconds\":%.3f", run->number,
          names[run->end], run->status, run->seconds);
  if (run->departed)
    fputs(",\"departed\":true", out);
  if (run->signal)
    fprintf(out, ",\"signal\":%d", run->signal);
  if (run->ceased)
    fputs(",\"ceased\":true", out);
  if (run->core)
    fputs(",\"core\":true", out);
  fputs(",\"tokens\":[", out);
  for (size_t i = 0; i < records->count; i++) {
    if (records->at[i].last_run != run->number)
      continue;
    cJSON *token = cJSON_CreateString(records->at[i].token);
    char *text = cJSON_PrintUnformatted(token);
    fprintf(out, "%s%s", separator, text ? text : "\"\"");
    cJSON_free(text);
    cJSON_Delete(token);
    separator = ",";
  }
  fputs("]}\n", out);
}

static bool find_end(const char *name, enum run_end *end) {
  for (int i = 0; name && i < RUN_ENDS; i++)
    if (strcmp(name, names[i]) == 0) {
      *end = i;
      return true;
    }
  return false;
}

bool history_read(const char *line, struct past_run *run, const char *tokens[HISTORY_TOKENS],
                  size_t *count, cJSON **tree) {
  cJSON *json = *tree = cJSON_Parse(line);
  const cJSON *seconds = cJSON_GetObjectItemCaseSensitive(json, "seconds"), *token;
  uint64_t number = record_number(json, "run"), status = record_number(json, "status");
  *count = 0;
  *run = (struct past_run){.number = (unsigned)number,
                           .status = (int)status,
                           .seconds = cJSON_IsNumber(seconds) ? seconds->valuedouble : 0,
                           .signal = (int)record_number(json, "signal"),
                           .departed = record_true(json, "departed"),
                           .ceased = record_true(json, "ceased"),
                           .core = record_true(json, "core")};
  cJSON_ArrayForEach(token, record_list(json, "tokens")) {
    if (!cJSON_IsString(token) || *count == HISTORY_TOKENS)
      return false;
    tokens[(*count)++] = token->valuestring;
  }
  return number > 0 && number < UINT_MAX && status < 256 && run->signal >= 0 && run->signal < 128 &&
         find_end(record_text(json, "end"), &run->end) && record_list(json, "tokens");
}
