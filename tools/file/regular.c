// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "regular.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

FILE *file_open_regular(const char *path, int flags) {
  struct stat status;
  int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | flags);
  if (fd < 0)
    return NULL;
  if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode))
    return fdopen(fd, "r");
  close(fd);
  errno = EINVAL;
  return NULL;
}
