// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The file that log_path= names. Reports get there although the program has used up the
// descriptors, or has closed the file's. Where the file cannot be written they go to stderr, and a
// line says so: the program goes on.

#ifndef RSAN_REPORT_FILE_H
#define RSAN_REPORT_FILE_H

#include "sanitizer_common/sanitizer_file.h"

namespace __sanitizer {

// Opens the file, to add to what is there: a process that executes another program has begun it.
// kInvalidFd: that failed. RsanWriteReport tries again then. ReportFile's mutex must be held.
fd_t RsanOpenReport(const char *path);

// Closes the report of the process that has forked this one, if it is still open.
void RsanCloseReport(fd_t fd);

// Writes to the descriptor, to the file by another way, or to stderr. ReportFile's mutex must be
// held.
void RsanWriteReport(fd_t fd, const char *path, const char *text, uptr length);

} // namespace __sanitizer

#endif
