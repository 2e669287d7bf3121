// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files that options name, line by line ('#' begins a comment). Each line is cut into words in
// place; a line that makes no sense is named with the reason, and ends the process before the
// program starts.

#ifndef RSAN_OPTION_FILE_H
#define RSAN_OPTION_FILE_H

#include "port/rsan_common.h"

namespace __tsan {

using namespace __sanitizer;

struct RsanLine {
  const char *file;
  u32 number; // from 1 on
  char *rest; // of the line, blanks before it and behind it cut off
};

// `text` is of the line, and may be anything.
[[noreturn]] void RsanRefuseLine(const RsanLine &line, const char *text, const char *reason);

// The next word, empty at the end; `line.rest` is then what follows it.
char *RsanCutWord(RsanLine *line);

// MODULE+0xOFFSET, by its last "+0x"; cuts it there. False: it is none.
bool RsanParseModulePoint(char *point, const char **module, uptr *offset);

// Calls `take` with each line that is not empty. The strings live for ever. A file that cannot be
// read ends the process.
void RsanReadLines(const char *option, const char *file,
                   void (*take)(RsanLine line, void *argument), void *argument);

// Does such a point name this place in a module? The module by its path or by its last part; the
// offset is that of a call, as in symbolized stacks, or of what comes after it.
bool RsanNamesPoint(const char *named, uptr named_offset, const char *module, uptr offset);

// -1: not a hexadecimal digit.
int RsanHexValue(char c);

} // namespace __tsan

#endif
