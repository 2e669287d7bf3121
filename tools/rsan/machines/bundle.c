// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "bundle.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/options.h"
#include "base/shell.h"
#include "campaign.h"
#include "child.h"
#include "merge/content.h"
#include "merge/result.h"
#include "printable.h"
#include "run/folder.h"
#include "unit/manifest.h"

struct bundle {
  struct campaign *campaign;
  bool travels, failed;
};

// "$1" is copied to "$2", with what symbolic links lead to.
static void copy(struct bundle *bundle, const char *from, const char *to) {
  const char *const argv[] = {
      "sh", "-c", "mkdir -p \"${2%/*}\" && cp -RL -- \"$1\" \"$2\"", "sh", from, to, NULL};
  if (child_status(bundle->campaign, argv, NULL) == 0)
    return;
  print_line(stderr, "%s: cannot copy %s; see %s", bundle->campaign->name, from,
             campaign_named_log(bundle->campaign));
  bundle->failed = true;
}

// -- rsan itself --

static void copy_runner_library(void *context, const char *name, const char *file) {
  struct bundle *bundle = context;
  if (*file)
    copy(bundle, file, campaign_path(bundle->campaign, "bundle/lib/%s", name));
}

static void copy_runner(struct bundle *bundle) {
  struct program self;
  char loader[PATH_MAX];
  if (!program_find("/proc/self/exe", &self) || !program_loader(&self, loader) || !*loader) {
    print_line(stderr, "%s: this program cannot be copied to a host", bundle->campaign->name);
    bundle->failed = true;
    return;
  }
  copy(bundle, self.path, campaign_path(bundle->campaign, "bundle/rsan"));
  copy(bundle, loader, campaign_path(bundle->campaign, "bundle/lib/loader"));
  program_libraries(&self, copy_runner_library, bundle);
}

// -- the user's program --

static bool is_system(const char *file) {
  static const char *const folders[] = {"/lib/",     "/lib64/", "/usr/lib/", "/usr/lib64/",
                                        "/usr/bin/", "/bin/",   "/sbin/",    "/usr/sbin/"};
  for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
    if (strncmp(file, folders[i], strlen(folders[i])) == 0)
      return !strstr(file, "clang_rt.rsan");
  return false;
}

static void copy_own_library(void *context, const char *name, const char *file) {
  struct bundle *bundle = context;
  if (*file && !is_system(file))
    copy(bundle, file, campaign_path(bundle->campaign, "bundle/own/%s", name));
}

// The path below the current folder; NULL: it is not there.
static const char *below(const char *path) {
  static char real[PATH_MAX];
  char here[PATH_MAX];
  size_t length = getcwd(here, sizeof here) ? strlen(here) : 0;
  if (!length || !realpath(path, real) || strncmp(real, here, length) != 0 || real[length] != '/')
    return NULL;
  return real + length + 1;
}

// The program's path on a host, from the folder where it is started.
static const char *program_on_host(const struct bundle *bundle) {
  static char path[PATH_MAX];
  const struct program *program = &bundle->campaign->program;
  const char *inside = below(program->path);
  if (!bundle->travels || is_system(program->path))
    return bundle->campaign->plan.command[0];
  if (inside)
    snprintf(path, sizeof path, "./%s", inside);
  else
    snprintf(path, sizeof path, "./.program/%s", strrchr(program->path, '/') + 1);
  return path;
}

static void copy_program(struct bundle *bundle) {
  struct campaign *campaign = bundle->campaign;
  const char *const *with = campaign->with;
  mkdir(campaign_path(campaign, "bundle/work"), 0777);
  if (!is_system(campaign->program.path))
    copy(bundle, campaign->program.path,
         campaign_path(campaign, "bundle/work/%s", program_on_host(bundle) + 2));
  program_libraries(&campaign->program, copy_own_library, bundle);
  for (; with && *with && !bundle->failed; with++) {
    const char *inside = below(*with);
    if (inside) {
      copy(bundle, *with, campaign_path(campaign, "bundle/work/%s", inside));
      continue;
    }
    print_line(stderr,
               "%s: --with %s: there is no such file or folder below the current one, where the "
               "program is started",
               campaign->name, *with);
    bundle->failed = true;
  }
}

// -- unit.sh --

static void write_export(const char *variable, const char *value, FILE *out) {
  fprintf(out, "export %s=", variable);
  shell_quote(value, out);
  fputc('\n', out);
}

// Hosts need no symbolizer. Each pair of stacks is reported: of a function that is no place of its
// own the caller is, which is found out at home.
static void write_options(FILE *out) {
  char *options = options_with("RSAN_OPTIONS", "symbolize=0:report_all=1");
  write_export("RSAN_OPTIONS", options, out);
  free(options);
  if (getenv("TSAN_OPTIONS"))
    write_export("TSAN_OPTIONS", getenv("TSAN_OPTIONS"), out);
}

static void write_command(const struct bundle *bundle, FILE *out) {
  const struct campaign *campaign = bundle->campaign;
  const struct run_plan *plan = &campaign->plan;
  fprintf(out,
          "exec \"$here/lib/loader\" --library-path \"$here/lib\" --argv0 rsan \"$here/rsan\" unit "
          "--allow-empty --seeds \"$first..$last\" --attempt \"$attempt\" --checksum %s --schedule "
          "%s%s%s "
          "--timeout %.3f ",
          campaign->program.sha256, plan->schedule ? plan->schedule : "off",
          plan->weak ? " --weak" : "", plan->keep ? " --keep" : "", plan->timeout);
  if (campaign->tries)
    fputs("--tries ", out);
  if (campaign->tries && bundle->travels)
    fputs("\"$here/tries.jsonl\" ", out);
  else if (campaign->tries)
    shell_quote(campaign_path(campaign, "tries.jsonl"), out);
  fputs(" \"$@\" -- ", out);
  shell_quote(program_on_host(bundle), out);
  for (char *const *word = plan->command + 1; *word; word++) {
    fputc(' ', out);
    shell_quote(*word, out);
  }
  fputc('\n', out);
}

static void write_script(struct bundle *bundle) {
  char here[PATH_MAX];
  const char *path = campaign_path(bundle->campaign, "bundle/unit.sh");
  FILE *out = fopen(path, "w");
  if (!out) {
    print_line(stderr, "%s: %s: %s", bundle->campaign->name, path, strerror(errno));
    bundle->failed = true;
    return;
  }
  fputs("# Carries out a unit: unit.sh FIRST LAST ATTEMPT [OPTION OF RSAN UNIT...]\n"
        "here=$(cd \"${0%/*}\" && pwd) || exit 99\n"
        "first=$1 last=$2 attempt=$3\n"
        "shift 3\n",
        out);
  if (bundle->campaign->tries) { // else others with the same program might have the same bundle
    fputs(": ", out);
    shell_quote(bundle->campaign->plan.folder, out);
    fprintf(out, " %ld\n", gethostid());
  }
  write_options(out);
  if (bundle->travels) {
    fputs("export LD_LIBRARY_PATH=\"$here/own${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}\"\n"
          "cd \"$here/work\" || exit 99\n",
          out);
  } else {
    fputs("cd ", out);
    shell_quote(getcwd(here, sizeof here) ? here : "/", out);
    fputs(" || exit 99\n", out);
  }
  write_command(bundle, out);
  bundle->failed |= fclose(out) != 0;
}

// What travels is packed, with checksums.
static void write_sums(struct bundle *bundle) {
  const char *const argv[] = {"sh",
                              "-c",
                              "cd \"$1\" && find . -type f ! -name sums -exec sha256sum {} + >sums "
                              "&& tar -cf - . | gzip -1 "
                              ">../bundle.tgz",
                              "sh",
                              campaign_path(bundle->campaign, "bundle"),
                              NULL};
  if (bundle->failed || child_status(bundle->campaign, argv, NULL) == 0)
    return;
  print_line(stderr, "%s: cannot write %s; see engine.log there", bundle->campaign->name,
             run_folder_named(campaign_path(bundle->campaign, "bundle.tgz")));
  bundle->failed = true;
}

// Names in source need the program, which hosts need not have symbolizers for.
static bool check_options(const struct campaign *campaign) {
  static const char *const names[] = {"suppressions", "wrappers"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char *value = options_value(names[i]);
    bool given = value && *value && strcmp(value, "none") != 0;
    free(value);
    if (!given)
      continue;
    print_line(
        stderr,
        "%s: %s= in RSAN_OPTIONS cannot be combined with --on: it names functions, and hosts "
        "lack symbols",
        campaign->name, names[i]);
    return false;
  }
  return true;
}

bool bundle_make(struct campaign *campaign, bool travels) {
  struct bundle bundle = {.campaign = campaign, .travels = travels};
  const char *const remove[] = {"rm", "-rf", "--", campaign_path(campaign, "bundle"), NULL};
  if (!check_options(campaign))
    return false;
  if (!program_find(campaign->plan.command[0], &campaign->program)) {
    print_line(stderr, "%s: %s: %s", campaign->name, campaign->plan.command[0], strerror(errno));
    return false;
  }
  child_status(campaign, remove, NULL);
  if (mkdir(campaign_path(campaign, "bundle"), 0777) != 0) {
    print_line(stderr, "%s: %s: %s", campaign->name, campaign_path(campaign, "bundle"),
               strerror(errno));
    return false;
  }
  copy_runner(&bundle);
  if (travels)
    copy_program(&bundle);
  write_script(&bundle);
  if (travels)
    write_sums(&bundle);
  return !bundle.failed;
}

int bundle_pilot(struct campaign *campaign, unsigned last, const char *archive) {
  char number[16], script[PATH_MAX];
  snprintf(number, sizeof number, "%u", last);
  snprintf(script, sizeof script, "%s", campaign_path(campaign, "bundle/unit.sh"));
  const char *const argv[] = {"sh", script, "1", number, "1", "--time", "1", "-o", archive, NULL};
  return child_status(campaign, argv, NULL);
}

unsigned bundle_pilot_runs(const char *archive) {
  char *text, reason[PATH_MAX];
  struct manifest manifest = {0};
  bool read = content_read_manifest(archive, &text, reason, sizeof reason) &&
              manifest_read(&manifest, text, reason, sizeof reason);
  unsigned runs = read && manifest.first == 1 ? manifest.last : 0;
  if (!runs)
    print_line(stderr, "%s is refused: %s", archive, read ? "it has other runs" : reason);
  manifest_free(&manifest);
  free(text);
  return runs;
}

static char *own_folder(const char *file) {
  const char *slash = strrchr(file, '/');
  return slash ? strndup(file, (size_t)(slash - file)) : strdup(".");
}

struct taker {
  void (*take)(void *context, const char *file);
  void *context;
};

static void take_library(void *context, const char *name, const char *file) {
  const struct taker *taker = context;
  (void)name;
  if (*file && !is_system(file))
    taker->take(taker->context, file);
}

void bundle_modules(const struct campaign *campaign, void (*take)(void *context, const char *file),
                    void *context) {
  struct taker taker = {take, context};
  if (!*campaign->program.path)
    return;
  take(context, campaign->program.path);
  program_libraries(&campaign->program, take_library, &taker);
}

static void add_folder(void *context, const char *file) {
  request_add_folder(context, own_folder(file));
}

void bundle_add_modules(const struct campaign *campaign, struct merge_request *request) {
  bundle_modules(campaign, add_folder, request);
}
