// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The words of a graph's text, as the enumerations are numbered.

#ifndef RSAN_GRAPH_NAMES_H
#define RSAN_GRAPH_NAMES_H

#include "graph.h"

typedef char rsan_graph_name[12]; // no pointer, which would be a variable until it is relocated

enum { RSAN_GRAPH_MODELS = RSAN_GRAPH_CXX20 + 1, RSAN_GRAPH_ORDERS = RSAN_SEQ_CST + 1 };

static const rsan_graph_name rsan_graph_models[RSAN_GRAPH_MODELS] = {"sc", "rc20", "c20"};
static const rsan_graph_name rsan_graph_kinds[RSAN_GRAPH_KINDS] = {
    "read", "write", "update", "fence", "choice", "plain-read", "plain-write"};
static const rsan_graph_name rsan_graph_functions[RSAN_GRAPH_FUNCTIONS] = {
    "set", "add", "sub", "and", "or", "xor", "nand", "clear"};
static const rsan_graph_name rsan_graph_orders[RSAN_GRAPH_ORDERS] = {
    "relaxed", "consume", "acquire", "release", "acq_rel", "seq_cst"};
static const rsan_graph_name rsan_graph_relations[RSAN_RELATIONS] = {
    "eq", "ne", "ult", "ule", "ugt", "uge", "slt", "sle", "sgt", "sge"};

#endif
