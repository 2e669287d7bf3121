// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program's signal handlers. Any thread may ask.

#ifndef RSAN_SIGNAL_HANDLERS_H
#define RSAN_SIGNAL_HANDLERS_H

namespace __tsan {

// Has the program a signal handler of its own? (Those of faults do not run while a thread waits.)
bool RsanHandlesSignals(bool faults_count = false);
bool RsanIsOfFaults(int signal);
// Do system calls go on that the handler of that signal has interrupted (SA_RESTART)?
bool RsanRestartsCalls(int signal);

} // namespace __tsan

#endif
