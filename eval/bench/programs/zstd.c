// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `zstd THREADS MEGABYTES`: compresses text-like data with that many threads, and checks that
// decompression gives it back.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zstd.h>

enum { LEVEL = 3, JOB = 1 << 19, WORDS = 512 };

// Words of 2 to 9 letters, the lower ones more often.
static void fill(char *text, size_t size) {
  unsigned random = 1;
  for (size_t i = 0; i < size;) {
    random = random * 1664525u + 1013904223u;
    unsigned word = ((random >> 22) * (random >> 12 & 1023) >> 10) % WORDS;
    unsigned letters = word * 2654435761u;
    for (unsigned left = 2 + word % 8; left > 0 && i < size; left--, letters = letters * 31 + 7)
      text[i++] = (char)('a' + (letters >> 24) % 26);
    if (i < size)
      text[i++] = ' ';
  }
}

int main(int argc, char **argv) {
  if (argc != 3)
    return 2;
  size_t size = (size_t)atol(argv[2]) << 20, bound = ZSTD_compressBound(size);
  char *text = malloc(size), *packed = malloc(bound), *back = malloc(size);
  fill(text, size);
  ZSTD_CCtx *context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, LEVEL);
  ZSTD_CCtx_setParameter(context, ZSTD_c_jobSize, JOB);
  size_t threaded = ZSTD_CCtx_setParameter(context, ZSTD_c_nbWorkers, atoi(argv[1]));
  size_t length = ZSTD_compress2(context, packed, bound, text, size);
  ZSTD_freeCCtx(context);
  int right = !ZSTD_isError(threaded) && !ZSTD_isError(length) &&
              ZSTD_decompress(back, size, packed, length) == size && memcmp(text, back, size) == 0;
  printf("%s, %zu of %zu\n", right ? "right" : "wrong", length, size);
  free(text), free(packed), free(back);
  return right ? 0 : 1;
}
