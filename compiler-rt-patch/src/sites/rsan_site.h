// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sites: where a thread is when it writes. A site is a program point together with the stack of
// calls that leads to it. It is identified by a number, the number of a node in a trie whose edges
// are program points, so the site of a call's callee is a child of the site of the call.
//
// A word beside each frame of the shadow stack holds the site of the calls up to that frame, or 0
// where nobody has asked for it since the frame was pushed. TSan pushes frames in FuncEntry alone
// (interceptors, callbacks and signal handlers included) and FuncEntry writes 0 there. So a word
// that is not 0 is right: a change of a frame below pops this frame, and this frame is pushed again
// before its word is looked at. longjmp, exceptions and switches to another fiber only pop frames,
// or exchange the whole shadow stack. CurrentStackId writes a frame above the top and takes it off
// at once; the word of that frame is looked at only after the next push.
//
// The cost of a site is therefore that of the frames that were pushed since the last one.

#ifndef RSAN_SITE_H
#define RSAN_SITE_H

#include "port/rsan_tsan.h"

namespace __tsan {

static const u32 kRsanNoSite = 0, kRsanRootSite = 1; // not known; no calls at all

ALWAYS_INLINE uptr *RsanCallsOf(uptr *frame) {
  return frame + kRsanCallsOffset;
}

// The trie. All functions may be called by any thread; those that add nodes take a lock, and are
// called with no other lock held but those of a fork.
u32 RsanAddSite(u32 parent, uptr pc); // the child's site, which is made if it is missing
uptr RsanSitePc(u32 site);            // of a site's innermost frame; 0: none
u32 RsanSiteParent(u32 site);
// The number in the stack depot of a site's stack, which is put there. A report's stacks have at
// most 255 frames: the innermost ones.
StackID RsanDepotSite(u32 site);
StackTrace RsanSiteStack(u32 site); // the same stack, outermost frame first
// A number for a pair of stacks: the same in all processes in which code has the same addresses.
u64 RsanNumberOfStacks(StackTrace first, StackTrace second);
u64 RsanCutSites();   // sites that lack their outer frames, since the trie was full
void RsanLockSites(); // around a fork
void RsanUnlockSites();

// Finds the site of the thread's current calls, if the word beside the top frame has none.
u32 RsanFindCalls(ThreadState *thr);
u32 RsanCacheSite(RsanSiteCache::Entry *entry, u32 parent, uptr pc);
// Ends the process if the site's frames are not those of the shadow stack (RSAN_VERIFY).
void RsanCheckCalls(ThreadState *thr, u32 calls);

ALWAYS_INLINE u32 RsanFindSite(ThreadState *thr, u32 parent, uptr pc) {
  static_assert(RsanSiteCache::kEntries == 64, "six bits choose one");
  uptr key = pc ^ ((uptr)parent << 32);
  RsanSiteCache::Entry *entry = &thr->rsan_own.sites.entries[(key * 0x9e3779b97f4a7c15ull) >> 58];
  if (LIKELY(entry->pc == pc && entry->parent == parent))
    return entry->site;
  return RsanCacheSite(entry, parent, pc);
}

// The site of `pc` in the calls that the thread is in. The thread is analysed.
ALWAYS_INLINE u32 RsanSiteAt(ThreadState *thr, uptr pc) {
  u32 calls = static_cast<u32>(*RsanCallsOf(thr->shadow_stack_pos - 1));
  if (UNLIKELY(calls == kRsanNoSite))
    calls = RsanFindCalls(thr);
#ifdef RSAN_VERIFY
  RsanCheckCalls(thr, calls);
#endif
  return RsanFindSite(thr, calls, pc);
}

// The same for a write; kRsanNoSite where nothing asks for the sites of writes.
ALWAYS_INLINE u32 RsanSiteOfWrite(ThreadState *thr, uptr pc) {
  return LIKELY(thr->rsan_own.keeps_sites) ? RsanSiteAt(thr, pc) : kRsanNoSite;
}

} // namespace __tsan

#endif
