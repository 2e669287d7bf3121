// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// 'Did you mean': the word of a list that a mistyped word is nearest to.

#ifndef SIMILAR_H
#define SIMILAR_H

// Begin with {.typed = WORD}. After the calls of similar_offer(), `best` is the nearest word, or
// NULL if none is near: at most one error (a letter too many, missing, wrong, or two exchanged) for
// every three letters typed, rounded up. The first of several that are equally near stays.
struct similar {
  const char *typed, *best; // not owned
  unsigned errors;          // that lead from `typed` to `best`
};

void similar_offer(struct similar *similar, const char *word);

#endif
