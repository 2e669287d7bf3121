// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The file that checked_file= names: a byte for each of these facts, 1 if some process has noted
// it. The tools make the file, with a page of zeros; the processes of all their runs map it and
// store ones. So a fact is there however a process ends.

#ifndef RSAN_CHECKED_FILE_H
#define RSAN_CHECKED_FILE_H

enum rsan_checked {
  RSAN_CHECKED_PROCESS,   // the process has RSan's runtime
  RSAN_CHECKED_CODE,      // some of its code is instrumented
  RSAN_CHECKED_ATOMICS,   // an atomic access was analysed
  RSAN_CHECKED_ELSEWHERE, // a process writes its reports elsewhere, and notes nothing else
  RSAN_CHECKED_REFUSAL,   // the runtime ended a process before the program began; its log says why
  RSAN_CHECKED_COUNT
};

enum { RSAN_CHECKED_SIZE = 4096 };

#endif
