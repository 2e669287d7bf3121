// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "prefix.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

const char *install_prefix(void) {
  static char prefix[PATH_MAX];
  if (!*prefix) {
    ssize_t length = readlink("/proc/self/exe", prefix, sizeof prefix - 1);
    prefix[length > 0 ? length : 0] = 0;
    for (int i = 0; i < 2; i++) { // bin/rsan
      char *slash = strrchr(prefix, '/');
      if (slash)
        *slash = 0;
    }
  }
  return prefix;
}
