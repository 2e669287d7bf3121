// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "schedule/rsan_fill.h"

#include "base/rsan_exploring.h"
#include "port/rsan_tsan.h"

namespace __tsan {

static const u8 kOtherBefore = 0x3d, kOtherFill = 0x5c; // beside those of the header
static const uptr kMostFilled = 64 << 20;               // bytes of a block

u8 rsan_fills;
static RsanSuspects *suspects; // null: no thread was created so far
static RsanSuspects recorded;  // of a replay
static bool before_differs;    // a replay that is to say what was there before the first thread
static u8 wanted;              // what a read has to find
static const char kOption[] = ":uninitialised=";

void RsanFill(void *block, uptr size) {
  if (size > kMostFilled && RsanExplores())
    RsanNoteGap(kRsanGap_UNFILLED);
  internal_memset(block, rsan_fills, Min(size, kMostFilled));
}

RsanSuspects *RsanPresentSuspects() {
  return suspects;
}

u8 RsanWantedFill() {
  return wanted;
}

void RsanFillFromNow() {
  rsan_fills = kRsanFillBefore;
}

void RsanFillForThreads(RsanSuspects *of_run) {
  if (!rsan_fills || suspects)
    return;
  suspects = of_run ? of_run : &recorded;
  rsan_fills = suspects->run == RsanSuspects::kConfirm ? kOtherFill : kRsanFill;
  wanted = before_differs ? kOtherBefore : rsan_fills;
}

// -- in records: ":uninitialised=", 1 if memory from before the first thread is to differ, else 0,
// and the numbers of the reads that are reported, a dot before each --

void RsanPutFill(char *options, uptr room) {
  if (!rsan_fills)
    return;
  const RsanSuspects *list = suspects ? suspects : &recorded;
  const u32 count = list->count;
  uptr length = internal_strlen(options);
  length += static_cast<uptr>(internal_snprintf(options + length, room - length, "%s%d", kOption,
                                                count && list->at[0].before));
  for (u32 i = 0; i < count && length + 22 < room; i++)
    if (list->at[i].confirmed)
      length += static_cast<uptr>(internal_snprintf(options + length, room - length, ".%llu",
                                                    (unsigned long long)list->at[i].read));
}

void RsanFillAsRecorded(const char *options) {
  const char *at = internal_strstr(options, kOption);
  if (!at)
    return;
  before_differs = internal_simple_strtoll(at + sizeof kOption - 1, &at, 10) != 0;
  rsan_fills = before_differs ? kOtherBefore : kRsanFillBefore;
  recorded.run = RsanSuspects::kReport;
  while (*at == '.' && recorded.count < kRsanMostSuspects)
    recorded.at[recorded.count++] = {0, static_cast<u64>(internal_simple_strtoll(at + 1, &at, 10)),
                                     before_differs, true};
}

} // namespace __tsan
