// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pairs (pair.h) that are ordered by a stream of the C library over a pipe.

#define _GNU_SOURCE
#include <fcntl.h>
#include <wchar.h>

#include "pair.h"

static FILE *in, *out;
static char text[16];

static void make_streams(void) {
  make_pipe();
  in = fdopen(fd[0], "r");
  out = fdopen(fd[1], "w");
  if (!in || !out)
    fail("fdopen");
}

static void make_unbuffered(void) {
  make_streams();
  setbuf(out, NULL);
}

static void make_lines(void) {
  make_streams();
  setvbuf(out, NULL, _IOLBF, 0);
}

static void make_output(void) {
  make_streams();
  dup2(fd[1], STDOUT_FILENO);
}

static void make_popen(void) {
  make_pipe();
  // Or cat would have the end to which the program writes, and never come to the other one's end.
  MUST(fcntl(fd[1], F_SETFD, FD_CLOEXEC));
  dup2(fd[0], STDIN_FILENO);
  in = popen("cat", "r");
  close(fd[0]);
}

static void put_and_flush(void) {
  fputs("x\n", out);
  fflush(out);
}

static void put_character(void) {
  fputc('\n', out);
}

static void print_number(void) {
  fprintf(out, "%d\n", 4);
}

static void print_to_descriptor(void) {
  dprintf(fd[1], "%d\n", 4);
}

static void print_to_output(void) {
  puts("x");
  fflush(stdout);
}

static void write_and_close(void) {
  fwrite("abcd", 1, 4, out);
  fclose(out);
}

static void put_wide(void) {
  fputws(L"x\n", out);
  fflush(out);
}

static void put_wide_character(void) {
  fputwc(L'x', out);
  fclose(out);
}

static void close_output(void) {
  fclose(out);
}

static void write_four(void) {
  MUST(write(fd[1], "abcd", 4));
}

static void write_and_close_pipe(void) {
  MUST(write(fd[1], "abcd", 4));
  MUST(close(fd[1]));
}

static void get_line(void) {
  char line[16];
  fgets(line, sizeof line, in);
}

static void get_long_line(void) {
  char *line = NULL;
  size_t room = 0;
  getline(&line, &room, in);
  free(line);
}

static void scan_number(void) {
  int got;
  if (fscanf(in, "%d", &got) != 1)
    fail("fscanf");
}

static void get_character(void) {
  if (fgetc(in) == EOF)
    fail("fgetc");
}

static void read_four(void) {
  if (fread(text, 1, 4, in) != 4)
    fail("fread");
}

static void read_descriptor(void) {
  MUST(read(fd[0], text, 1));
}

static void until_end(void) {
  while (fgetc(in) != EOF)
    ;
}

static void get_wide(void) {
  wchar_t line[16];
  fgetws(line, 16, in);
}

static void get_wide_character(void) {
  if (fgetwc(in) == WEOF)
    fail("fgetwc");
}

const struct carrier carriers[] = {
    {"fputs", make_streams, put_and_flush, get_line, NULL},
    {"fputs-getline", make_streams, put_and_flush, get_long_line, NULL},
    {"fputs-read", make_streams, put_and_flush, read_descriptor, NULL},
    {"fputc", make_unbuffered, put_character, get_character, NULL},
    {"fprintf", make_lines, print_number, scan_number, NULL},
    {"dprintf", make_streams, print_to_descriptor, get_line, NULL},
    {"puts", make_output, print_to_output, get_line, NULL},
    {"fwrite", make_streams, write_and_close, read_descriptor, NULL},
    {"fread", make_streams, write_four, read_four, NULL},
    {"end", make_streams, close_output, until_end, NULL},
    {"popen", make_popen, write_and_close_pipe, read_four, NULL},
    {"fputws", make_streams, put_wide, get_wide, NULL},
    {"fputwc", make_streams, put_wide_character, get_wide_character, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};
