// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An exploration that was interrupted goes on in another process of the same program. What is known
// so far is saved every second, by rename, so that it is whole whenever the process ends.
//
// Steps are known by the addresses of their objects, and findings by those of code, so these have
// to be the same in both processes. `rsan check' asks for it (personality(2)), and it is checked
// here. The first thread's stack alone may lie elsewhere, as the environment is above it: addresses
// in there are moved.
//
// The file may come from another machine (rsan_explorer_parts.cpp), and may be damaged or forged.
// So it is read only if its seal matches, and each index and size in it is checked before it is
// used.

#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <sys/stat.h>

#include "departures/rsan_departures.h"
#include "exploration/rsan_explorer.h"
#include "port/rsan_tsan.h"
#include "schedule/rsan_token.h"

extern "C" {
#include "rsan/schedule/dpor_save.h"
}

namespace __tsan {

namespace {

// Where everything is in this process.
struct Place {
  u64 code, modules;
  uptr heap, tls;
  uptr frame, stack, stack_end;           // of the first thread
  u64 loop, unroll, spurious, departures; // the last one: 0 without weak=
};

struct Head {
  Place place;
  RsanExplored count;
  rsan_explored_names names;
  RsanRound round;
  u64 findings, notes, note_steps; // numbers of them
};

// The first bytes of the file. They do not match a file that was truncated or changed, or that
// another version of RSan has written.
struct Seal {
  u64 layout, length, checksum; // length (bytes) and checksum are those of the rest of the file
};

// The bytes that have not been read yet, and by how much addresses in the first thread's stack
// move.
struct Moves {
  const char *at;
  uptr left;
  uptr stack, stack_end, by;
};

} // namespace

// "RSan" and a version. Increment the version when the meaning of a field changes.
static const u64 kVersion = 0x5253616e0003;
static const u64 kLayout = kVersion << 16 ^ sizeof(Head) << 32 ^ sizeof(RsanKnownFinding) << 16 ^
                           sizeof(Place) << 8 ^ sizeof(RsanNote);
static Place place;

static void AddToHash(u64 *hash, u64 value) {
  *hash = (*hash ^ value) * 0x100000001b3;
}

// Where a module is, and its build: the notes have its build id. (The kernel's own is in no file.)
static int AddModule(dl_phdr_info *info, size_t, void *hash) {
  u64 *sum = static_cast<u64 *>(hash);
  if (info->dlpi_name && *info->dlpi_name && *info->dlpi_name != '/')
    return 0;
  AddToHash(sum, info->dlpi_addr);
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) &segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_NOTE)
      continue;
    const u32 *words = reinterpret_cast<const u32 *>(info->dlpi_addr + segment.p_vaddr);
    for (uptr w = 0; w < segment.p_memsz / sizeof *words; w++)
      AddToHash(sum, words[w]);
  }
  return 0;
}

static Seal SealOf(const char *bytes, uptr size) {
  MurMur2Hash64Builder hash(size);
  for (uptr i = 0; i < size; i += sizeof(u64)) {
    u64 word = 0;
    internal_memcpy(&word, bytes + i, Min<uptr>(sizeof word, size - i));
    hash.add(word);
  }
  return {kLayout, size, hash.get()};
}

static u64 HashOfModules() {
  u64 hash = 0xcbf29ce484222325;
  dl_iterate_phdr(AddModule, &hash);
  return hash;
}

static Place PlaceOf(ThreadState *thr) {
  void *block = user_alloc(thr, 0, 64);
  const Place here = {RsanHashOfCode(),
                      HashOfModules(),
                      reinterpret_cast<uptr>(block),
                      thr->tls_addr,
                      reinterpret_cast<uptr>(__builtin_frame_address(0)),
                      thr->stk_addr,
                      thr->stk_addr + thr->stk_size,
                      static_cast<u64>(rsan_flags()->explore_loop),
                      static_cast<u64>(rsan_flags()->explore_unroll),
                      static_cast<u64>(rsan_flags()->explore_spurious),
                      RsanExploresDepartures() ? static_cast<u64>(rsan_flags()->weak_departures)
                                               : 0};
  user_free(thr, 0, block);
  return here;
}

static const char *StatePath(char *path, const char *suffix) {
  internal_snprintf(path, kMaxPathLength, "%s.%s", rsan_flags()->explore, suffix);
  return path;
}

// -- saved --

static void Put(void *bytes, const void *from, size_t size) {
  auto *to = static_cast<InternalMmapVector<char> *>(bytes);
  const uptr at = to->size();
  to->resize(at + size);
  internal_memcpy(to->data() + at, from, size);
}

static bool WriteTo(fd_t file, const void *from, uptr size) {
  const char *bytes = static_cast<const char *>(from);
  while (size) {
    uptr written = 0;
    if (!WriteToFile(file, bytes, size, &written) || !written)
      return false;
    bytes += written;
    size -= written;
  }
  return true;
}

static bool WriteSealed(const char *path, const char *bytes, uptr size) {
  const Seal seal = SealOf(bytes, size);
  const fd_t file = OpenFile(path, WrOnly);
  if (file == kInvalidFd)
    return false;
  const bool written = WriteTo(file, &seal, sizeof seal) && WriteTo(file, bytes, size);
  CloseFile(file);
  return written;
}

static void PutNotes(const RsanNotes &notes, InternalMmapVector<char> *bytes) {
  for (uptr i = 0; i < notes.note.Size(); i++)
    Put(bytes, &notes.note[i], sizeof(RsanNote));
  for (uptr i = 0; i < notes.step.Size(); i++)
    Put(bytes, &notes.step[i], sizeof(rsan_dpor_step));
}

// PART: 0 for all of it. (Where the disk is full the file of before stays.)
static void Save(RsanExplorer *e, u32 part, const char *suffix) {
  char path[kMaxPathLength], made[kMaxPathLength];
  InternalMmapVector<char> bytes;
  Head head;
  internal_memset(&head, 0, sizeof head);
  head.place = place;
  head.count = e->count;
  head.names = e->names;
  head.round = e->round;
  if (part) {
    internal_memset(&head.count, 0, sizeof head.count);
    head.count.level = e->count.level;
    head.round.part = part;
  } else {
    head.notes = e->notes->note.Size();
    head.note_steps = e->notes->step.Size();
  }
  head.findings = rsan_known_findings->Size();
  Put(&bytes, &head, sizeof head);
  for (u64 i = 0; i < head.findings; i++)
    Put(&bytes, &(*rsan_known_findings)[i], sizeof(RsanKnownFinding));
  if (part) {
    rsan_dpor_save_part(&e->dpor, part, Put, &bytes);
  } else {
    rsan_dpor_save(&e->dpor, Put, &bytes);
    PutNotes(*e->notes, &bytes);
  }
  if (WriteSealed(StatePath(made, "saving"), bytes.data(), bytes.size()))
    rename(made, StatePath(path, suffix));
}

void RsanSaveExplorer(RsanExplorer *e) {
  Save(e, 0, "state");
}

void RsanSavePart(RsanExplorer *e, u32 part, const char *suffix) {
  Save(e, part, suffix);
}

// -- restored --

typedef InternalMmapVector<char> Bytes;

// Bytes of the largest file that is read. A state takes a few hundred, so no exploration needs
// more.
static const u64 kMostBytes = 1ull << 32;

// Reads the whole file. Returns false if it cannot be read, is too large, or is no regular file,
// because a read from a FIFO may wait forever.
static bool ReadAll(const char *path, Bytes *bytes) {
  struct stat status;
  const uptr opened = internal_open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (internal_iserror(opened))
    return false;
  const fd_t file = static_cast<fd_t>(opened);
  bool read = !internal_iserror(internal_fstat(file, &status)) && S_ISREG(status.st_mode) &&
              static_cast<u64>(status.st_size) <= kMostBytes;
  bytes->resize(read ? static_cast<uptr>(status.st_size) : 0);
  for (uptr done = 0, got; read && done < bytes->size(); done += got)
    read = ReadFromFile(file, bytes->data() + done, bytes->size() - done, &got) && got;
  CloseFile(file);
  return read;
}

// Returns false if the seal does not match the rest of the file.
static bool BreakSeal(const Bytes &bytes, Moves *moves) {
  if (bytes.size() < sizeof(Seal))
    return false;
  *moves = {bytes.data() + sizeof(Seal), bytes.size() - sizeof(Seal), 0, 0, 0};
  const Seal seal = SealOf(moves->at, moves->left);
  return internal_memcmp(bytes.data(), &seal, sizeof seal) == 0;
}

static bool Get(void *context, void *bytes, size_t size) {
  auto *moves = static_cast<Moves *>(context);
  if (size > moves->left)
    return false;
  internal_memcpy(bytes, moves->at, size);
  moves->at += size;
  moves->left -= size;
  return true;
}

static uint64_t Move(void *context, uint64_t object) {
  const auto *moves = static_cast<Moves *>(context);
  return object >= moves->stack && object < moves->stack_end ? object + moves->by : object;
}

[[noreturn]] static void Refuse(const char *why) {
  Printf("ThreadSanitizer: %s.state cannot be resumed: %s\n", rsan_flags()->explore, why);
  RsanTellFailure(rsan_explorer, "resume");
  Die();
}

// Null: it fits.
static const char *WhatDiffers(const Place &before) {
  if (before.code != place.code)
    return "it is of another build of the program";
  if (before.loop != place.loop || before.unroll != place.unroll ||
      before.spurious != place.spurious || before.departures != place.departures)
    return "--loop, --unroll, --spurious or --departures was another one";
  if (before.modules != place.modules || before.heap != place.heap || before.tls != place.tls)
    return "the program's memory has other addresses now (is their randomisation switched off?)";
  return nullptr;
}

static bool ReadFindings(Moves *moves, u64 count, bool takes) {
  for (u64 i = 0; i < count; i++) {
    RsanKnownFinding finding;
    if (!Get(moves, &finding, sizeof finding) || finding.what > kRsanViolation)
      return false;
    if (takes)
      rsan_known_findings->PushBack(finding);
  }
  return true;
}

// They are behind those that are there.
static bool ReadNotes(Moves *moves, const Head &head, RsanNotes *notes) {
  u64 steps = 0;
  for (u64 i = 0; i < head.notes; i++) {
    RsanNote note;
    if (!Get(moves, &note, sizeof note) || note.count >= RSAN_DPOR_STEPS)
      return false;
    notes->note.PushBack(note);
    steps += note.count;
  }
  for (u64 i = 0; i < head.note_steps; i++) {
    rsan_dpor_step step;
    if (!Get(moves, &step, sizeof step) || !rsan_dpor_step_makes_sense(&step))
      return false;
    notes->step.PushBack(step);
  }
  return steps == head.note_steps;
}

static bool ReadHead(Moves *moves, Head *head) {
  return Get(moves, head, sizeof *head) && head->names.count <= RSAN_DPOR_THREADS &&
         head->count.level.loop;
}

static bool ReadRest(Moves *moves, const Head &head, bool takes_findings, rsan_dpor *dpor,
                     RsanNotes *notes) {
  moves->stack = head.place.stack;
  moves->stack_end = head.place.stack_end;
  moves->by = place.frame - head.place.frame;
  if (!ReadFindings(moves, head.findings, takes_findings) ||
      !rsan_dpor_restore(dpor, Get, Move, moves))
    return false;
  if (ReadNotes(moves, head, notes) && !moves->left)
    return true;
  rsan_dpor_clear(dpor);
  return false;
}

bool RsanReadSaved(const char *suffix, RsanSaved *saved) {
  char path[kMaxPathLength];
  Head head;
  Bytes bytes;
  Moves moves;
  if (!ReadAll(StatePath(path, suffix), &bytes) || !BreakSeal(bytes, &moves) ||
      !ReadHead(&moves, &head) || WhatDiffers(head.place) ||
      !ReadRest(&moves, head, false, &saved->dpor, &saved->notes))
    return false;
  saved->count = head.count;
  saved->names = head.names;
  saved->round = head.round;
  return true;
}

void RsanBeginState(ThreadState *thr) {
  place = PlaceOf(thr);
}

void RsanRestoreExplorer(RsanExplorer *e) {
  char path[kMaxPathLength];
  Head head;
  Bytes bytes;
  Moves moves;
  if (!ReadAll(StatePath(path, "state"), &bytes))
    Refuse("it cannot be read, or is no regular file");
  if (!BreakSeal(bytes, &moves) || !ReadHead(&moves, &head))
    Refuse("it is of another version of RSan, or damaged");
  if (const char *why = WhatDiffers(head.place))
    Refuse(why);
  if (!ReadRest(&moves, head, true, &e->dpor, e->notes))
    Refuse("it is damaged");
  e->count = head.count;
  e->names = head.names;
  e->round = head.round;
  e->executions_before = head.count.executions;
  e->time_before = head.count.time;
}

} // namespace __tsan
