// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Options, files that options name and the system itself may keep the runtime from starting. It
// says so on standard error and ends the process, since log_path= may not be known yet. The tools
// read the log, not the program's output. So the last message is kept during the start, and is
// written to the log as well when the process ends, as far as the options had been read by then:
// the tools put log_path= and checked_file= before the user's own options for that.

#include "base/rsan_refusal.h"

#include "base/rsan_checked.h"
#include "port/rsan_tsan.h"

namespace __tsan {

static char last_message[1024];

static void KeepMessage(const char *text) {
  internal_strlcpy(last_message, text, sizeof last_message);
}

static void PassOnLastMessage() {
  const char *log = common_flags()->log_path;
  RsanEndStart();
  if (!last_message[0])
    return;
  RsanInitializeChecked();
  RsanNoteRefusal();
  if (report_file.fd != kStderrFd || !log || !log[0])
    return; // it is in the log, or there is none
  report_file.SetReportPath(log);
  Printf("%s", last_message);
}

void RsanBeginStart() {
  SetPrintfAndReportCallback(KeepMessage);
  AddDieCallback(PassOnLastMessage);
}

void RsanEndStart() {
  SetPrintfAndReportCallback(nullptr);
  RemoveDieCallback(PassOnLastMessage);
}

} // namespace __tsan
