// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Violations with one cause. Each repair that a report suggests is one that its circle needs; of
// the repairs that several reports share, the one that most of them share is what they lack.

#ifndef RSAN_REPORT_GROUPS_H
#define RSAN_REPORT_GROUPS_H

#include "collection.h"

// Gives each violation that is not known and has a repair its cause, in the record ("cause": "fence
// in reclaim q.c:40", "memory_order_acquire in pop q.c:52"), and orders what is sorted already.
// Violations in changed lines have groups of their own, which come first. In each of both parts
// violations that were confirmed come first and have groups of their own, by the strength of the
// evidence. Then come the causes of most violations; then causes whose violations all would read
// again, or read an older value that is equal or only makes a compare-exchange fail; and last what
// has no cause, in its old order.
void group_reports(struct collection *collection);

// Would the program hardly notice? A wait reads again, an older value may be equal, or only make a
// compare-exchange fail.
bool record_is_mild(const cJSON *record);

#endif
