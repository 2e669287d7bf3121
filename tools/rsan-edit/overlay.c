// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "overlay.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "file/output.h"
#include "output.h"
#include "printable.h"

static bool fail(const char *path) {
  print_line(stderr, "rsan-edit: %s: %s", path, strerror(errno));
  return false;
}

bool overlay_open(struct overlay *overlay, const char *folder) {
  *overlay = (struct overlay){.folder = folder};
  if (!folder)
    return true;
  if (mkdir(folder, 0777) != 0 && errno != EEXIST)
    return fail(folder);
  overlay->file = open_memstream(&overlay->text, &overlay->size);
  if (!overlay->file)
    return fail(folder);
  // Copies keep the names of what they stand for, in messages and in debug information.
  fputs("{ 'version': 0, 'use-external-names': false, 'roots': [\n", overlay->file);
  return true;
}

bool overlay_add(struct overlay *overlay, const char *path, const char *text) {
  char copy[PATH_MAX + 32];
  if (!overlay->folder)
    return true;
  char *folder = realpath(overlay->folder, NULL);
  snprintf(copy, sizeof copy, "%s/%u", folder ? folder : overlay->folder, overlay->count);
  free(folder);
  if (!file_output(copy, text, strlen(text)))
    return fail(copy);
  fprintf(overlay->file, "%s  { 'type': 'file', 'name': ", overlay->count++ ? ",\n" : "");
  output_single(overlay->file, path);
  fputs(", 'external-contents': ", overlay->file);
  output_single(overlay->file, copy);
  fputs(" }", overlay->file);
  return true;
}

bool overlay_close(struct overlay *overlay, bool whole) {
  char path[PATH_MAX + 16];
  if (!overlay->file)
    return !overlay->folder;
  snprintf(path, sizeof path, "%s/overlay.yaml", overlay->folder);
  fputs("\n] }\n", overlay->file);
  bool fine = fclose(overlay->file) == 0 && whole;
  if (fine && !file_output(path, overlay->text, overlay->size))
    fine = fail(path);
  free(overlay->text);
  return fine;
}
