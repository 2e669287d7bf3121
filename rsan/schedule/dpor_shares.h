// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An exploration (dpor.h) that several processes share. Whoever has it cuts what is left into
// parts. A part has some of the prefixes that would be asked for next, with what leads there, and
// whoever gets it (dpor_save.h) explores what is behind them: all of it, or as much as it likes.
// Then its tree is joined with the one that it was cut from.
//
// What is explored behind a prefix depends on the prefix, and on what sleeps there, and both are
// known when it is asked for. So a part's runs are those that would be made without parts, whoever
// makes them, and whatever others do meanwhile. In the other direction a run behind the prefix may
// show that something is to be explored at a node above it. There the part notes what is needed
// (rsan_dpor_need), and the node's owner, who knows what the node has by then, decides when the
// part is joined. A part that is lost leaves its prefixes to be asked for again.

#ifndef RSAN_SCHEDULE_DPOR_SHARES_H
#define RSAN_SCHEDULE_DPOR_SHARES_H

#include <stdbool.h>
#include <stdint.h>

#include "dpor_state.h"

// Cuts what could be asked for now into at most so many parts of alike numbers of prefixes. How
// many there are. None of it is asked for until the exploration is made whole again; it is saved
// after that, and what is restored from there can be joined with the parts.
uint32_t rsan_dpor_cut(struct rsan_dpor *d, uint32_t parts);
void rsan_dpor_make_whole(struct rsan_dpor *d);

// The nodes as they were when it was cut, by number.
struct rsan_dpor_cut_nodes {
  struct rsan_dpor_node **node;
  uint32_t count;
};

void rsan_dpor_begin_joining(struct rsan_dpor *d, struct rsan_dpor_cut_nodes *nodes);
// Takes over what the part has made. False: it is not of this exploration, or was joined already,
// and nothing is taken.
bool rsan_dpor_join(struct rsan_dpor *d, const struct rsan_dpor_cut_nodes *nodes,
                    const struct rsan_dpor *part);
void rsan_dpor_end_joining(struct rsan_dpor *d, struct rsan_dpor_cut_nodes *nodes);

#endif
