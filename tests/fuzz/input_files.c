// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Targets for what commands of rsan, compilers and linkers have written.

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "build_id.h"
#include "check/kept.h"
#include "confirm/confirm.h"
#include "confirm/journal.h"
#include "doctor/units.h"
#include "file/temporary.h"
#include "fix/fix.h"
#include "inputs.h"
#include "machines/campaign.h"
#include "merge/content.h"
#include "merge/merge.h"
#include "merge/past.h"
#include "program/atomics.h"
#include "program/image.h"
#include "replay/trusted.h"
#include "rsan-edit/rule.h"
#include "run/asked.h"
#include "trace/trace.h"
#include "trust/head.h"
#include "trust/list.h"
#include "unit/manifest.h"
#include "unit/tries.h"
#include "wrappers.h"

void input_schedule(const struct input *input) {
  struct schedule_head head;
  bool is_schedule;
  if (schedule_head_read(input->path, &head, &is_schedule) && is_schedule && head.arguments) {
    schedule_trusted(&head, "/proc/self/exe");
    free(schedule_words(head.arguments, 2));
  }
  schedule_head_free(&head);
}

// As `rsan merge' takes it. The folder for its runs is made anew.
void input_archive(const struct input *input) {
  char stage[PATH_MAX], reason[2 * PATH_MAX];
  struct merge merge = {.most_unpacked = 1 << 20,
                        .symbols = {.modules = {.sysroot = ""},
                                    .strip_prefix = "",
                                    .symbolizer = {.started = true, .broken = true}}};
  snprintf(stage, sizeof stage, "%s/stage", input->folder);
  mkdir(stage, 0700);
  merge.plan.folder = stage;
  merge_add(&merge, input->path, reason, sizeof reason);
  merge_finish(&merge);
  merge_free(&merge);
  file_remove_tree(stage);
}

void input_manifest(const struct input *input) {
  char reason[2 * PATH_MAX];
  struct manifest manifest = {0};
  struct records records = {0};
  if (manifest_read(&manifest, input->text, reason, sizeof reason)) {
    manifest_agrees(manifest.json, manifest.json, reason, sizeof reason);
    manifest_add_remarks(manifest.json, &records);
  }
  records_free(&records);
  manifest_free(&manifest);
}

// Commands that go on begin so.
static void ask_trust(const char *path) {
  cJSON *json = asked_read(path);
  if (json)
    asked_is_trusted(json, "rsan", path);
  cJSON_Delete(json);
}

void input_check(const struct input *input) {
  struct kept kept = {0};
  ask_trust(input->path);
  if (kept_read(input->folder, "rsan", &kept))
    kept_free(&kept);
}

void input_confirm(const struct input *input) {
  struct confirm confirm = {.name = "rsan", .plan = {.folder = input->folder}};
  char **command = NULL;
  ask_trust(input->path);
  confirm_resume(&confirm, &command);
  asked_free(command);
  confirm_free(&confirm);
}

void input_campaign(const struct input *input) {
  struct campaign campaign = {.name = "rsan", .plan = {.folder = input->folder}};
  char **command = NULL;
  ask_trust(input->path);
  if (campaign_resume(&campaign, &command)) {
    shares_missing(&campaign);
    if (campaign.share_count)
      shares_print_missing(&campaign, stderr);
  }
  asked_free(command);
  campaign_free(&campaign);
}

static void take_made(void *context, struct made *made, bool first) {
  struct trials *trials = context;
  trials->controls_only = first;
  trials_begin(trials, &made->trial);
  trials_add(trials, made);
}

void input_journal(const struct input *input) {
  struct trials trials = {.first_seed = 1, .controls = 3, .runs = 5};
  struct trial next;
  trials_violation(&trials, "0123456789abcdef", "f.c:1:2 in f");
  journal_read(input->folder, &trials, take_made, &trials);
  trials_next(&trials, &next);
  for (size_t i = 0; i < trials.violation_count; i++)
    trials_best(&trials, &trials.violation[i]);
  trials_free(&trials);
}

void input_runs(const struct input *input) {
  char reason[2 * PATH_MAX];
  struct past past;
  past_read(&past, input->text, 1, 3, reason, sizeof reason);
  past_free(&past);
}

void input_tries(const struct input *input) {
  char reason[2 * PATH_MAX];
  struct run_plan plan = {.folder = input->folder};
  struct tries tries;
  if (tries_read(&tries, input->path, 1, 2, reason, sizeof reason)) {
    tries_guide(&tries, &plan);
    tries.guide.options(&tries, 1);
  }
  tries_free(&tries);
}

void input_confirmed(const struct input *input) {
  static struct fix fix;
  memset(&fix, 0, sizeof fix);
  fix.name = "rsan fix";
  fix_read_confirmed(&fix, input->path);
  fix_print_left(&fix);
  fix_free_confirmed(&fix);
}

void input_rules(const struct input *input) {
  struct rules rules;
  rules_read(input->path, &rules);
  rules_free(&rules);
}

void input_trace(const struct input *input) {
  struct trace trace = {0};
  struct trace_error error;
  struct trace_reader reader;
  FILE *file = fopen(input->path, "r");
  if (!file)
    abort();
  trace_reader_init(&reader, file, 0);
  enum trace_result result;
  while ((result = trace_reader_next(&reader, &trace, &error)) != TRACE_END) {
    if (result == TRACE_READ)
      trace_check(&trace, &error);
    if (result == TRACE_MALFORMED)
      break;
  }
  trace_free(&trace);
  trace_reader_free(&reader);
  fclose(file);
}

void input_trusted(const struct input *input) {
  (void)input;
  trust_list_has("command {}");
}

static void take_image(Elf *elf, const char *name, void *context) {
  GElf_Ehdr header;
  struct units units = {0};
  struct atomics atomics = {0};
  (void)context;
  if (!image_open(elf, &header))
    return;
  units_count(elf, name, &units);
  atomics_count(elf, &atomics);
  image_symbols(elf, SHT_DYNSYM);
  int index = 0;
  while (image_next_needed(elf, &index))
    ;
}

void input_elf(const struct input *input) {
  char id[2 * BUILD_ID_MAX + 1];
  struct wrappers wrappers = {0};
  const struct source_frame frame = {.file = (char *)"f.c", .line = 1, .column = 1};
  int descriptor;
  build_id_read(input->path, id);
  wrappers_have(&wrappers, input->path, &frame);
  wrappers_clear(&wrappers);
  Elf *elf = image_read_file(input->path, &descriptor);
  if (elf && elf_kind(elf) == ELF_K_AR)
    image_visit_members(elf, take_image, NULL);
  else if (elf)
    take_image(elf, NULL, NULL);
  elf_file_close(elf, descriptor);
}
