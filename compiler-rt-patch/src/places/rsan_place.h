// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The place of an access: the frame that the reader of a report can change. It is the innermost one
// that is no wrapper, nor in the C++ library or the runtime. Wrappers are the functions that the
// compiler's pass has found, those that are marked RSAN_WRAPPER, and those that wrappers=FILE
// names.

#ifndef RSAN_PLACE_H
#define RSAN_PLACE_H

#include "base/rsan_state.h"
#include "port/rsan_tsan.h"

namespace __tsan {

// Reads wrappers=; once, at the start.
void RsanInitializeWrappers();

// The files of the frames without `a/../b` (rsan_source_name.h).
void RsanNormalisePaths(SymbolizedStack *frames);

// The number of the frame's place in the source, as the compiler's pass has it; 0: it is not known.
u64 RsanPlaceKey(const AddressInfo &info);

// Is the frame in one of the user's wrappers?
bool RsanIsWrapper(const AddressInfo &info);

// The frame that was called at the place, if it is a wrapper; else null.
const SymbolizedStack *RsanWrapperAt(const SymbolizedStack *frames, const SymbolizedStack *place);

// The frames of a step of a cycle: those of its program point, and the caller's, if wanted or if
// the place is not among the former.
class RsanStepFrames {
public:
  explicit RsanStepFrames(const rsan_step &step, bool whole = false);
  ~RsanStepFrames();
  const SymbolizedStack *frames() const { return frames_; } // null: none
  const SymbolizedStack *place() const { return RsanPlaceOf(frames_); }

private:
  SymbolizedStack *frames_;
};

// `ring.c:20:3`; without a line the module and its offset, or the address
void RsanRenderSource(InternalScopedString *text, const AddressInfo &info);
// `push ring.c:20:3`
void RsanRenderPlace(InternalScopedString *text, const AddressInfo &info);

// The lines of a place that tokens are made of (docs/guide/FORMATS.md).
struct RsanPlaceLines {
  const char *identity; // of tokens
  const char *line;     // of tokens, version 1; null: no place
};

// What is known of a program point, with the functions inlined there. Texts stay valid.
struct RsanPoint {
  u8 whose;                 // rsan_unreported.cpp
  RsanPlaceLines place;     // none: only wrappers and the library are there
  RsanPlaceLines wrapper;   // the outermost wrapper there, if there is one
  RsanPlaceLines innermost; // the first frame
};

// Each point is symbolized once, until code is unloaded. No lock held.
RsanPoint RsanPointAt(uptr pc);

// The place of a stack. No lock held.
RsanPlaceLines RsanPlaceLinesOf(StackTrace stack);

// Appends the place of one frame as a line of tokens, or of those of version 1.
void RsanRenderIdentity(InternalScopedString *text, const AddressInfo &info);
void RsanRenderPlaceLine(InternalScopedString *text, const AddressInfo &info);

} // namespace __tsan

#endif
