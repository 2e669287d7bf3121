// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The modules of the process, as they are when they have been loaded: where their code and data
// are, and what their data begin with. All of it is kept in memory, so that no question needs
// /proc, a descriptor or a module's file.

#ifndef RSAN_IMAGE_H
#define RSAN_IMAGE_H

#include "base/rsan_state.h"

namespace __tsan {

// Code of a module.
struct RsanCodePart {
  uptr begin, end;
  bool is_known; // of the C or C++ library, or of the runtime's own
};

// What is known of memory.
enum RsanBegins {
  kRsanBeginsUnknown, // it belongs to no module
  kRsanBeginsSo,      // it began with these bytes
  kRsanBeginsElse,    // it began with others
  kRsanBeginsLost     // it belongs to a module, but no copy of its data could be made
};

// Reads the modules that are not known yet, and forgets those that are gone. Takes the dynamic
// linker's lock. No other lock may be held.
void RsanReadImages();
// Takes a module's name, as the dynamic linker or the kernel has it: is it the C or C++ library, or
// the runtime's own?
bool RsanIsKnownLibrary(const char *path);

// These take a lock that is held for a short time, and under which nothing waits.
bool RsanFindCode(uptr address, RsanCodePart *part);
bool RsanIsLoaded(uptr address, uptr size); // does it lie within a module?
RsanBegins RsanCompareWithImage(uptr address, uptr size, const void *bytes);

// A thread has static thread-local memory from now on, and has none any more. Called by the thread.
void RsanTlsBegins();
void RsanTlsEnds();

} // namespace __tsan

#endif
