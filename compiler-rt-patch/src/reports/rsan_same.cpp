// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "port/rsan_tsan.h"

#include "reports/rsan_same.h"

#include "common/rsan_source_name.h"
#include "places/rsan_place.h"

namespace __tsan {

namespace {

// What has been reported: by key, the targets that were said to show it.
class Known {
public:
  bool Has(u64 key, u8 shown) const {
    auto *found = map_ ? map_->find(key) : nullptr;
    return found && !(shown & ~found->second);
  }
  void Add(u64 key, u8 shown) {
    if (!map_)
      map_ = New<DenseMap<u64, u8>>();
    (*map_)[key] |= shown;
  }

private:
  DenseMap<u64, u8> *map_ = nullptr;
};

} // namespace

static StaticSpinMutex mutex; // of what follows
static Known sites, tokens;
static u64 further;

bool RsanAreSitesKnown(u32 access, u32 missed, u8 shown) {
  if (!flags()->suppress_equal_stacks)
    return false;
  // Sites are below 2^31, so a key is never one of the map's two reserved values.
  u64 key = ((u64)access << 32) | missed;
  SpinMutexLock lock(&mutex);
  bool known = sites.Has(key, shown);
  sites.Add(key, shown);
  return known;
}

static u64 HashPlaces(const RsanFlagged &flagged, const char *access, const char *missed) {
  u64 token = rsan_hash_line(RSAN_HASH_START, "robustness violation");
  token = rsan_hash_line(token, RsanKindName(flagged.access));
  token = rsan_hash_line(token, access);
  token =
      rsan_hash_line(token, flagged.violation.plain ? "atomic write" : "atomic read-modify-write");
  return rsan_hash_line(token, missed);
}

void RsanMakeTokens(RsanFlagged *flagged, StackTrace access, StackTrace missed) {
  const RsanPlaceLines here = RsanPlaceLinesOf(access), there = RsanPlaceLinesOf(missed);
  flagged->token = HashPlaces(*flagged, here.identity, there.identity);
  flagged->token_v1 = HashPlaces(*flagged, here.line, there.line);
}

bool RsanIsFurther(const RsanFlagged &flagged) {
  if (rsan_flags()->report_all || !flags()->suppress_equal_stacks)
    return false;
  SpinMutexLock lock(&mutex);
  bool known = tokens.Has(flagged.token_v1 >> 1, flagged.violation.shown);
  further += known;
  return known;
}

void RsanNotePrinted(const RsanFlagged &flagged) {
  SpinMutexLock lock(&mutex);
  tokens.Add(flagged.token_v1 >> 1, flagged.violation.shown);
}

void RsanPrintFurther() {
  SpinMutexLock lock(&mutex);
  if (further && !RsanWritesRecords())
    Printf("ThreadSanitizer: %llu further violations at places that were reported "
           "(report_all=1 reports each)\n",
           further);
}

} // namespace __tsan
