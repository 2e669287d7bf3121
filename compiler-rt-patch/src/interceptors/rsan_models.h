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
  kRsanModelRun,
  kRsanModelRunInOrder,
  kRsanModelBegin,   // acquires before the call
  kRsanModelArrive,  // at a barrier
  kRsanModelAcquire, // also wait
  kRsanModelLock,
  kRsanModelReadLock,
  kRsanModelFinish,
  kRsanModelPass, // a barrier
};

struct RsanModel;

struct RsanModelStep {
  static const u8 kResult = 255; // in place of an argument's number
  RsanModelAction action;
  u8 argument;  // number of the argument that points to the object, from 1 on; 0: `object` is it
  s8 result;    // the step is taken if the result is: 1: not zero; 0: zero; -1: any
  u8 condition; // the step is taken if the argument of this number is not zero; 0: always
  u32 offset;   // of the object, in bytes, from where the argument points
  uptr object;  // two words, one for each phase of a barrier; 0: the stub's own (RsanModelStub)
  const RsanModel *runs; // of the function in the argument, where `action` hands one over
};

struct RsanModel {
  static const u32 kMostSteps = 6;
  const char *function; // its symbol; null: it is known by its address
  const char *library;  // what the name of a loaded library must begin with; null: any
  u32 count;
  bool calls_back; // it may call what was handed over by call-back
  RsanModelStep steps[kMostSteps];
};

// Once, at the start. Ends the process if the file of models= cannot be read or understood.
void RsanInitializeModels();

// Libraries have been loaded: their calls of modelled functions go through the runtime from now on.
// No lock held but, possibly, the dynamic linker's.
void RsanModelLibraries();

// A source file has been loaded that RSan's pass has not seen. Calls of functions that are not
// instrumented go through the runtime from now on.
void RsanWatchModules();

// Are there any models? May a symbol have a model? The second answer is fast, and may be wrong
// where it is true.
bool RsanHasModels();
bool RsanMayBeModelled(const char *symbol);

// The model of a symbol, if one holds where these libraries are loaded: names without folders.
const RsanModel *RsanFindModel(const char *symbol, const Vector<const char *> &libraries);

// A function that is not instrumented calls an instrumented one: acquires what was handed over by
// call-back.
void RsanAcquireCalledBack(ThreadState *thr);

// Between the two calls, the instrumented functions that the thread enters count as called back, as
// they do inside a function that is not instrumented; the call itself acquires nothing. If the
// first returns false, the caller must not call the second (rsan_calls.cpp).
bool RsanBeginCallsBack(ThreadState *thr);
void RsanEndCallsBack(ThreadState *thr);

// A function that the runtime calls for the program. The stub's address is the object at which a
// call that hands over the function releases. The runtime never changes or frees a stub.
struct RsanModelStub {
  const RsanModel *model;
  uptr function;
};

// Finds or makes the stub of a function with that model. Sets *address to the address to call.
// Returns null, and warns once, if there are no more stubs. Safe from any thread.
const RsanModelStub *RsanStubOf(const RsanModel *model, uptr function, uptr *address);

// The arguments of a call: the registers that hold them, and from kRsanArgumentsOnStack on those on
// the stack.
static const u32 kRsanArguments = 16, kRsanArgumentsOnStack = 28;

// RsanEnterModel is called before a modelled function, and may replace arguments. RsanLeaveModel is
// called after the function has returned `result`; `kept` is what RsanEnterModel returned.
u32 RsanEnterModel(ThreadState *thr, uptr pc, const RsanModelStub &stub, uptr *arguments);
void RsanLeaveModel(ThreadState *thr, uptr pc, const RsanModelStub &stub, uptr *arguments,
                    uptr result, u32 kept);

} // namespace __tsan

#endif
