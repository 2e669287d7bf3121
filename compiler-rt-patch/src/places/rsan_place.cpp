// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "port/rsan_tsan.h"

#include "places/rsan_place.h"

#include "common/rsan_source_name.h"

namespace __tsan {

namespace {

// A line of the file that wrappers= names.
struct Pattern {
  bool is_file; // src:, else fun:
  const char *text;
};

} // namespace

static StaticSpinMutex mutex; // of what follows
static DenseMap<u64, u8> *found_wrappers;
static DenseMap<uptr, RsanPoint> *points;
static DenseMap<u64, const char *> *lines; // by their hash
static Vector<Pattern> *patterns;          // made at the start, then only read
static bool wrappers_are_off;

static void RefuseLine(const char *file, uptr number, const char *line) {
  Printf("ThreadSanitizer: %s:%zu: '%s' in wrappers= must be fun:PATTERN or src:PATTERN\n",
         Printable(file), number, Printable(line));
  RsanDieUnstarted();
}

static void ReadPattern(const char *file, uptr number, char *line) {
  while (*line == ' ' || *line == '\t')
    line++;
  char *end = line + internal_strlen(line);
  while (end > line && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r'))
    end--;
  *end = '\0';
  if (!*line || *line == '#')
    return;
  bool is_file = rsan_starts_with(line, "src:");
  if ((!is_file && !rsan_starts_with(line, "fun:")) || !line[4])
    RefuseLine(file, number, line);
  patterns->PushBack({is_file, internal_strdup(line + 4)});
}

void RsanInitializeWrappers() {
  const char *file = rsan_flags()->wrappers;
  wrappers_are_off = internal_strcmp(file, "none") == 0;
  if (!*file || wrappers_are_off)
    return;
  char *text;
  uptr room, size;
  if (!ReadFileToBuffer(file, &text, &room, &size))
    RsanRefuseOption("wrappers", file, nullptr, "none or a file that can be read");
  patterns = New<Vector<Pattern>>();
  uptr number = 1;
  for (char *line = text, *end; line; line = end, number++) {
    end = internal_strchr(line, '\n');
    if (end)
      *end++ = '\0';
    ReadPattern(file, number, line);
  }
  UnmapOrDie(text, room);
}

static bool IsNamed(const AddressInfo &info) {
  for (uptr i = 0; patterns && i < patterns->Size(); i++) {
    const char *text = (*patterns)[i].is_file ? info.file : info.function;
    if (text && TemplateMatch((*patterns)[i].text, text))
      return true;
  }
  return false;
}

static char *NormalPath(const char *path) {
  uptr size = internal_strlen(path) + 2;
  return rsan_normal_path(path, static_cast<char *>(InternalAlloc(size)), size);
}

void RsanNormalisePaths(SymbolizedStack *frames) {
  for (SymbolizedStack *frame = frames; frame; frame = frame->next)
    if (char *file = frame->info.file) {
      file += rsan_starts_with(file, "./") ? 2 : 0; // the runtime's own files are recognised by it
      rsan_normal_path(file, file, internal_strlen(file) + 2);
    }
}

u64 RsanPlaceKey(const AddressInfo &info) {
  if (!info.function || !info.file || info.line <= 0)
    return 0;
  char *path = NormalPath(info.file);
  u64 key = rsan_wrapper_key(path, info.function, info.line, info.column);
  InternalFree(path);
  return key;
}

bool RsanIsWrapper(const AddressInfo &info) {
  if (wrappers_are_off)
    return false;
  if (IsNamed(info))
    return true;
  u64 key = RsanPlaceKey(info);
  SpinMutexLock lock(&mutex);
  return key && found_wrappers && found_wrappers->find(key);
}

// The C++ library's, or the runtime's.
static bool IsInternal(const SymbolizedStack *frame) {
  return SkipInternalFrames(frame) != frame;
}

// Null if there are only wrappers, of which *outermost is the outermost, and frames of the C++
// library and the runtime.
static const SymbolizedStack *FindPlace(const SymbolizedStack *frames,
                                        const SymbolizedStack **outermost) {
  *outermost = nullptr;
  for (const SymbolizedStack *frame = frames; frame; frame = frame->next) {
    if (IsInternal(frame))
      continue;
    if (!RsanIsWrapper(frame->info))
      return frame;
    *outermost = frame;
  }
  return nullptr;
}

const SymbolizedStack *RsanPlaceOf(const SymbolizedStack *frames) {
  const SymbolizedStack *wrapper, *place = FindPlace(frames, &wrapper);
  return place ? place : wrapper ? wrapper : frames;
}

const SymbolizedStack *RsanWrapperAt(const SymbolizedStack *frames, const SymbolizedStack *place) {
  const SymbolizedStack *wrapper = nullptr;
  for (; frames && frames != place; frames = frames->next)
    if (!IsInternal(frames))
      wrapper = frames;
  return wrapper;
}

// The functions at an address, the innermost inlined one first; null: there is none.
static SymbolizedStack *FramesAt(uptr pc) {
  if (!pc)
    return nullptr;
  SymbolizedStack *frames = RsanSymbolizeFrames(StackTrace::GetPreviousInstructionPc(pc));
  for (SymbolizedStack *frame = frames; frame; frame = frame->next)
    frame->info.address = pc; // as in TSan's stacks
  RsanNormalisePaths(frames);
  return frames;
}

RsanStepFrames::RsanStepFrames(const rsan_step &step, bool whole) : frames_(FramesAt(step.pc)) {
  const SymbolizedStack *wrapper;
  if (!frames_ || (!whole && FindPlace(frames_, &wrapper)))
    return;
  SymbolizedStack *last = frames_;
  while (last->next)
    last = last->next;
  last->next = FramesAt(step.caller);
}

RsanStepFrames::~RsanStepFrames() {
  if (frames_)
    frames_->ClearAll();
}

void RsanRenderPlaceLine(InternalScopedString *text, const AddressInfo &info) {
  if (info.file && info.line > 0) {
    uptr length = 0;
    const char *name = info.function ? rsan_own_name(info.function, &length) : "";
    char *path = NormalPath(StripPathPrefix(info.file, common_flags()->strip_path_prefix));
    text->AppendF("%.*s %s:%d", static_cast<int>(length), name, path, info.line);
    InternalFree(path);
  } else if (info.module) {
    text->AppendF("%s+0x%zx", StripModuleName(info.module), info.module_offset);
  } else {
    text->Append("?");
  }
}

static const char *Intern(const InternalScopedString &text) {
  u64 key = rsan_hash_line(RSAN_HASH_START, text.data()) >> 1;
  SpinMutexLock lock(&mutex);
  if (!lines)
    lines = New<DenseMap<u64, const char *>>();
  auto made = lines->insert({key, nullptr});
  if (made.second)
    made.first->getSecond() = internal_strdup(text.data());
  return made.first->getSecond();
}

static RsanPlaceLines LinesOf(const SymbolizedStack *frame) {
  InternalScopedString identity, line;
  if (!frame)
    return {nullptr, nullptr};
  RsanRenderIdentity(&identity, frame->info);
  RsanRenderPlaceLine(&line, frame->info);
  return {Intern(identity), Intern(line)};
}

static RsanPoint SymbolizePoint(uptr pc) {
  // fork waits for this lock, so that no child gets a symbolizer that is in use.
  ReportLock lock;
  SymbolizedStack *frames = FramesAt(pc);
  if (!frames)
    return {RsanWhose(frames), {nullptr, nullptr}, {nullptr, nullptr}, {"?", "?"}};
  const SymbolizedStack *wrapper, *place = FindPlace(frames, &wrapper);
  const RsanPlaceLines innermost = LinesOf(frames); // reads the source
  RsanPoint point = {RsanWhose(frames), place == frames ? innermost : LinesOf(place),
                     LinesOf(wrapper), innermost};
  frames->ClearAll();
  return point;
}

RsanPoint RsanPointAt(uptr pc) {
  {
    SpinMutexLock lock(&mutex);
    if (!points)
      points = New<DenseMap<uptr, RsanPoint>>();
    if (auto *found = points->find(pc))
      return found->second;
  }
  RsanPoint point = SymbolizePoint(pc);
  SpinMutexLock lock(&mutex);
  (*points)[pc] = point;
  return point;
}

RsanPlaceLines RsanPlaceLinesOf(StackTrace stack) { // outermost frame first
  RsanPlaceLines fallback = {nullptr, nullptr}, innermost = {"?", "?"};
  for (uptr i = stack.size; i > 0; i--) {
    RsanPoint point = RsanPointAt(stack.trace[i - 1]);
    if (point.place.line)
      return point.place;
    if (point.wrapper.line)
      fallback = point.wrapper;
    if (i == stack.size)
      innermost = point.innermost;
  }
  return fallback.line ? fallback : innermost;
}

void RsanForgetPlaces() {
  if (ctx->after_multithreaded_fork)
    return;
  SpinMutexLock lock(&mutex);
  if (points)
    points->clear();
}

void RsanRenderSource(InternalScopedString *text, const AddressInfo &info) {
  StackTracePrinter *printer = StackTracePrinter::GetOrInit();
  if (info.file)
    printer->RenderSourceLocation(text, info.file, info.line, info.column,
                                  common_flags()->symbolize_vs_style,
                                  common_flags()->strip_path_prefix);
  else if (info.module)
    printer->RenderModuleLocation(text, info.module, info.module_offset, info.module_arch,
                                  common_flags()->strip_path_prefix);
  else
    text->AppendF("(%p)", (void *)info.address);
}

static void RenderFunction(InternalScopedString *text, const AddressInfo &info) {
  if (info.function && info.file)
    text->AppendF("%s ", StackTracePrinter::GetOrInit()->StripFunctionName(info.function));
}

void RsanRenderPlace(InternalScopedString *text, const AddressInfo &info) {
  RenderFunction(text, info);
  RsanRenderSource(text, info);
}

} // namespace __tsan

using namespace __tsan;

// Called by the compiler's pass: the places of accesses in the wrappers of a module that was loaded
// (rsan_source_name.h). Modules that include the same header have the same ones.
extern "C" SANITIZER_INTERFACE_ATTRIBUTE void __rsan_note_wrappers(const u64 *keys, u32 count) {
  // Another thread may have held the lock when the process forked; nothing is reported there.
  if (ctx->after_multithreaded_fork)
    return;
  SpinMutexLock lock(&__tsan::mutex);
  if (!found_wrappers)
    found_wrappers = New<DenseMap<u64, u8>>();
  for (u32 i = 0; i < count; i++)
    found_wrappers->insert({keys[i], 0});
}
