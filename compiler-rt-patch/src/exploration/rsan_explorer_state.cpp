// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An exploration that was interrupted goes on in another process of the same program. What is known
// so far is saved every second, by rename, so that it is whole whenever the process ends.
//
// Steps are known by the addresses of their objects, and findings by those of code, so these have
// to be the same in both processes. `rsan check' asks for it (personality(2)), and it is checked
// here. The first thread's stack alone may lie elsewhere, as the environment is above it: addresses
// in there are moved.

#include <link.h>
#include <stdio.h>

#include "departures/rsan_departures.h"
#include "exploration/rsan_explorer.h"
#include "sanitizer_common/sanitizer_libc.h"
#include "schedule/rsan_token.h"
#include "tsan_mman.h"

extern "C" {
#include "rsan/schedule/dpor_save.h"
}

namespace __tsan {

namespace {

// Where everything is in this process.
struct Place {
  u64 code, modules;
  uptr heap, tls;
  uptr frame, stack, stack_end;   // of the first thread
  u64 loop, spurious, departures; // the last one: 0 without weak=
};

struct Head {
  u64 layout;
  Place place;
  RsanExplored count;
  rsan_explored_names names;
  u64 findings; // numbers
};

struct Moves {
  fd_t file;
  uptr stack, stack_end, by;
};

} // namespace

static const u64 kLayout = sizeof(Head) << 32 | sizeof(RsanKnownFinding) << 16 | sizeof(Place);
static Place place;

static u64 HashOfModules() {
  u64 hash = 0xcbf29ce484222325;
  dl_iterate_phdr(
      [](dl_phdr_info *info, size_t, void *into) {
        u64 *sum = static_cast<u64 *>(into);
        *sum = (*sum ^ info->dlpi_addr) * 0x100000001b3;
        return 0;
      },
      &hash);
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

static bool WriteAll(const char *path, const char *bytes, uptr size) {
  const fd_t file = OpenFile(path, WrOnly);
  if (file == kInvalidFd)
    return false;
  while (size) {
    uptr written = 0;
    if (!WriteToFile(file, bytes, size, &written) || !written)
      break;
    bytes += written;
    size -= written;
  }
  CloseFile(file);
  return !size;
}

void RsanSaveExplorer(RsanExplorer *e) {
  char path[kMaxPathLength], made[kMaxPathLength];
  InternalMmapVector<char> bytes;
  Head head;
  internal_memset(&head, 0, sizeof head);
  head.layout = kLayout;
  head.place = place;
  head.count = e->count;
  head.names = e->names;
  head.findings = rsan_known_findings->Size();
  Put(&bytes, &head, sizeof head);
  for (u64 i = 0; i < head.findings; i++)
    Put(&bytes, &(*rsan_known_findings)[i], sizeof(RsanKnownFinding));
  rsan_dpor_save(&e->dpor, Put, &bytes);
  // (Where the disk is full the state of before stays.)
  if (WriteAll(StatePath(made, "saving"), bytes.data(), bytes.size()))
    rename(made, StatePath(path, "state"));
}

// -- restored --

static bool Get(void *context, void *bytes, size_t size) {
  char *to = static_cast<char *>(bytes);
  while (size) {
    uptr got = 0;
    if (!ReadFromFile(static_cast<Moves *>(context)->file, to, size, &got) || !got)
      return false;
    to += got;
    size -= got;
  }
  return true;
}

static uint64_t Move(void *context, uint64_t object) {
  const auto *moves = static_cast<Moves *>(context);
  return object >= moves->stack && object < moves->stack_end ? object + moves->by : object;
}

[[noreturn]] static void Refuse(const char *why) {
  Printf("ThreadSanitizer: %s.state cannot be gone on with: %s\n", rsan_flags()->explore, why);
  RsanTellFailure(rsan_explorer, "resume");
  Die();
}

static void CheckPlace(const Place &before) {
  if (before.code != place.code)
    Refuse("it is of another build of the program");
  if (before.loop != place.loop || before.spurious != place.spurious ||
      before.departures != place.departures)
    Refuse("--loop, --spurious or --departures was another one");
  if (before.modules != place.modules || before.heap != place.heap || before.tls != place.tls)
    Refuse("the program's memory has other addresses now (is their randomisation switched off?)");
}

static bool RestoreFindings(Moves *moves, u64 count) {
  for (u64 i = 0; i < count; i++) {
    RsanKnownFinding finding;
    if (!Get(moves, &finding, sizeof finding))
      return false;
    rsan_known_findings->PushBack(finding);
  }
  return true;
}

void RsanBeginState(ThreadState *thr) {
  place = PlaceOf(thr);
}

void RsanRestoreExplorer(RsanExplorer *e) {
  char path[kMaxPathLength];
  Head head;
  Moves moves = {OpenFile(StatePath(path, "state"), RdOnly), 0, 0, 0};
  if (moves.file == kInvalidFd)
    Refuse("it cannot be read");
  if (!Get(&moves, &head, sizeof head) || head.layout != kLayout ||
      head.names.count > RSAN_DPOR_THREADS)
    Refuse("it is of another version of RSan, or damaged");
  CheckPlace(head.place);
  moves.stack = head.place.stack;
  moves.stack_end = head.place.stack_end;
  moves.by = place.frame - head.place.frame;
  if (!RestoreFindings(&moves, head.findings) || !rsan_dpor_restore(&e->dpor, Get, Move, &moves))
    Refuse("it is damaged");
  CloseFile(moves.file);
  e->count = head.count;
  e->names = head.names;
  e->executions_before = head.count.executions;
  e->time_before = head.count.time;
}

} // namespace __tsan
