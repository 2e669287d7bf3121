// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "schedule/rsan_patience.h"

#include "schedule/rsan_schedule.h"

namespace __tsan {

static atomic_uint64_t times_given_way;

u64 RsanTimesGivenWay() {
  return atomic_load_relaxed(&times_given_way);
}

void RsanGiveWay(RsanPatience *patience) {
  const bool often = patience->times >= RsanPatience::kOften;
  const u32 distance = Min(2 * Max<u32>(patience->distance, RsanPatience::kLeast / 2),
                           often ? RsanPatience::kLongest : RsanPatience::kMost);
  patience->left = distance;
  patience->distance = static_cast<u16>(distance);
  patience->times += !often && distance == RsanPatience::kMost;
  atomic_fetch_add(&times_given_way, 1, memory_order_relaxed);
  if (RsanSchedules())
    RsanScheduleYield();
  else
    internal_sched_yield();
}

} // namespace __tsan
