// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Happens-before, hbSC and consistency on hand-made graphs. Each edge has a
// twin that lacks one order, fence or step, and the edge with it.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h> // needs the above

#include "graph.h"

struct edge_case {
  const char *events;
  int from, to; // events
  bool hb, hbsc;
};

// From and to are indices of events.
static const struct edge_case cases[] = {
    // Release and acquire access; either end relaxed.
    {"[0,\"st\",0,\"rel\",1],[1,\"ld\",0,\"acq\",1]", 0, 1, true, true},
    {"[0,\"st\",0,\"rlx\",1],[1,\"ld\",0,\"acq\",1]", 0, 1, false, true},
    {"[0,\"st\",0,\"rel\",1],[1,\"ld\",0,\"rlx\",1]", 0, 1, false, true},
    // A release fence before the write; after it; on another thread.
    {"[0,\"fn\",\"rel\"],[0,\"st\",0,\"rlx\",1],[1,\"ld\",0,\"acq\",1]", 0, 2, true, true},
    {"[0,\"fn\",\"acq\"],[0,\"st\",0,\"rlx\",1],[1,\"ld\",0,\"acq\",1]", 0, 2, false, true},
    {"[0,\"st\",0,\"rlx\",1],[0,\"fn\",\"rel\"],[1,\"ld\",0,\"acq\",1]", 0, 2, false, true},
    // The write after the fence is not itself in the release.
    {"[0,\"fn\",\"rel\"],[0,\"st\",0,\"rlx\",1],[1,\"ld\",0,\"acq\",1]", 1, 2, false, true},
    // An acquire fence after the read; before it.
    {"[0,\"st\",0,\"rel\",1],[1,\"ld\",0,\"rlx\",1],[1,\"fn\",\"acq\"]", 0, 2, true, true},
    {"[0,\"st\",0,\"rel\",1],[1,\"ld\",0,\"rlx\",1],[1,\"fn\",\"rel\"]", 0, 2, false, true},
    {"[0,\"st\",0,\"rel\",1],[1,\"fn\",\"acq\"],[1,\"ld\",0,\"rlx\",1]", 0, 2, false, true},
    // Release sequence through a relaxed RMW; broken by a plain store, even
    // one by the releasing thread (C++20).
    {"[0,\"st\",0,\"rel\",1],[1,\"fa\",0,\"rlx\",1,2],[2,\"ld\",0,\"acq\",2]", 0, 2, true, true},
    {"[0,\"st\",0,\"rel\",1],[1,\"st\",0,\"rlx\",2],[2,\"ld\",0,\"acq\",2]", 0, 2, false, true},
    {"[0,\"st\",0,\"rel\",1],[0,\"st\",0,\"rlx\",2],[2,\"ld\",0,\"acq\",2]", 0, 2, false, true},
    // A compare-exchange that fails is no part of the sequence, but reads
    // with its failure order.
    {"[0,\"st\",0,\"rel\",1],[1,\"cs\",0,\"acq\",\"rlx\",1,0,2,0]", 0, 1, false, true},
    {"[0,\"st\",0,\"rel\",1],[1,\"cs\",0,\"rlx\",\"acq\",1,0,2,0]", 0, 1, true, true},
    {"[0,\"st\",0,\"rel\",1],[1,\"cs\",0,\"acq\",\"rlx\",1,1,2,1]", 0, 1, true, true},
    // SC fences are ordered by hb and not by hbSC; weaker ones by neither.
    {"[0,\"fn\",\"sc\"],[1,\"fn\",\"sc\"]", 0, 1, true, false},
    {"[0,\"fn\",\"ar\"],[1,\"fn\",\"sc\"]", 0, 1, false, false},
    // Conflicts: from-read and modification order are hbSC only.
    {"[0,\"ld\",0,\"acq\",0],[1,\"st\",0,\"rel\",1]", 0, 1, false, true},
    {"[0,\"st\",0,\"rel\",1],[1,\"st\",0,\"rel\",2]", 0, 1, false, true},
    {"[0,\"ld\",0,\"acq\",0],[1,\"ld\",0,\"acq\",0]", 0, 1, false, false},
    {"[0,\"st\",0,\"rel\",1],[1,\"st\",1,\"rel\",1]", 0, 1, false, false},
    // A new life of the location has no conflict with the old one.
    {"[0,\"st\",0,\"rel\",1],[1,\"al\",0],[1,\"st\",0,\"rel\",1]", 0, 2, false, false},
    // Mutexes: unlock before later locks of the same one.
    {"[0,\"lk\",0],[0,\"ul\",0],[1,\"lk\",0],[1,\"ul\",0],[2,\"lk\",0]", 1, 4, true, true},
    {"[0,\"lk\",0],[0,\"ul\",0],[1,\"lk\",1]", 1, 2, false, false},
    // Creation and join, also of a thread without events.
    {"[0,\"cr\",1],[1,\"rd\",0]", 0, 1, true, true},
    {"[0,\"cr\",1],[2,\"rd\",0]", 0, 1, false, false},
    {"[1,\"rd\",0],[0,\"jn\",1]", 0, 1, true, true},
    {"[2,\"rd\",0],[0,\"jn\",1]", 0, 1, false, false},
    {"[0,\"cr\",1],[2,\"jn\",1]", 0, 1, true, true},
};

static void parse(const char *events, unsigned options, struct trace *out) {
  char line[1024];
  struct trace_error error;
  snprintf(line, sizeof line, "{\"id\":\"t\",\"threads\":3,\"events\":[%s]}", events);
  if (!trace_parse(line, strlen(line), 1, options, out, &error))
    fail_msg("%s: %s", events, error.reason);
}

static void test_edges(void **state) {
  (void)state;
  struct trace trace = {0};
  struct graph graph = {0};
  struct graph_relations r = {0};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const struct edge_case *c = &cases[i];
    parse(c->events, 0, &trace);
    assert_true(graph_from_trace(&trace, &graph));
    assert_int_equal(graph.count, trace.count);
    graph_derive(&graph, &r);
    size_t from = (size_t)c->from, to = (size_t)c->to;
    if (relation_has(&r.hb, from, to) != c->hb)
      fail_msg("%s: hb is %d", c->events, !c->hb);
    if (relation_has(&r.hbsc, from, to) != c->hbsc)
      fail_msg("%s: hbSC is %d", c->events, !c->hbsc);
    assert_true(graph_consistent(&graph, &r));
    assert_true(graph_is_sc(&r));
  }
  trace_free(&trace);
  graph_free(&graph);
  graph_relations_free(&r);
}

// An access of order sc: a fence node, and then the acquire/release access.
static void test_sc_access(void **state) {
  (void)state;
  struct trace trace = {0};
  struct graph graph = {0};
  parse("[0,\"st\",0,\"sc\",1],[1,\"ld\",0,\"sc\",1]", TRACE_ALLOW_SC, &trace);
  assert_true(graph_from_trace(&trace, &graph));
  assert_int_equal(graph.count, 4);
  assert_int_equal(graph.fences.count, 2);
  assert_true(graph.nodes[0].kind == GRAPH_FENCE && graph.nodes[0].sc);
  assert_int_equal(graph.nodes[1].kind, GRAPH_WRITE);
  assert_true(graph.nodes[1].release);
  assert_true(graph.nodes[3].acquire);
  assert_int_equal(graph.nodes[1].event, 0);
  assert_int_equal(graph.nodes[3].rf, 1);
  trace_free(&trace);
  graph_free(&graph);
}

static uint32_t add(struct graph *graph, uint32_t thread, enum graph_kind kind, uint32_t location,
                    uint32_t rf, size_t position) {
  struct graph_node node = {.thread = thread,
                            .kind = kind,
                            .location = location,
                            .rf = rf,
                            .acquire = true,
                            .release = true};
  graph_need_location(graph, location);
  return graph_add(graph, &node, position);
}

static void verdict(const struct graph *graph, bool consistent, bool sc) {
  struct graph_relations r = {0};
  graph_derive(graph, &r);
  assert_int_equal(graph_consistent(graph, &r), consistent);
  assert_int_equal(graph_is_sc(&r), sc);
  graph_relations_free(&r);
}

static void test_coherence(void **state) {
  (void)state;
  struct graph g = {0};
  uint32_t w = add(&g, 0, GRAPH_WRITE, 0, 0, 1);
  add(&g, 1, GRAPH_READ, 0, w, 0);
  verdict(&g, true, true);
  add(&g, 1, GRAPH_READ, 0, GRAPH_INITIAL, 0); // CoRR
  verdict(&g, false, false);
  graph_remove_last(&g);
  add(&g, 2, GRAPH_READ, 0, GRAPH_INITIAL, 0); // by who does not know
  verdict(&g, true, true);
  add(&g, 0, GRAPH_WRITE, 0, 0, 1); // mo against po
  verdict(&g, false, false);
  graph_free(&g);
}

static void test_atomicity(void **state) {
  (void)state;
  struct graph g = {0};
  uint32_t a = add(&g, 0, GRAPH_RMW, 0, GRAPH_INITIAL, 1);
  verdict(&g, true, true);
  add(&g, 1, GRAPH_WRITE, 0, 0, 1); // just under the RMW
  verdict(&g, false, false);
  graph_remove_last(&g);
  add(&g, 1, GRAPH_RMW, 0, GRAPH_INITIAL, 2); // two RMWs read one version
  verdict(&g, false, false);
  graph_remove_last(&g);
  add(&g, 1, GRAPH_RMW, 0, a, 2);
  verdict(&g, true, true);
  graph_free(&g);
}

static void test_store_buffering(void **state) {
  (void)state;
  struct graph g = {0};
  struct graph_node fence = {.kind = GRAPH_FENCE, .sc = true, .acquire = true, .release = true};
  for (int fences = 0; fences < 3; fences++) {
    graph_clear(&g);
    add(&g, 0, GRAPH_WRITE, 0, 0, 1);
    add(&g, 1, GRAPH_WRITE, 1, 0, 1);
    for (fence.thread = 0; fence.thread < (uint32_t)fences; fence.thread++)
      graph_add(&g, &fence, 0);
    add(&g, 0, GRAPH_READ, 1, GRAPH_INITIAL, 0);
    add(&g, 1, GRAPH_READ, 0, GRAPH_INITIAL, 0);
    verdict(&g, fences < 2, false);
  }
  graph_free(&g);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_edges),           cmocka_unit_test(test_sc_access),
      cmocka_unit_test(test_coherence),       cmocka_unit_test(test_atomicity),
      cmocka_unit_test(test_store_buffering),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
