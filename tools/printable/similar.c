// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The number of errors is the Damerau-Levenshtein distance in which no letter is edited twice
// ("optimal string alignment").

#include "similar.h"

#include <string.h>

enum { MAX_LETTERS = 32 }; // longer words are similar to nothing

static unsigned smaller(unsigned a, unsigned b) {
  return a < b ? a : b;
}

static unsigned count_errors(const char *from, size_t length, const char *to, size_t wanted) {
  unsigned errors[MAX_LETTERS + 1][MAX_LETTERS + 1]; // [i][j]: of i letters of FROM, j of TO
  for (unsigned i = 0; i <= length; i++)
    errors[i][0] = i;
  for (unsigned j = 0; j <= wanted; j++)
    errors[0][j] = j;
  for (size_t i = 1; i <= length; i++)
    for (size_t j = 1; j <= wanted; j++) {
      unsigned least = errors[i - 1][j - 1] + (from[i - 1] != to[j - 1]);
      least = smaller(least, smaller(errors[i - 1][j], errors[i][j - 1]) + 1);
      if (i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1])
        least = smaller(least, errors[i - 2][j - 2] + 1);
      errors[i][j] = least;
    }
  return errors[length][wanted];
}

void similar_offer(struct similar *similar, const char *word) {
  size_t length = strlen(similar->typed), wanted = strlen(word);
  if (length > MAX_LETTERS || wanted > MAX_LETTERS)
    return;
  unsigned errors = count_errors(similar->typed, length, word, wanted);
  if (errors > (length + 2) / 3 || errors >= wanted || (similar->best && errors >= similar->errors))
    return;
  similar->best = word;
  similar->errors = errors;
}
