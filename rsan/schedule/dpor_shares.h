// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An exploration (dpor.h) that several processes share. The process that has the whole tree cuts
// what is left of it into parts. A part is a tree of its own: some of the prefixes that would be
// asked for next, and the nodes that lead to them. Another process gets the part (dpor_save.h),
// explores behind its prefixes, all or some of it, and sends its tree back. The first process joins
// that with its own.
//
// What is explored behind a prefix depends on the prefix and on the steps that sleep at its end.
// Both are known when the prefix is given out, so a part has the same runs as if the first process
// explored it, whatever other processes do meanwhile. A run behind a prefix can also
// show that a node above the prefix needs a further step explored. The part does not decide that:
// it notes a need (struct rsan_dpor_need), and the first process, which knows what has been
// explored at that node by then, meets it when it joins the part. If a part is lost, its prefixes
// are still to be explored.

#ifndef RSAN_SCHEDULE_DPOR_SHARES_H
#define RSAN_SCHEDULE_DPOR_SHARES_H

#include <stdbool.h>
#include <stdint.h>

#include "dpor_state.h"

// Deals the prefixes that could be asked for now out to at most so many parts, and returns the
// number of parts. Until rsan_dpor_make_whole, these prefixes count as being explored. An
// exploration that is saved after that call, and restored, can be joined with the parts.
uint32_t rsan_dpor_cut(struct rsan_dpor *d, uint32_t parts);
void rsan_dpor_make_whole(struct rsan_dpor *d);

// The nodes of the tree in the order that they had when it was cut. Owned by whoever begins
// joining; rsan_dpor_end_joining frees them.
struct rsan_dpor_cut_nodes {
  struct rsan_dpor_node **node;
  uint32_t count;
};

void rsan_dpor_begin_joining(struct rsan_dpor *d, struct rsan_dpor_cut_nodes *nodes);
// Adds a part's tree and counts. False, and nothing is changed: the part was not cut from this
// exploration, or it has been joined before.
bool rsan_dpor_join(struct rsan_dpor *d, const struct rsan_dpor_cut_nodes *nodes,
                    const struct rsan_dpor *part);
void rsan_dpor_end_joining(struct rsan_dpor *d, struct rsan_dpor_cut_nodes *nodes);

#endif
