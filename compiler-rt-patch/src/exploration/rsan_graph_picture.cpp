// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "exploration/rsan_graph_picture.h"

#include "exploration/rsan_graph_words.h"
#include "port/rsan_tsan.h"

namespace __tsan {

namespace {

enum EdgeKind { kPo, kRf, kMo, kFr };
struct Edge {
  u32 from, to;
  EdgeKind kind;
  bool orders, in_circle; // the read comes after the write by happens-before
};

// The picture under way.
struct Picture {
  const rsan_graph *graph;
  u32 count;
  Vector<Edge> edges;
  u32 threads;
  int box; // width
};

} // namespace

static const u32 kNone = ~0u;
static const int kGap = 70, kRow = 58, kHeight = 38, kLeft = 20, kTop = 40;

// -- edges --

static u32 WriteAt(const Picture &p, u32 object, u32 place) {
  for (u32 e = 0; e < p.count; e++) {
    const rsan_graph_event &event = p.graph->event[e];
    if (rsan_graph_writes(&event) && event.op.object == object && event.place == place)
      return e;
  }
  return kNone;
}

static bool IsShown(const Picture &p, u32 e) {
  return e < p.count && RsanShowsGraphEvent(e);
}

static void Add(Picture *p, u32 from, u32 to, EdgeKind kind, bool orders = false) {
  if (IsShown(*p, from) && IsShown(*p, to) && from != to)
    p->edges.PushBack({from, to, kind, orders, false});
}

static void AddEdges(Picture *p) {
  for (u32 e = 0; e < p->count; e++) {
    const rsan_graph_event &event = p->graph->event[e];
    p->threads = Max(p->threads, event.thread + 1);
    u32 previous = event.previous;
    while (previous < p->count && !IsShown(*p, previous))
      previous = p->graph->event[previous].previous;
    Add(p, previous, e, kPo);
    if (event.reads < RSAN_GRAPH_NONE)
      Add(p, event.reads, e, kRf,
          rsan_row_has(rsan_graph_row(p->graph, e, RSAN_GRAPH_HB), event.reads));
    if (rsan_graph_writes(&event))
      Add(p, e, WriteAt(*p, event.op.object, event.place + 1), kMo);
    else if (event.reads != RSAN_GRAPH_NONE)
      Add(p, e, WriteAt(*p, event.op.object, rsan_graph_read_place(p->graph, &event) + 1), kFr);
  }
}

// -- the circle --

// Finds a shortest way from `start` back to it; via[e] is the edge that leads to e. Returns its
// length, or kNone.
static u32 FindCircle(const Picture &p, u32 start, u32 *via, u32 *length) {
  Vector<u32> next;
  for (u32 e = 0; e < p.count; e++)
    via[e] = length[e] = kNone;
  next.PushBack(start);
  for (uptr i = 0; i < next.Size(); i++)
    for (uptr k = 0; k < p.edges.Size(); k++) {
      const Edge &edge = p.edges[k];
      if (edge.from != next[i] || length[edge.to] != kNone)
        continue;
      length[edge.to] = edge.from == start ? 1 : length[edge.from] + 1;
      via[edge.to] = static_cast<u32>(k);
      if (edge.to == start)
        return length[start];
      next.PushBack(edge.to);
    }
  return kNone;
}

static void MarkCircle(Picture *p) {
  u32 *via = static_cast<u32 *>(InternalAlloc(2 * sizeof(u32) * (p->count + 1)));
  u32 *length = via + p->count, best = kNone, start = kNone;
  for (u32 e = 0; e < p->count; e++) {
    const u32 found = FindCircle(*p, e, via, length);
    if (found < best) {
      best = found;
      start = e;
    }
  }
  if (start != kNone) {
    FindCircle(*p, start, via, length);
    u32 e = start;
    do {
      p->edges[via[e]].in_circle = true;
      e = p->edges[via[e]].from;
    } while (e != start);
  }
  InternalFree(via);
}

// -- drawing --

static void AppendEscaped(InternalScopedString *text, const char *from) {
  for (; *from; from++) {
    if (*from == '&')
      text->Append("&amp;");
    else if (*from == '<')
      text->Append("&lt;");
    else if (*from == '>')
      text->Append("&gt;");
    else
      text->AppendF("%c", *from);
  }
}

// The width of all boxes, for fonts of about these widths.
static int WidthOf(const Picture &p) {
  int width = 150;
  for (u32 e = 0; e < p.count; e++) {
    InternalScopedString thread, what, place;
    if (!IsShown(p, e))
      continue;
    RsanRenderGraphEvent(*p.graph, e, p.count, &thread, &what, &place);
    width = Max(width, Max(static_cast<int>(what.length()) * 15 / 2,
                           static_cast<int>(place.length()) * 21 / 4) +
                           20);
  }
  return Min(width, 600);
}

static int XOf(const Picture &p, u32 e) {
  return kLeft + static_cast<int>(p.graph->event[e].thread) * (p.box + kGap);
}
static int YOf(u32 e) {
  return kTop + static_cast<int>(e) * kRow;
}

static void DrawHead(const Picture &p, InternalScopedString *svg) {
  const int width = 2 * kLeft + static_cast<int>(p.threads) * (p.box + kGap),
            height = YOf(p.count) + 3 * kTop;
  svg->AppendF("<svg xmlns='http://www.w3.org/2000/svg' viewBox=\"0 0 %d %d\" role=\"img\" "
               "aria-label=\"execution graph\">\n",
               width, height);
  svg->Append("<style>\n"
              "svg{background:#fff;font:13px sans-serif;max-width:100%}text{fill:#222}\n"
              ".place{font-size:10px;fill:#666}rect{fill:#f4f4f4;stroke:#999}\n"
              "path{fill:none;stroke-width:1.3}.po{stroke:#999}.rf{stroke:#1a7f37}\n"
              ".mo{stroke:#0969da}.fr{stroke:#cf222e;stroke-dasharray:6 3}\n"
              ".hb{stroke-width:3}.circle{stroke-width:3.5}\n"
              "marker path{fill:context-stroke;stroke:none}\n"
              "@media(prefers-color-scheme:dark){svg{background:#0d1117}text{fill:#e6edf3}\n"
              ".place{fill:#9198a1}rect{fill:#161b22;stroke:#6e7681}.po{stroke:#6e7681}\n"
              ".rf{stroke:#3fb950}.mo{stroke:#58a6ff}.fr{stroke:#f85149}}\n"
              "</style>\n"
              "<defs><marker id=\"head\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" "
              "markerWidth=\"9\" markerHeight=\"9\" markerUnits=\"userSpaceOnUse\" "
              "orient=\"auto\"><path d=\"M0,0L8,4L0,8z\"/></marker></defs>\n");
}

static void DrawEvents(const Picture &p, InternalScopedString *svg) {
  for (u32 e = 0; e < p.count; e++) {
    InternalScopedString thread, what, place;
    const int x = XOf(p, e), y = YOf(e);
    if (!IsShown(p, e))
      continue;
    RsanRenderGraphEvent(*p.graph, e, p.count, &thread, &what, &place);
    if (!p.graph->event[e].index)
      svg->AppendF("<text class=\"thread\" x=\"%d\" y=\"%d\">%s</text>\n", x, y - 8, thread.data());
    svg->AppendF("<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"4\"/>\n"
                 "<text class=\"event\" x=\"%d\" y=\"%d\">",
                 x, y, p.box, kHeight, x + 8, y + 16);
    AppendEscaped(svg, what.data());
    svg->AppendF("</text>\n<text class=\"place\" x=\"%d\" y=\"%d\">", x + 8, y + 31);
    AppendEscaped(svg, place.data());
    svg->Append("</text>\n");
  }
}

// Within a thread program order says as much, unless the edge is in the circle.
static bool IsDrawn(const Picture &p, const Edge &edge) {
  return edge.kind == kPo || edge.in_circle ||
         p.graph->event[edge.from].thread != p.graph->event[edge.to].thread;
}

// From side to side; within a column along its right side.
static void DrawEdge(const Picture &p, const Edge &edge, InternalScopedString *svg) {
  static const char *const names[] = {"po", "rf", "mo", "fr"};
  const int from = XOf(p, edge.from), to = XOf(p, edge.to), offset = 3 * (edge.kind - kRf),
            y1 = YOf(edge.from) + kHeight / 2 + offset, y2 = YOf(edge.to) + kHeight / 2 + offset;
  svg->AppendF("<path class=\"%s%s%s\" marker-end=\"url(#head)\" d=\"", names[edge.kind],
               edge.orders ? " hb" : "", edge.in_circle ? " circle" : "");
  if (edge.kind == kPo)
    svg->AppendF("M%d,%dL%d,%d", from + 20, YOf(edge.from) + kHeight, to + 20, YOf(edge.to));
  else if (from == to)
    svg->AppendF("M%d,%dC%d,%d %d,%d %d,%d", from + p.box, y1, from + p.box + 40, y1,
                 from + p.box + 40, y2, from + p.box, y2);
  else {
    const int x1 = from < to ? from + p.box : from, x2 = from < to ? to : to + p.box,
              bend = from < to ? 30 : -30;
    svg->AppendF("M%d,%dC%d,%d %d,%d %d,%d", x1, y1, x1 + bend, y1, x2 - bend, y2, x2, y2);
  }
  svg->AppendF("\"><title>%s</title></path>\n", names[edge.kind]);
}

static void DrawLegend(const Picture &p, InternalScopedString *svg) {
  static const struct {
    const char *name, *text;
  } lines[] = {{"po", "program order"},
               {"rf", "is read by"},
               {"rf hb", "and happens before"},
               {"mo", "is overwritten by"},
               {"fr", "misses"}};
  for (int i = 0; i < 5; i++) {
    const int x = kLeft + (i % 3) * 200, y = YOf(p.count) + 20 + (i / 3) * 26;
    svg->AppendF("<g class=\"legend\"><path class=\"%s\" marker-end=\"url(#head)\" "
                 "d=\"M%d,%dL%d,%d\"/><text x=\"%d\" y=\"%d\">%s</text></g>\n",
                 lines[i].name, x, y, x + 40, y, x + 48, y + 4, lines[i].text);
  }
}

void RsanDrawGraph(const rsan_graph &graph, u32 count, const char *path) {
  Picture p = {&graph, Min(count, graph.count), {}, 0, 0};
  InternalScopedString svg;
  AddEdges(&p);
  MarkCircle(&p);
  p.box = WidthOf(p);
  DrawHead(p, &svg);
  DrawEvents(p, &svg);
  for (uptr i = 0; i < p.edges.Size(); i++)
    if (IsDrawn(p, p.edges[i]))
      DrawEdge(p, p.edges[i], &svg);
  DrawLegend(p, &svg);
  svg.Append("</svg>\n");
  const fd_t file = OpenFile(path, WrOnly);
  if (file == kInvalidFd || !WriteToFile(file, svg.data(), svg.length()))
    Printf("rsan_check: the picture cannot be written: %s\n", path);
  if (file != kInvalidFd)
    CloseFile(file);
}

} // namespace __tsan
