// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The second question: does the program fail by its violations? The first exploration, without
// departures, stops at the first violation. Then follow explorations of all executions with at most
// 1 departure, at most 2 and so on, until one of them fails, no more access might have departed, or
// a bound is met. They make the executions without departures as well, and so report all
// violations.

#ifndef CHECK_FOLLOW_H
#define CHECK_FOLLOW_H

#include "home.h"

// Makes the explorations that follow the one that home_explore() has made within `here`. The bounds
// of `kept`, which are those of `home`, become those of the last one. False after a message.
bool follow_explore(struct home *home, struct kept *kept, const struct home_bounds *here);

// At the end: the progress is that of the last exploration that says most, and has the findings of
// the first one. The bounds are those of that exploration.
void follow_settle(struct home *home, struct kept *kept);

// Closes what both have opened.
void follow_free(struct home *home);

#endif
