// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "base/rsan_upcalls.h"

#include "exploration/rsan_exploration.h"
#include "exploration/rsan_graphs.h"
#include "failures/rsan_failure.h"
#include "failures/rsan_time_limit.h"
#include "interceptors/rsan_delivery.h"
#include "interceptors/rsan_scheduled.h"
#include "reports/rsan_again.h"

namespace __tsan {

const RsanUpcalls rsan_upcalls = {
    RsanMeetsSimulated, RsanWaitOnFiber,     RsanGoesOnUnexplored,  RsanGraphPoint,
    RsanIsFollower,     RsanPrintGraphSoFar, RsanExploreThreadEnds, RsanAppendExecution,
    RsanReportDeadlock, RsanIsOwnHandler,    RsanIsRaceAgain,       RsanThreadRuns,
    RsanThreadGone,     RsanStayOnProcessor, RsanEndWithReportAt,
};

} // namespace __tsan
