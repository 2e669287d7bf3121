// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the archive of a unit. The archive is not trusted: it may be truncated, and no file name in
// it is followed out of the folder that is given here.

#ifndef MERGE_CONTENT_H
#define MERGE_CONTENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The files at the top of an archive as text; NULL: it has none.
struct content {
  char *manifest, *runs, *reports, *texts;
};

// Reads the manifest alone. False with a line in REASON. To be freed in any case.
bool content_read_manifest(const char *path, char **manifest, char *reason, size_t size);

// Reads the whole archive, and writes its folders of runs to STAGE, which must exist. Refuses an
// archive that contains anything but regular files with the names that rsan unit writes, or more
// than MOST bytes of data (0: no limit; holes do not count). Returns false, with a line in REASON,
// if it refuses the archive or cannot read it. The caller frees the content in either case.
bool content_read(const char *path, const char *stage, uint64_t most, struct content *content,
                  char *reason, size_t size);

void content_free(struct content *content);

#endif
