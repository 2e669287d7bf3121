// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Paths in a campaign's folder.

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>

#include "campaign.h"
#include "run/folder.h"

const char *campaign_path(const struct campaign *campaign, const char *format, ...) {
  static char paths[2][PATH_MAX];
  static unsigned next;
  char *path = paths[next++ % 2];
  va_list values;
  int used = snprintf(path, PATH_MAX, "%s/", campaign->plan.folder);
  va_start(values, format);
  vsnprintf(path + used, PATH_MAX - (size_t)used, format, values);
  va_end(values);
  return path;
}

const char *campaign_named_log(const struct campaign *campaign) {
  return run_folder_named(campaign_path(campaign, "engine.log"));
}
