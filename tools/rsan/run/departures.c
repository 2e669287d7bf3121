// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "departures.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

#include "file/line.h"
#include "report/record.h"

static void read_log(void *context, const char *path) {
  struct departures *departures = context;
  unsigned long count = 0;
  struct stat status;
  char *line = NULL;
  size_t size = 0;
  FILE *file = fopen(path, "r");
  while (file && file_line(&line, &size, file) >= 0) {
    cJSON *departure = cJSON_Parse(line);
    bool sound = record_number(departure, "rsan_departure") == 1;
    count += sound;
    if (sound && cJSON_GetArraySize(departures->list) < MAX_DEPARTURES)
      cJSON_AddItemToArray(departures->list, departure);
    else
      cJSON_Delete(departure); // or a line that a crash broke off
  }
  if (file)
    fclose(file);
  free(line);
  double written = count && stat(path, &status) == 0
                       ? (double)status.st_mtim.tv_sec + (double)status.st_mtim.tv_nsec / 1e9
                       : 0;
  if (written > departures->last)
    departures->last = written;
  departures->count += count;
  if (count > departures->most)
    departures->most = count;
}

void departures_read(struct departures *departures, const struct run_plan *plan, unsigned run) {
  *departures = (struct departures){.list = cJSON_CreateArray()};
  run_files(plan, run, "weak.", read_log, departures);
}

void departures_read_file(struct departures *departures, const char *path) {
  *departures = (struct departures){.list = cJSON_CreateArray()};
  read_log(departures, path);
}

bool departures_ceased(const struct departures *departures, double seconds) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9 - departures->last > seconds / 2;
}

void departures_free(struct departures *departures) {
  cJSON_Delete(departures->list);
  *departures = (struct departures){0};
}
