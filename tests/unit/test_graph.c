// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Execution graphs: which are consistent, where there is a race, and their text. tests/graph has
// the same for random programs, against brute force.
#include <string.h>

#include "graph/consistent.h"
#include "graph/text.h"
#include "unit.h"

#define END "\nend\n"
#define WRITE(e, t, s, x, rest)                                                                    \
  "\nevent " #e " thread " #t " stamp " #s " write object " #x rest " operand 1 write-stamp " #s   \
  " place 1"
#define READ(e, t, s, x, from, rest)                                                               \
  "\nevent " #e " thread " #t " stamp " #s " read object " #x rest " reads " #from
#define FENCE(e, t, s) "\nevent " #e " thread " #t " stamp " #s " fence order seq_cst"

// Message passing: thread 0 writes 1 and then 2; thread 1 reads 2's write and then not 1's.
#define MP(order, other)                                                                           \
  WRITE(0, 0, 1, 1, "")                                                                            \
  WRITE(1, 0, 2, 2, order)                                                                         \
  READ(2, 1, 3, 2, 1, other) READ(3, 1, 4, 1, initial, "") END
// Store buffering; `first` and `second` follow the writes of their threads.
#define SB(order, first, second)                                                                   \
  WRITE(0, 0, 1, 1, order)                                                                         \
  WRITE(1, 1, 2, 2, order) first second
#define RC20_FENCE(e, t, s, w, from, place)                                                        \
  FENCE(e, t, s) " object 4294967295 reads " #from " write-stamp " #w " place " #place
#define UPDATE(e, t, s, from, w, place)                                                            \
  "\nevent " #e " thread " #t " stamp " #s " update object 1 function add operand 1 reads " #from  \
  " write-stamp " #w " place " #place

struct entry {
  const char *text;
  bool consistent;
};

static const struct entry entries[] = {
    {"graph c20 stamp 4" MP("", ""), true},
    {"graph c20 stamp 4" MP(" order release", ""), true},
    {"graph c20 stamp 4" MP(" order release", " order acquire"), false},
    {"graph rc20 stamp 4" MP(" order release", " order acquire"), false},
    {"graph sc stamp 4" MP("", ""), false},
    // Store buffering.
    {"graph c20 stamp 4" SB("", READ(2, 0, 3, 2, initial, ""), READ(3, 1, 4, 1, initial, "")) END,
     true},
    {"graph sc stamp 4" SB("", READ(2, 0, 3, 2, initial, ""), READ(3, 1, 4, 1, initial, "")) END,
     false},
    {"graph sc stamp 4" SB("", READ(2, 0, 3, 2, initial, ""), READ(3, 1, 4, 1, 0, "")) END, true},
    {"graph c20 stamp 4" SB(" order seq_cst", READ(2, 0, 3, 2, initial, " order seq_cst"),
                            READ(3, 1, 4, 1, initial, " order seq_cst")) END,
     false},
    {"graph c20 stamp 4" SB(" order seq_cst", READ(2, 0, 3, 2, initial, " order seq_cst"),
                            READ(3, 1, 4, 1, initial, " order acquire")) END,
     true},
    {"graph c20 stamp 6" SB("", FENCE(2, 0, 3) READ(3, 0, 4, 2, initial, ""),
                            FENCE(4, 1, 5) READ(5, 1, 6, 1, initial, "")) END,
     false},
    {"graph c20 stamp 6" SB("", FENCE(2, 0, 3) READ(3, 0, 4, 2, initial, ""),
                            READ(4, 1, 6, 1, initial, "")) END,
     true},
    {"graph rc20 stamp 8" SB("", RC20_FENCE(2, 0, 3, 4, initial, 1) READ(3, 0, 5, 2, initial, ""),
                             RC20_FENCE(4, 1, 6, 7, 2, 2) READ(5, 1, 8, 1, initial, "")) END,
     false},
    {"graph rc20 stamp 8" SB("", RC20_FENCE(2, 0, 3, 4, initial, 1) READ(3, 0, 5, 2, initial, ""),
                             RC20_FENCE(4, 1, 6, 7, 2, 2) READ(5, 1, 8, 1, 0, "")) END,
     true},
    // Two updates of the same version, and one after the other.
    {"graph c20 stamp 4" UPDATE(0, 0, 1, initial, 2, 1) UPDATE(1, 1, 3, initial, 4, 2) END, false},
    {"graph c20 stamp 4" UPDATE(0, 0, 1, initial, 2, 1) UPDATE(1, 1, 3, 0, 4, 2) END, true},
    // The same event reads a later write than the next one of its thread.
    {"graph c20 stamp 3" WRITE(0, 0, 1, 1, "") READ(1, 1, 2, 1, 0, "") READ(2, 1, 3, 1, initial, "")
         END,
     false},
    {"graph c20 stamp 3" WRITE(0, 0, 1, 1, "") READ(1, 1, 2, 1, initial, "") READ(2, 1, 3, 1, 0, "")
         END,
     true},
};

static void read_graph(struct rsan_graph *graph, const char *text) {
  uint32_t line;
  const char *wrong = rsan_graph_read_text(graph, text, &line);
  if (wrong)
    fail_msg("line %u: %s", line, wrong);
}

static void some_graphs_are_consistent(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
    struct rsan_graph graph;
    read_graph(&graph, entries[i].text);
    if (rsan_graph_is_consistent(&graph) != entries[i].consistent)
      fail_msg("consistent in place of not, or the other way round: %s", entries[i].text);
    rsan_graph_clear(&graph);
  }
}

#define PLAIN(e, t, s, kind, rest)                                                                 \
  "\nevent " #e " thread " #t " stamp " #s " plain-" kind " object 1" rest

static void races_are_found(void **state) {
  static const struct entry races[] = {
      {"graph c20 stamp 2" PLAIN(0, 0, 1, "write", "") PLAIN(1, 1, 2, "read", "") END, true},
      {"graph c20 stamp 2" PLAIN(0, 0, 1, "read", "") PLAIN(1, 1, 2, "read", "") END, false},
      {"graph c20 stamp 2" PLAIN(0, 0, 1, "write", "") PLAIN(1, 0, 2, "read", "") END, false},
      {"graph c20 stamp 4" PLAIN(0, 0, 1, "write", "") WRITE(1, 0, 2, 1, " order release")
           READ(2, 1, 3, 1, 1, " order acquire") PLAIN(3, 1, 4, "read", "") END,
       false},
      {"graph c20 stamp 4" PLAIN(0, 0, 1, "write", "") WRITE(1, 0, 2, 1, " order release")
           READ(2, 1, 3, 1, 1, "") PLAIN(3, 1, 4, "read", "") END,
       true},
  };
  (void)state;
  for (size_t i = 0; i < sizeof races / sizeof *races; i++) {
    struct rsan_graph graph;
    uint32_t first = 9, second = 9;
    read_graph(&graph, races[i].text);
    assert_int_equal(rsan_graph_find_race(&graph, &first, &second), races[i].consistent);
    if (races[i].consistent) {
      assert_int_equal(first, 0);
      assert_int_equal(second, graph.count - 1);
    }
    rsan_graph_clear(&graph);
  }
}

struct text {
  char at[4096];
  uint32_t length;
};

static void append(void *context, const char *text, uint32_t length) {
  struct text *to = context;
  assert_true(to->length + length < sizeof to->at);
  memcpy(to->at + to->length, text, length);
  to->length += length;
}

static void text_is_read_again(void **state) {
  static const char text[] =
      "graph c20 stamp 9\n"
      "event 0 thread 3 stamp 1 write object 2 order release operand 7:5 write-stamp 1 place 1\n"
      "event 1 thread 0 stamp 2 read object 2 order acquire initial 4 when ne 4 mask 12 "
      "condition-size 4 alone blocks reads initial\n"
      "event 2 thread 1 stamp 3 update object 2 order seq_cst failure consume function nand size 2 "
      "operand 3 reads 0 write-stamp 9 place 2\n"
      "event 3 thread 1 stamp 5 choice operand 3 chosen 2\n"
      "event 4 thread 2 stamp 6 update object 2 operand 1 when eq 7:5 insists spurious reads 0 "
      "fails\n"
      "end\n";
  struct text again = {{0}, 0};
  struct rsan_graph graph;
  (void)state;
  read_graph(&graph, text);
  assert_int_equal(graph.event[1].outcome, RSAN_GRAPH_BLOCKED);
  assert_int_equal(graph.event[2].written.low, 0xfffe); // ~(5 & 3), cut to 2 bytes
  rsan_graph_write_text(&graph, append, &again);
  assert_string_equal(again.at, text);
  rsan_graph_clear(&graph);
}

static void wrong_text_is_refused(void **state) {
  static const struct {
    const char *text, *wrong;
    uint32_t line;
  } wrongs[] = {
      {"grap c20\nend\n", "the text does not begin with `graph`", 1},
      {"graph c21\nend\n", "a name is unknown", 1},
      {"graph c20 stamp 1 1\nend\n", "the line goes on", 1},
      {"graph c20\n", "neither `event` nor `end`", 2},
      {"graph c20", "the text ends without `end`", 1},
      {"graph c20\nevent 1 thread 0 stamp 1 fence\nend\n",
       "events are not in the order of their numbers", 2},
      {"graph c20\nevent 0 thread 64 stamp 1 fence\nend\n", "the number is too large", 2},
      {"graph c20\nevent 0 thread x stamp 1 fence\nend\n", "not a number of 64 bits", 2},
      {"graph c20\nevent 0 thread 18446744073709551616\nend\n", "not a number of 64 bits", 2},
      {"graph c20\nevent 0 thread", "a number is missing", 2},
      {"graph c20\nevent 0 thread 0 fence\nend\n", "the stamp is missing", 2},
      {"graph c20\nevent 0 thread 0 stamp 1\nend\n", "the kind of the event is missing", 2},
      {"graph c20\nevent 0 thread 0 stamp 1 fence tea\nend\n", "an unknown word", 2},
      {"graph c20\nevent 0 thread 0 stamp 1 read\nend\n",
       "a read names the write that it reads, and nothing else does", 2},
      {"graph c20\nevent 0 thread 0 stamp 1 read reads 0\nend\n",
       "what it reads is no earlier write of the object", 2},
      {"graph c20\nevent 0 thread 0 stamp 1 read reads initial write-stamp 1\nend\n",
       "it does not write", 2},
      {"graph c20\nevent 0 thread 0 stamp 1 write\nend\n", "a write has a write-stamp", 2},
      {"graph c20 stamp 1\nevent 0 thread 0 stamp 1 write write-stamp 1 place 2\nend\n",
       "an object's writes do not have the places from 1 on, each one", 3},
      {"graph c20\nevent 0 thread 0 stamp 1 fence\nend\n",
       "a stamp is larger than that of the first line", 3},
      {"graph c20\nevent 0 thread 0 stamp 1 read when eq 1 blocks reads initial\n"
       "event 1 thread 0 stamp 2 fence\nend\n",
       "its thread waits, or lacks a write", 3},
      {"graph c20\nevent 0 thread 0 stamp 1 update reads initial fails\nend\n", "it cannot fail",
       2},
      {"graph c20\nevent 0 thread 0 stamp 1 choice operand 2 chosen 2\nend\n",
       "there is no such choice", 2},
  };
  (void)state;
  for (size_t i = 0; i < sizeof wrongs / sizeof *wrongs; i++) {
    struct rsan_graph graph;
    uint32_t line = 0;
    const char *wrong = rsan_graph_read_text(&graph, wrongs[i].text, &line);
    assert_non_null(wrong);
    assert_string_equal(wrong, wrongs[i].wrong);
    assert_int_equal(line, wrongs[i].line);
    assert_int_equal(graph.count, 0);
  }
}

static void drawing_has_all_events(void **state) {
  struct text drawn = {{0}, 0};
  struct rsan_graph graph;
  (void)state;
  read_graph(&graph, "graph c20 stamp 5" WRITE(0, 0, 1, 1, " order release")
                         UPDATE(1, 1, 2, 0, 3, 2) FENCE(2, 0, 4) END);
  rsan_graph_write_dot(&graph, append, &drawn);
  assert_string_equal(drawn.at, "digraph execution {\n"
                                "  node [shape=plaintext];\n"
                                "  subgraph cluster_0 {\n"
                                "    label=\"thread 0\";\n"
                                "    e0 [label=\"write 1 release := 1\"];\n"
                                "    e2 [label=\"fence seq_cst\"];\n"
                                "  }\n"
                                "  subgraph cluster_1 {\n"
                                "    label=\"thread 1\";\n"
                                "    e1 [label=\"update 1 relaxed = 1 := 2\"];\n"
                                "  }\n"
                                "  e0 -> e1 [label=rf, color=green4, constraint=false];\n"
                                "  e0 -> e1 [label=mo, color=orange3, constraint=false];\n"
                                "  e0 -> e2;\n"
                                "}\n");
  rsan_graph_clear(&graph);
}

// Rows have a bit for each event: they grow beyond a word.
static void graphs_grow(void **state) {
  struct rsan_graph graph, copy;
  struct rsan_graph_op op = {.kind = RSAN_GRAPH_WRITE, .order = RSAN_RELEASE};
  (void)state;
  rsan_graph_init(&graph, RSAN_GRAPH_CXX20);
  for (uint32_t i = 0; i < 200; i++) {
    uint32_t e = rsan_graph_add(&graph, i % 2, &op);
    rsan_graph_write(&graph, e);
    rsan_graph_place(&graph, e, 1);
  }
  rsan_graph_copy(&copy, &graph);
  for (uint32_t e = 2; e < 200; e++) {
    assert_true(rsan_row_has(rsan_graph_row(&copy, e, RSAN_GRAPH_HB), e - 2));
    assert_false(rsan_row_has(rsan_graph_row(&copy, e, RSAN_GRAPH_HB), e - 1));
    assert_int_equal(copy.event[e].place, 200 - e);
  }
  assert_false(rsan_graph_is_consistent(&graph)); // mo is the other way round
  rsan_graph_clear(&copy);
  rsan_graph_clear(&graph);
}

static int check_memory(void **state) {
  (void)state;
  return unit_check_memory();
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_teardown(some_graphs_are_consistent, check_memory),
      cmocka_unit_test_teardown(races_are_found, check_memory),
      cmocka_unit_test_teardown(text_is_read_again, check_memory),
      cmocka_unit_test_teardown(wrong_text_is_refused, check_memory),
      cmocka_unit_test_teardown(drawing_has_all_events, check_memory),
      cmocka_unit_test_teardown(graphs_grow, check_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
