// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads models, and does what they say. A line is
//
//   FUNCTION -> ACTION of argument N
//   FUNCTION -> ACTION of NAME
//   library NAME
//
// NAME stands for an object that no argument points to. `library` limits the models that follow to
// programs into which a library of such a name is loaded; `library *` ends that.
//
// Rule: release, unlock and wake release at the object before the call; acquire, lock and wait
// acquire there when the call has returned. These edges enter happens-before alone, in both kinds
// of clocks, as the pairing is not certain (docs/internals/MODEL.md, section 3). Readers release
// where only writers acquire: at the next address, which is no object of its own.
//
// finish releases when the call has returned. call-back releases to all functions that code which
// is not instrumented calls back: the call hands over something to one of them.

#include "interceptors/rsan_models.h"

#include "base/rsan_exploring.h"
#include "base/rsan_option_file.h"
#include "schedule/rsan_schedule.h"
#include "sync/rsan_sync.h"

namespace __tsan {

struct ModelName {
  const char *name;
  u64 object; // its address stands for the object
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

static const char kShipped[] =
#include "interceptors/rsan_shipped_models.inc"
    ;

static uptr ObjectNamed(const char *name) {
  for (uptr i = 0; i < objects->Size(); i++)
    if (internal_strcmp((*objects)[i]->name, name) == 0)
      return reinterpret_cast<uptr>(&(*objects)[i]->object);
  auto *added = New<ModelName>();
  added->name = name;
  objects->PushBack(added);
  return reinterpret_cast<uptr>(&added->object);
}

static const struct {
  const char *word;
  RsanModelAction action;
  bool tries;
} kActions[] = {
    {"lock", kRsanModelLock, false},
    {"unlock", kRsanModelRelease, false},
    {"trylock", kRsanModelLock, true},
    {"read-lock", kRsanModelReadLock, false},
    {"read-unlock", kRsanModelReadUnlock, false},
    {"read-trylock", kRsanModelReadLock, true},
    {"release", kRsanModelRelease, false},
    {"acquire", kRsanModelAcquire, false},
    {"wait", kRsanModelAcquire, false},
    {"wake", kRsanModelRelease, false},
    {"call-back", kRsanModelCallBack, false},
    {"finish", kRsanModelFinish, false},
};

static RsanModelStep ReadAction(const RsanLine &line, const char *word) {
  for (const auto &known : kActions)
    if (internal_strcmp(word, known.word) == 0)
      return {known.action, 0, static_cast<s8>(known.tries ? 1 : -1), 0};
  RsanRefuseLine(line, word,
                 "is no action: write lock, unlock, trylock, read-lock, read-unlock, read-trylock, "
                 "release, acquire, wait, wake, call-back or finish");
}

static void ExpectWord(RsanLine *line, const char *expected, const char *reason) {
  const char *word = RsanCutWord(line);
  if (internal_strcmp(word, expected) != 0)
    RsanRefuseLine(*line, word, reason);
}

// `argument N` or a name.
static void ReadObject(RsanLine *line, RsanModelStep *step) {
  const char *word = RsanCutWord(line);
  if (!*word)
    RsanRefuseLine(*line, word, "names no object: write `of argument N' or `of NAME'");
  if (internal_strcmp(word, "argument") != 0) {
    step->object = ObjectNamed(word);
    return;
  }
  const char *number = RsanCutWord(line);
  if (number[0] < '1' || number[0] > '6' || number[1])
    RsanRefuseLine(*line, number, "is no argument: write a number from 1 to 6");
  step->argument = static_cast<u8>(number[0] - '0');
}

// Reads which result of a trylock means that the lock is held.
static void ReadResult(RsanLine *line, RsanModelStep *step) {
  const char *word = RsanCutWord(line);
  if (!*word)
    return;
  const char *zero = RsanCutWord(line);
  if (internal_strcmp(word, "if") != 0 || internal_strcmp(zero, "zero") != 0 || *line->rest)
    RsanRefuseLine(*line, word, "is too much: only `if zero' may follow the object");
  step->result = 0;
}

static RsanModel *ModelOf(const char *function) {
  for (uptr i = 0; i < models->Size(); i++)
    if (internal_strcmp((*models)[i]->function, function) == 0 && (*models)[i]->library == library)
      return (*models)[i];
  auto *model = New<RsanModel>();
  *model = {function, library, 0, {}};
  models->PushBack(model);
  const u64 hash = HashOf(function);
  maybe[hash / 64] |= 1ull << hash % 64;
  return model;
}

static void ReadModel(RsanLine line, void *) {
  const char *function = RsanCutWord(&line);
  if (internal_strcmp(function, "library") == 0) {
    const char *name = RsanCutWord(&line);
    if (!*name || *line.rest)
      RsanRefuseLine(line, name, "must be the beginning of one library's name, or *");
    library = internal_strcmp(name, "*") == 0 ? nullptr : name;
    return;
  }
  ExpectWord(&line, "->", "follows the function: write FUNCTION -> ACTION of argument N");
  RsanModelStep step = ReadAction(line, RsanCutWord(&line));
  ExpectWord(&line, "of", "follows the action: write ACTION of argument N");
  ReadObject(&line, &step);
  ReadResult(&line, &step);
  RsanModel *model = ModelOf(function);
  if (model->count == RsanModel::kMostSteps)
    RsanRefuseLine(line, function, "has more than 6 actions: join some of them");
  model->steps[model->count++] = step;
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

bool RsanMayBeModelled(const char *symbol) {
  const u64 hash = HashOf(symbol);
  return maybe[hash / 64] >> hash % 64 & 1;
}

static bool IsLoaded(const char *begin, const Vector<const char *> &libraries) {
  for (uptr i = 0; i < libraries.Size(); i++)
    if (internal_strncmp(libraries[i], begin, internal_strlen(begin)) == 0)
      return true;
  return false;
}

const RsanModel *RsanFindModel(const char *symbol, const Vector<const char *> &libraries) {
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

static void TakeStep(ThreadState *thr, uptr pc, RsanModelAction action, uptr object) {
  switch (action) {
  case kRsanModelRelease:
    Release(thr, pc, object);
    break;
  case kRsanModelReadUnlock:
    Release(thr, pc, object + 1);
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

static void TakeSteps(ThreadState *thr, uptr pc, const RsanModel &model, const uptr *arguments,
                      bool returned, uptr result) {
  if (!Synchronises(thr))
    return;
  for (u32 i = 0; i < model.count; i++) {
    const RsanModelStep &step = model.steps[i];
    const bool is_after = step.action >= kRsanModelAcquire;
    const uptr object = step.argument ? arguments[step.argument - 1] : step.object;
    const bool holds = step.result < 0 || (result != 0) == (step.result != 0);
    if (is_after == returned && object && (!returned || holds))
      TakeStep(thr, pc, step.action, object);
  }
}

void RsanAcquireCalledBack(ThreadState *thr) {
  if (atomic_load_relaxed(&hands_over) && Synchronises(thr))
    Acquire(thr, 0, reinterpret_cast<uptr>(&called_back));
}

// What the function does is not a step of the schedule, so the call is one.
void RsanEnterModel(ThreadState *thr, uptr pc, const RsanModel &model, const uptr *arguments) {
  if (RsanSchedules() && Synchronises(thr)) {
    RsanNoteGapOfMany(kRsanGap_CALLS);
    RsanSchedulePoint(thr, pc, RSAN_KIND_FENCE, 0, true);
  }
  TakeSteps(thr, pc, model, arguments, false, 0);
}

// A result of type int or bool leaves the upper half of the register undefined.
void RsanLeaveModel(ThreadState *thr, uptr pc, const RsanModel &model, const uptr *arguments,
                    uptr result) {
  TakeSteps(thr, pc, model, arguments, true, static_cast<u32>(result));
}

} // namespace __tsan
