// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Models of functions that are not instrumented: what each function synchronises
// (docs/guide/MODELS.md). The shipped ones are in rsan_shipped_models.inc; those of the file that
// models= names are added.
#ifndef RSAN_MODELS_H
#define RSAN_MODELS_H

#include "base/rsan_state.h"
#include "port/rsan_tsan.h"

namespace __tsan {

// What a function does to an object. Those before kRsanModelAcquire are done before the
// call, the others when it has returned.
enum RsanModelAction : u8 {
  kRsanModelRelease, // also unlock and wake
  kRsanModelReadUnlock,
  kRsanModelCallBack,
  kRsanModelAcquire, // also wait
  kRsanModelLock,
  kRsanModelReadLock,
  kRsanModelFinish,
};

struct RsanModelStep {
  RsanModelAction action;
  u8 argument; // number of the argument that points to the object, from 1 on; 0: `object` is it
  s8 result;   // the step is taken if the result is: 1: not zero; 0: zero; -1: any
  uptr object;
};

struct RsanModel {
  static const u32 kMostSteps = 6;
  const char *function; // its symbol
  const char *library;  // what the name of a loaded library must begin with; null: any
  u32 count;
  RsanModelStep steps[kMostSteps];
};

// Once, at the start. Ends the process if the file of models= cannot be read or understood.
void RsanInitializeModels();

// Libraries have been loaded: their calls of modelled functions go through the runtime from now on.
// No lock held but, possibly, the dynamic linker's.
void RsanModelLibraries();

// Are there any models? May a symbol have a model? The second answer is fast, and may be wrong
// where it is true.
bool RsanHasModels();
bool RsanMayBeModelled(const char *symbol);

// The model of a symbol, if one holds where these libraries are loaded: names without folders.
const RsanModel *RsanFindModel(const char *symbol, const Vector<const char *> &libraries);

// A function that is not instrumented calls an instrumented one: acquires what was handed over by
// call-back.
void RsanAcquireCalledBack(ThreadState *thr);

// A modelled function is about to be called, or has returned `result`, with these arguments in
// registers.
void RsanEnterModel(ThreadState *thr, uptr pc, const RsanModel &model, const uptr *arguments);
void RsanLeaveModel(ThreadState *thr, uptr pc, const RsanModel &model, const uptr *arguments,
                    uptr result);

} // namespace __tsan

#endif
