// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The identity of a place in the source (common/rsan_statement.h), read from the source file as it
// is now. tools/report-symbolizer/identity.c makes the same.

#include "port/rsan_tsan.h"

#include "common/rsan_statement.h"
#include "places/rsan_place.h"

namespace __tsan {

static u64 IdentifyIn(const char *file, unsigned line, unsigned column, const char *function) {
  char *text;
  uptr room, size;
  if (!FileExists(file) || !ReadFileToBuffer(file, &text, &room, &size, RSAN_SOURCE_MOST))
    return 0;
  auto *scan = static_cast<rsan_scan *>(InternalAlloc(sizeof(rsan_scan)));
  const u64 identity = rsan_identify_place(scan, text, size, line, column, function);
  InternalFree(scan);
  UnmapOrDie(text, room);
  return identity;
}

void RsanRenderIdentity(InternalScopedString *text, const AddressInfo &info) {
  const u64 identity =
      info.file && info.line > 0
          ? IdentifyIn(info.file, static_cast<unsigned>(info.line),
                       info.column > 0 ? static_cast<unsigned>(info.column) : 0, info.function)
          : 0;
  if (identity)
    text->AppendF("%016llx", identity);
  else
    RsanRenderPlaceLine(text, info);
}

} // namespace __tsan
