// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The clock W for data races (rsan_race.h) after each of the last versions of an object. A read
// that departs to an older version acquires that version's clock. The caller holds the location's
// lock.

#ifndef RSAN_VERSION_CLOCKS_H
#define RSAN_VERSION_CLOCKS_H

#include "races/rsan_race.h"

namespace __tsan {

struct RsanVersionClocks;
void RsanFreeVersionClocks(RsanVersionClocks *clocks); // null is allowed
// The newest version is about to be overwritten.
void RsanKeepVersionClock(SyncVar *s);
bool RsanHasVersionClock(const SyncVar *s, u64 version);
void RsanTakeVersionClock(ThreadState *thr, const SyncVar *s, u64 version, bool acquires);

} // namespace __tsan

#endif
