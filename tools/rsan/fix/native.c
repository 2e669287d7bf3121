// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the repair costs without the sanitizer: the program as it is, with the repair, and with
// every atomic access seq_cst, built by the user's command and run in turns. The repaired sources
// are an overlay of the compiler's (-ivfsoverlay), so that nothing of the user's is changed.

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/prefix.h"
#include "fix.h"
#include "printable.h"
#include "program/image.h"

#define OVERLAY "native-overlay"

enum { VARIANTS = 3, ROUNDS = 11, MIN_ROUNDS = 3, ENOUGH = 120 /* seconds */ };

static const char *const names[VARIANTS] = {"as it is", "with the repair", "every access seq_cst"};

struct native {
  char program[VARIANTS][PATH_MAX + 32];
  double seconds[VARIANTS][ROUNDS]; // user and system time
  int rounds;                       // 0: nothing is known
};

static struct native native;

static bool say(const struct fix *fix, const char *what, const char *why) {
  fflush(stdout);
  print_line(stderr, "%s: --native: %s: %s", fix->name, what, why);
  return false;
}

// The compiler's flags for a variant.
static void set_flags(const struct fix *fix, int variant) {
  char flags[2 * PATH_MAX] = "-O2";
  const char *prefix = install_prefix();
  if (variant == 1)
    snprintf(flags, sizeof flags,
             "-O2 -Wno-unused-command-line-argument -ivfsoverlay %s/" OVERLAY "/overlay.yaml",
             fix->folder);
  else if (variant == 2)
    snprintf(flags, sizeof flags,
             "-O2 -Wno-unused-command-line-argument "
             "-fpass-plugin=%s/lib/clang/" RSAN_LLVM_MAJOR "/lib/librsan-seq-cst.so",
             prefix);
  setenv("CFLAGS", flags, 1);
  setenv("CXXFLAGS", flags, 1);
}

static void become_build(const struct fix *fix, int variant, const char *program) {
  char compiler[PATH_MAX + 32];
  snprintf(compiler, sizeof compiler, "%s/bin/rsan-clang", install_prefix());
  setenv("CC", compiler, 1);
  strcat(compiler, "++");
  setenv("CXX", compiler, 1);
  setenv("PROGRAM", program, 1);
  unsetenv("LDFLAGS"); // the sanitizer's, perhaps
  set_flags(fix, variant);
  dup2(STDERR_FILENO, STDOUT_FILENO); // what it says is not part of the summary
  execl("/bin/sh", "sh", "-c", fix->native, (char *)NULL);
  _exit(127);
}

static bool has_sanitizer(const char *path) {
  const unsigned types[] = {SHT_DYNSYM, SHT_SYMTAB};
  bool found = false;
  int descriptor;
  Elf *file = image_read_file(path, &descriptor); // a script, perhaps, which has no symbols
  for (int t = 0; t < 2; t++) {
    struct symbols symbols = image_symbols(file, types[t]);
    for (size_t i = 0; i < symbols.count && !found; i++)
      found = strcmp(image_symbol(&symbols, i, NULL), "__tsan_init") == 0;
  }
  elf_file_close(file, descriptor);
  return found;
}

static bool build(const struct fix *fix, int variant, char *program, size_t size) {
  char folder[PATH_MAX + 16];
  int status;
  snprintf(folder, sizeof folder, "%s/native-%d", fix->folder, variant);
  snprintf(program, size, "%s/program", folder);
  if (mkdir(folder, 0777) != 0)
    return say(fix, folder, strerror(errno));
  fflush(NULL);
  pid_t child = fork();
  if (child == 0)
    become_build(fix, variant, program);
  if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status) ||
      WEXITSTATUS(status) != 0)
    return say(fix, fix->native, "failed");
  if (access(program, X_OK) != 0)
    return say(fix, fix->native, "has made no program at $PROGRAM");
  if (has_sanitizer(program))
    return say(fix, fix->native, "has made a program with a sanitizer in it");
  return true;
}

static bool same_file(const char *a, const char *b) {
  FILE *one = fopen(a, "r"), *other = fopen(b, "r");
  bool same = one && other;
  for (int c = 0; same && c != EOF;)
    same = (c = getc(one)) == getc(other);
  if (one)
    fclose(one);
  if (other)
    fclose(other);
  return same;
}

static bool measure(const struct fix *fix, const char *program, double *seconds) {
  struct rusage usage;
  int status;
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    int nothing = open("/dev/null", O_RDWR);
    for (int stream = 0; stream <= STDERR_FILENO; stream++)
      dup2(nothing, stream);
    alarm((unsigned)fix->plan.timeout);
    execv(program, fix->plan.command);
    _exit(127);
  }
  if (child < 0 || wait4(child, &status, 0, &usage) != child)
    return say(fix, program, strerror(errno));
  if (WIFSIGNALED(status))
    return say(fix, program, WTERMSIG(status) == SIGALRM ? "hangs" : strsignal(WTERMSIG(status)));
  *seconds = (double)usage.ru_utime.tv_sec + (double)usage.ru_stime.tv_sec +
             (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
  return true;
}

// In turns, so that whatever else the machine does falls on all alike.
static bool measure_all(const struct fix *fix) {
  double begun = now_seconds();
  int round = 0;
  for (; round < ROUNDS; round++) {
    if (round >= MIN_ROUNDS && now_seconds() - begun > ENOUGH)
      break;
    for (int variant = 0; variant < VARIANTS; variant++)
      if (!measure(fix, native.program[variant], &native.seconds[variant][round]))
        return false;
  }
  native.rounds = round;
  return true;
}

bool fix_native(const struct fix *fix) {
  char overlay[PATH_MAX + 16];
  if (strpbrk(fix->folder, " \t\"'\\$") || strpbrk(install_prefix(), " \t\"'\\$"))
    return say(fix, "flags cannot name a folder with blanks or quotes",
               strpbrk(fix->folder, " \t\"'\\$") ? fix->folder : install_prefix());
  snprintf(overlay, sizeof overlay, "%s/" OVERLAY, fix->folder);
  if (!fix_overlay(fix, overlay))
    return say(fix, overlay, "the repaired sources could not be made");
  for (int variant = 0; variant < VARIANTS; variant++)
    if (!build(fix, variant, native.program[variant], sizeof native.program[variant]))
      return false;
  if (same_file(native.program[0], native.program[2]) ||
      (fix_is_edited(fix) && same_file(native.program[0], native.program[1])))
    return say(fix, fix->native,
               "makes the same program with other flags: it must use $CC (or $CXX) and $CFLAGS "
               "($CXXFLAGS), and compile anew");
  return measure_all(fix);
}

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

void fix_print_native(const struct fix *fix) {
  int last = native.rounds - 1;
  double first = 0;
  if (!native.rounds) {
    puts(fix->native ? "slowdown: not measured, as said"
                     : "slowdown: not measured (--native CMD: a build without the sanitizer)");
    return;
  }
  printf("slowdown natively, by CPU time, medians and quartiles of %d runs in turns:\n",
         native.rounds);
  for (int variant = 0; variant < VARIANTS; variant++) {
    double *at = native.seconds[variant];
    qsort(at, (size_t)native.rounds, sizeof *at, compare);
    double median = at[last / 2];
    printf("  %-20s %.4f s (%.4f to %.4f)", names[variant], median, at[last / 4], at[last * 3 / 4]);
    if (!variant)
      first = median;
    else if (first > 0)
      printf(", %+.1f %%", (median / first - 1) * 100);
    putchar('\n');
  }
}
