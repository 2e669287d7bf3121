// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Opens and writes the report file that log_path= names. This works even if the program has no free
// descriptor left, or has closed the file. If writing fails, the runtime prints a warning and
// writes the report to stderr; the program continues.

#ifndef RSAN_REPORT_FILE_H
#define RSAN_REPORT_FILE_H

#include "port/rsan_common.h"

namespace __sanitizer {

// Opens the report file to append to it: the same process may have written reports before it called
// exec. Returns kInvalidFd if the file cannot be opened; RsanWriteReport then tries again. The
// caller holds ReportFile's mutex.
fd_t RsanOpenReport(const char *path);

// Closes the report of the process that has forked this one, if it is still open.
void RsanCloseReport(fd_t fd);

// Writes to the descriptor. If it is the report file's and the file is no longer open under it,
// opens the file again; if that fails, writes to stderr. The caller holds ReportFile's mutex.
void RsanWriteReport(fd_t fd, const char *path, const char *text, uptr length);

} // namespace __sanitizer

#endif
