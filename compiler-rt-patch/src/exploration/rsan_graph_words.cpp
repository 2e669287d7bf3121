// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "exploration/rsan_graph_words.h"

#include "common/rsan_words.h"
#include "exploration/rsan_exploration.h"
#include "places/rsan_place.h"
#include "port/rsan_tsan.h"

extern "C" {
#include "rsan/limits.h"
}

namespace __tsan {

namespace {

struct Note : RsanGraphNote {
  Tid tid;
  StackID stack; // 0: the run does not report
};

} // namespace

static Note *notes; // by event

void RsanNoteGraphEvent(ThreadState *thr, const RsanGraphNote &note, u32 event) {
  if (!notes)
    notes = reinterpret_cast<Note *>(
        MmapNoReserveOrDie(RSAN_GRAPH_MOST_EVENTS * sizeof *notes, "places of graphs"));
  notes[event] = {note, thr->tid, 0};
  if (rsan_exploration_reports)
    notes[event].stack = CurrentStackId(thr, note.pc);
}

static const char *KindOf(const rsan_graph_event &event, const Note &note) {
  if (note.name)
    return note.name;
  switch (event.op.kind) {
  case RSAN_GRAPH_READ:
    return event.outcome == RSAN_GRAPH_BLOCKED ? "wait" : "read";
  case RSAN_GRAPH_WRITE:
    return "write";
  case RSAN_GRAPH_FENCE:
    return "fence";
  case RSAN_GRAPH_CHOICE:
    return "choice";
  default:
    return event.outcome == RSAN_GRAPH_DONE ? "update" : "failed update";
  }
}

// The last write of modification order that was made before the event, or RSAN_GRAPH_INITIAL.
static u32 NewestBefore(const rsan_graph &graph, u32 e) {
  u32 newest = RSAN_GRAPH_INITIAL;
  for (u32 w = 0; w < e; w++)
    if (rsan_graph_writes(&graph.event[w]) &&
        graph.event[w].op.object == graph.event[e].op.object &&
        (newest == RSAN_GRAPH_INITIAL || graph.event[w].place > graph.event[newest].place))
      newest = w;
  return newest;
}

static u64 Low(rsan_value value) {
  return value.low;
}

static void AppendValues(InternalScopedString *text, const rsan_graph &graph, u32 e) {
  const rsan_graph_event &event = graph.event[e];
  if (event.op.kind == RSAN_GRAPH_FENCE)
    return;
  if (event.op.kind == RSAN_GRAPH_CHOICE)
    return text->AppendF("%llu", Low(event.read));
  const u32 newest = NewestBefore(graph, e);
  const bool reads = event.reads != RSAN_GRAPH_NONE, writes = rsan_graph_writes(&event);
  if (reads)
    text->AppendF(writes ? "%llu -> " : "%llu", Low(event.read));
  if (writes)
    text->AppendF("%llu", Low(event.written));
  if (newest == RSAN_GRAPH_INITIAL)
    return;
  if (reads && event.reads != newest &&
      graph.event[newest].place > rsan_graph_read_place(&graph, &event))
    text->AppendF(" (newer: %llu)", Low(graph.event[newest].written));
  else if (writes && !reads && graph.event[newest].place > event.place)
    text->AppendF(" (before %llu)", Low(graph.event[newest].written));
}

static void AppendObject(InternalScopedString *text, uptr addr) {
  if (addr && !RsanRenderName(text, addr))
    text->AppendF("%p", reinterpret_cast<void *>(addr));
}

static void AppendPlace(InternalScopedString *text, const Note &note) {
  if (!note.pc) // a thread begins or ends
    return;
  const ReportStack *stack = note.stack ? SymbolizeStackId(note.stack) : nullptr;
  SymbolizedStack *frames =
      stack ? stack->frames : RsanSymbolizeFrames(StackTrace::GetPreviousInstructionPc(note.pc));
  if (!frames)
    return;
  RsanNormalisePaths(frames);
  RsanRenderPlace(text, RsanPlaceOf(frames)->info);
}

static const char *OrderOf(const rsan_graph_event &event) {
  const bool has_order = event.op.size || event.op.kind == RSAN_GRAPH_FENCE;
  return has_order ? RsanOrderName(rsan_graph_order(&event)) + internal_strlen("memory_order_")
                   : "";
}

// Objects that stand for threads have the numbers of the threads, from 1 on, for addresses.
static bool IsThread(uptr addr) {
  return addr && addr <= RSAN_GRAPH_MOST_THREADS;
}

// Appends the name of the thread that the event creates or joins, if that thread has begun.
static void AppendThread(InternalScopedString *text, const rsan_graph &graph, u32 e, u32 count) {
  const u32 thread = static_cast<u32>(notes[e].addr - 1);
  for (u32 i = 0; i < count && thread != graph.event[e].thread; i++)
    if (graph.event[i].thread == thread)
      return text->AppendF("T%d", notes[i].tid);
}

// Appends the object of the event, and the values that it has read and written. What stands for
// several events of a call has no values.
static void AppendObjectOf(InternalScopedString *object, InternalScopedString *values,
                           const rsan_graph &graph, u32 e, u32 count) {
  if (IsThread(notes[e].addr))
    return AppendThread(object, graph, e, count);
  AppendObject(object, notes[e].addr);
  if (!notes[e].name)
    AppendValues(values, graph, e);
}

bool RsanShowsGraphEvent(u32 event) {
  return !notes[event].name || *notes[event].name;
}

void RsanPrintGraphOf(const rsan_graph &graph, u32 count) {
  for (u32 e = 0; e < Min(count, graph.count); e++) {
    if (!RsanShowsGraphEvent(e))
      continue;
    const rsan_graph_event &event = graph.event[e];
    InternalScopedString thread, object, values, place;
    thread.AppendF("T%d", notes[e].tid);
    AppendObjectOf(&object, &values, graph, e, count);
    AppendPlace(&place, notes[e]);
    Printf("  %-3s %-13s %-14s %-18s %-8s %s\n", thread.data(), KindOf(event, notes[e]),
           Printable(object.data()), values.data(), OrderOf(event), Printable(place.data()));
  }
}

void RsanRenderGraphEvent(const rsan_graph &graph, u32 e, u32 count, InternalScopedString *thread,
                          InternalScopedString *what, InternalScopedString *place) {
  const rsan_graph_event &event = graph.event[e];
  InternalScopedString values;
  thread->AppendF("T%d", notes[e].tid);
  what->AppendF("%s ", KindOf(event, notes[e]));
  AppendObjectOf(what, &values, graph, e, count);
  what->AppendF(" %s", values.data());
  place->AppendF("%s ", OrderOf(event));
  AppendPlace(place, notes[e]);
}

} // namespace __tsan
