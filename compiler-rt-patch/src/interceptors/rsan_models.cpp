// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads models, and does what they say. A line is
//
//   FUNCTION -> ACTION of argument N [plus BYTES]
//   FUNCTION -> ACTION of result
//   FUNCTION -> ACTION of NAME
//   FUNCTION -> run of argument N for NAME
//   library NAME
//   sync FUNCTION -> ACTION of ...
//
// and may end with `if zero` (the result), `if result` or `if argument N` (is not 0). NAME stands
// for an object that no argument points to. `library` limits the models that follow to programs
// into which a library of such a name is loaded; `library *` ends that.
//
// Rule: release, unlock and wake release at the object before the call; acquire, lock and wait
// acquire there when the call has returned. These edges enter happens-before alone, in both kinds
// of clocks, as the pairing is not certain (docs/internals/MODEL.md, section 3). Readers release
// where only writers acquire: at the next address, which is no object of its own.
//
// finish releases when the call has returned. call-back releases to all functions that code which
// is not instrumented calls back: the call hands over something to one of them. A function with
// that action may call them itself. run hands over the function in an argument: the function is
// called through a stub, which acquires what was released at each call that handed it over, and
// releases at NAME when the function has returned. barrier releases before the call and acquires
// after it, at one of two objects in turn, so that a thread that has passed does not acquire what
// another does before the next one. Which one counts from the begin of the function that the
// library has called.
//
// run-in-order makes a function also acquire at NAME before: what other functions have released
// there.

#include "interceptors/rsan_models.h"

#include "base/rsan_exploring.h"
#include "base/rsan_option_file.h"
#include "schedule/rsan_schedule.h"
#include "sync/rsan_sync.h"

namespace __tsan {

struct ModelName {
  const char *name;
  u64 object[2];             // their addresses stand for the object
  RsanModel run, runs_after; // of functions that are run, or run in order, for that name
};

static Vector<RsanModel *> *models;  // written at the start alone
static Vector<ModelName *> *objects; // the same
static const char *library;          // of the lines that are being read; null: any

static u64 maybe[16];   // a bit for each hash of a modelled function's symbol
static u64 called_back; // its address stands for what was handed over to functions called back
static atomic_uint8_t hands_over;

static u64 HashOf(const char *symbol) {
  u64 hash = 0;
  for (; *symbol; symbol++)
    hash = hash * 31 + static_cast<u8>(*symbol);
  return hash * 0x9e3779b97f4a7c15ull >> 54; // ten bits
}

bool RsanMayBeModelled(const char *symbol) {
  const u64 hash = HashOf(symbol);
  return maybe[hash / 64] >> hash % 64 & 1;
}

static const char kShipped[] =
#include "interceptors/rsan_shipped_models.inc"
    ;

static ModelName *Named(const char *name) {
  for (uptr i = 0; i < objects->Size(); i++)
    if (internal_strcmp((*objects)[i]->name, name) == 0)
      return (*objects)[i];
  auto *added = New<ModelName>();
  added->name = name;
  const uptr object = reinterpret_cast<uptr>(added->object);
  added->run = {nullptr, nullptr, 2, false, {}};
  added->run.steps[0] = {kRsanModelBegin, 0, -1, 0, 0, 0, nullptr};
  added->run.steps[1] = {kRsanModelFinish, 0, -1, 0, 0, object, nullptr};
  added->runs_after = {nullptr, nullptr, 1, false, {}};
  added->runs_after.steps[0] = {kRsanModelBegin, 0, -1, 0, 0, object, nullptr};
  objects->PushBack(added);
  return added;
}

static const struct {
  const char *word;
  RsanModelAction action;
  bool tries;
  bool is_lock; // what `sync` may say
} kActions[] = {
    {"lock", kRsanModelLock, false, true},
    {"unlock", kRsanModelRelease, false, true},
    {"trylock", kRsanModelLock, true, true},
    {"read-lock", kRsanModelReadLock, false, true},
    {"read-unlock", kRsanModelReadUnlock, false, true},
    {"read-trylock", kRsanModelReadLock, true, true},
    {"release", kRsanModelRelease, false, false},
    {"acquire", kRsanModelAcquire, false, false},
    {"wait", kRsanModelAcquire, false, false},
    {"wake", kRsanModelRelease, false, false},
    {"call-back", kRsanModelCallBack, false, false},
    {"barrier", kRsanModelArrive, false, false},
    {"run", kRsanModelRun, false, false},
    {"run-in-order", kRsanModelRunInOrder, false, false},
    {"finish", kRsanModelFinish, false, false},
};

// `is_own`: the line is about a lock of the program's own.
static RsanModelStep ReadAction(const RsanLine &line, const char *word, bool is_own) {
  for (const auto &known : kActions)
    if (internal_strcmp(word, known.word) == 0 && (known.is_lock || !is_own))
      return {known.action, 0, static_cast<s8>(known.tries ? 1 : -1), 0, 0, 0, nullptr};
  if (is_own)
    RsanRefuseLine(line, word,
                   "locks and unlocks nothing: write sync FUNCTION -> lock, unlock, trylock, "
                   "read-lock, read-unlock or read-trylock");
  RsanRefuseLine(line, word,
                 "is no action: write lock, unlock, trylock, read-lock, read-unlock, read-trylock, "
                 "release, acquire, wait, wake, call-back, finish, barrier, run or run-in-order");
}

static void ExpectWord(RsanLine *line, const char *expected, const char *reason) {
  const char *word = RsanCutWord(line);
  if (internal_strcmp(word, expected) != 0)
    RsanRefuseLine(*line, word, reason);
}

// Reads a number from 1 to `most`. Refuses the line for this reason if the word is no such number.
static u32 ReadNumber(RsanLine *line, u32 most, const char *reason) {
  const char *word = RsanCutWord(line), *end = word;
  u32 number = 0;
  for (; *end >= '0' && *end <= '9' && number <= most; end++)
    number = number * 10 + static_cast<u32>(*end - '0');
  if (*end || !number || number > most)
    RsanRefuseLine(*line, word, reason);
  return number;
}

static u8 ReadArgument(RsanLine *line) {
  return static_cast<u8>(
      ReadNumber(line, kRsanArguments, "is no argument: write a number from 1 to 16"));
}

// Cuts the next word if it is `expected`, and returns whether it was.
static bool Follows(RsanLine *line, const char *expected) {
  const uptr length = internal_strlen(expected);
  if (internal_strncmp(line->rest, expected, length) != 0 ||
      (line->rest[length] && !IsSpace(line->rest[length])))
    return false;
  RsanCutWord(line);
  return true;
}

static bool HandsOverFunction(const RsanModelStep &step) {
  return step.action == kRsanModelRun || step.action == kRsanModelRunInOrder;
}

// `argument N`, `argument N plus BYTES`, `result` or a name; for a function that is handed over
// `argument N for NAME`.
static void ReadObject(RsanLine *line, RsanModelStep *step) {
  const bool is_argument = Follows(line, "argument");
  if (HandsOverFunction(*step)) {
    if (!is_argument)
      RsanRefuseLine(*line, line->rest, "is no argument: write run of argument N for NAME");
    step->argument = ReadArgument(line);
    ExpectWord(line, "for", "follows the argument: write run of argument N for NAME");
    ModelName *name = Named(RsanCutWord(line));
    if (!*name->name)
      RsanRefuseLine(*line, "", "names no object: write run of argument N for NAME");
    step->runs = step->action == kRsanModelRun ? &name->run : &name->runs_after;
    return;
  }
  if (is_argument && step->action == kRsanModelArrive)
    RsanRefuseLine(*line, line->rest, "is no name: write barrier of NAME");
  if (is_argument) {
    step->argument = ReadArgument(line);
    if (Follows(line, "plus"))
      step->offset = ReadNumber(line, 65536, "is no offset: write a number of bytes up to 65536");
    return;
  }
  const char *word = RsanCutWord(line);
  if (!*word)
    RsanRefuseLine(*line, word, "names no object: write `of argument N' or `of NAME'");
  if (internal_strcmp(word, "result") != 0 || step->action == kRsanModelArrive) {
    step->object = reinterpret_cast<uptr>(Named(word)->object);
    return;
  }
  if (step->action < kRsanModelAcquire)
    RsanRefuseLine(*line, word,
                   "is not known before the call: only lock, read-lock, trylock, "
                   "read-trylock, acquire, wait and finish may be of the result");
  step->argument = RsanModelStep::kResult;
}

// Reads the result or the argument that a step depends on.
static void ReadCondition(RsanLine *line, RsanModelStep *step) {
  if (!*line->rest)
    return;
  const bool is_condition = Follows(line, "if");
  bool is_known = true;
  if (is_condition && Follows(line, "argument")) {
    step->condition = ReadArgument(line);
  } else if (is_condition && Follows(line, "zero")) {
    step->result = 0;
  } else if (is_condition && Follows(line, "result")) {
    step->result = 1;
  } else {
    is_known = false;
  }
  if (!is_known || *line->rest)
    RsanRefuseLine(*line, line->rest,
                   "must not follow: only `if zero', `if result' or `if argument N' may");
}

static RsanModel *ModelOf(const char *function) {
  for (uptr i = RsanMayBeModelled(function) ? models->Size() : 0; i > 0; i--)
    if (internal_strcmp((*models)[i - 1]->function, function) == 0 &&
        (*models)[i - 1]->library == library)
      return (*models)[i - 1];
  auto *model = New<RsanModel>();
  *model = {function, library, 0, false, {}};
  models->PushBack(model);
  const u64 hash = HashOf(function);
  maybe[hash / 64] |= 1ull << hash % 64;
  return model;
}

static void AddStep(const RsanLine &line, const char *function, const RsanModelStep &step) {
  RsanModel *model = ModelOf(function);
  if (model->count == RsanModel::kMostSteps)
    RsanRefuseLine(line, function, "has more than 6 actions (a barrier is two): join some of them");
  model->steps[model->count++] = step;
  model->calls_back |= step.action == kRsanModelCallBack;
}

static void ReadModel(RsanLine line, void *) {
  const char *function = RsanCutWord(&line);
  // The compiler's pass handles the locks of the program itself (compiler/pass/OwnLocks.cpp).
  const bool is_own = internal_strcmp(function, "sync") == 0;
  if (is_own)
    function = RsanCutWord(&line);
  if (internal_strcmp(function, "library") == 0) {
    const char *name = RsanCutWord(&line);
    if (!*name || *line.rest)
      RsanRefuseLine(line, name, "must be the beginning of one library's name, or *");
    library = internal_strcmp(name, "*") == 0 ? nullptr : name;
    return;
  }
  ExpectWord(&line, "->", "follows the function: write FUNCTION -> ACTION of argument N");
  RsanModelStep step = ReadAction(line, RsanCutWord(&line), is_own);
  ExpectWord(&line, "of", "follows the action: write ACTION of argument N");
  ReadObject(&line, &step);
  ReadCondition(&line, &step);
  if (is_own)
    return;
  AddStep(line, function, step);
  if (step.action == kRsanModelArrive) {
    step.action = kRsanModelPass;
    AddStep(line, function, step);
  }
}

static void ReadShipped() {
  char *text = static_cast<char *>(InternalAlloc(sizeof(kShipped)));
  internal_memcpy(text, kShipped, sizeof(kShipped));
  RsanLine line = {"the shipped models", 0, nullptr};
  for (char *next; text; text = next) {
    char *end = internal_strchr(text, '\n');
    next = end ? end + 1 : nullptr;
    if (end)
      *end = '\0';
    line.number++;
    line.rest = text;
    if (*text)
      ReadModel(line, nullptr);
  }
}

void RsanInitializeModels() {
  const char *file = rsan_flags()->models;
  if (internal_strcmp(file, "none") == 0)
    return;
  models = New<Vector<RsanModel *>>();
  objects = New<Vector<ModelName *>>();
  ReadShipped();
  library = nullptr;
  if (*file)
    RsanReadLines("models", file, ReadModel, nullptr);
  RsanModelLibraries();
}

bool RsanHasModels() {
  return models != nullptr;
}

static bool IsLoaded(const char *begin, const Vector<const char *> &libraries) {
  for (uptr i = 0; i < libraries.Size(); i++)
    if (internal_strncmp(libraries[i], begin, internal_strlen(begin)) == 0)
      return true;
  return false;
}

const RsanModel *RsanFindModel(const char *symbol, const Vector<const char *> &libraries) {
  if (!RsanMayBeModelled(symbol))
    return nullptr;
  for (uptr i = models->Size(); i > 0; i--) { // those of the program's file come first
    const RsanModel *model = (*models)[i - 1];
    if (internal_strcmp(model->function, symbol) == 0 &&
        (!model->library || IsLoaded(model->library, libraries)))
      return model;
  }
  return nullptr;
}

static bool Synchronises(ThreadState *thr) {
  return thr->is_inited && !thr->ignore_sync && !thr->ignore_interceptors &&
         !ctx->after_multithreaded_fork;
}

static uptr PhaseOf(ThreadState *thr) {
  return thr->rsan_own.barriers % 2 * sizeof(u64);
}

static void TakeStep(ThreadState *thr, uptr pc, RsanModelAction action, uptr object) {
  switch (action) {
  case kRsanModelRelease:
    Release(thr, pc, object);
    break;
  case kRsanModelReadUnlock:
    Release(thr, pc, object + 1);
    break;
  case kRsanModelRun:
  case kRsanModelRunInOrder: // HandOver
    break;
  case kRsanModelBegin:
    thr->rsan_own.barriers = 0;
    Acquire(thr, pc, object);
    break;
  case kRsanModelArrive:
    Release(thr, pc, object + PhaseOf(thr));
    break;
  case kRsanModelPass:
    Acquire(thr, pc, object + PhaseOf(thr));
    thr->rsan_own.barriers++;
    break;
  case kRsanModelCallBack:
    atomic_store_relaxed(&hands_over, 1);
    Release(thr, pc, reinterpret_cast<uptr>(&called_back));
    break;
  case kRsanModelFinish:
    Release(thr, pc, object);
    break;
  case kRsanModelLock:
    Acquire(thr, pc, object + 1);
    Acquire(thr, pc, object);
    break;
  case kRsanModelAcquire:
  case kRsanModelReadLock:
    Acquire(thr, pc, object);
    break;
  }
}

static uptr *ArgumentAt(uptr *arguments, u32 number) {
  return &arguments[number <= 6 ? number - 1 : kRsanArgumentsOnStack + number - 7];
}

// Releases to the function, and replaces it by its stub, which acquires.
static void HandOver(ThreadState *thr, uptr pc, const RsanModelStep &step, uptr *function) {
  uptr address;
  const RsanModelStub *stub = RsanStubOf(step.runs, *function, &address);
  if (!stub)
    return;
  Release(thr, pc, reinterpret_cast<uptr>(stub));
  *function = address;
}

struct ModelledCall {
  const RsanModelStub &stub;
  uptr *arguments;
  bool returned;
  uptr result;
};

static bool Holds(const ModelledCall &call, const RsanModelStep &step) {
  if ((step.action >= kRsanModelAcquire) != call.returned)
    return false;
  if (step.condition && !*ArgumentAt(call.arguments, step.condition))
    return false;
  // A result of type int or bool leaves the upper half of the register undefined.
  const bool is_zero = static_cast<u32>(call.result) == 0;
  return !call.returned || step.result < 0 || is_zero == (step.result == 0);
}

static uptr ObjectOf(const ModelledCall &call, const RsanModelStep &step) {
  if (step.argument == RsanModelStep::kResult)
    return call.result;
  if (step.argument) {
    const uptr value = *ArgumentAt(call.arguments, step.argument);
    return value ? value + step.offset : 0;
  }
  return step.object ? step.object : reinterpret_cast<uptr>(&call.stub);
}

static void TakeSteps(ThreadState *thr, uptr pc, const ModelledCall &call) {
  if (!Synchronises(thr))
    return;
  const RsanModel &model = *call.stub.model;
  for (u32 i = 0; i < model.count; i++) {
    const RsanModelStep &step = model.steps[i];
    const uptr object = Holds(call, step) ? ObjectOf(call, step) : 0;
    if (object && HandsOverFunction(step))
      HandOver(thr, pc, step, ArgumentAt(call.arguments, step.argument));
    else if (object)
      TakeStep(thr, pc, step.action, object);
  }
}

void RsanAcquireCalledBack(ThreadState *thr) {
  if (atomic_load_relaxed(&hands_over) && Synchronises(thr))
    Acquire(thr, 0, reinterpret_cast<uptr>(&called_back));
}

// Takes the model's steps before the function runs. A schedule does not see the steps inside the
// function, so it makes the call itself a step, of an object that all such calls share: their order
// matters, which that of fences alone may not. Returns what RsanLeaveModel needs: the number of
// barriers that the thread had passed, and, in the lowest bit, whether calls back have begun.
u32 RsanEnterModel(ThreadState *thr, uptr pc, const RsanModelStub &stub, uptr *arguments) {
  const u32 barriers = thr->rsan_own.barriers;
  if (stub.model->function && RsanSchedules() && Synchronises(thr)) {
    RsanNoteGapOfMany(kRsanGap_CALLS);
    RsanSchedulePoint(thr, pc, RSAN_KIND_FENCE, reinterpret_cast<uptr>(&hands_over), true);
  }
  TakeSteps(thr, pc, {stub, arguments, false, 0});
  const bool began = stub.model->calls_back && RsanBeginCallsBack(thr);
  return barriers << 1 | began;
}

void RsanLeaveModel(ThreadState *thr, uptr pc, const RsanModelStub &stub, uptr *arguments,
                    uptr result, u32 kept) {
  if (kept & 1)
    RsanEndCallsBack(thr);
  TakeSteps(thr, pc, {stub, arguments, true, result});
  if (!stub.model->function)
    thr->rsan_own.barriers = kept >> 1;
}

} // namespace __tsan
