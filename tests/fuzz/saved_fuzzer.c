// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libFuzzer's entry for saved explorations (rsan/schedule/dpor_save.h), under ASan and UBSan. It
// restores the bytes, saves the result again, which must have the same length, and explores a few
// runs. Each run ends after the steps of its prefix.
//
// Random bytes would be refused at the first field. So each input is a list of changes to the bytes
// of a valid exploration, in which two threads write to an object twice each.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schedule/dpor.h"
#include "schedule/dpor_save.h"
#include "schedule/explored.h"

enum { RUNS = 20, CHANGE = 3 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct bytes {
  uint8_t at[1 << 16];
  size_t count, read;
};

static void put(void *context, const void *from, size_t size) {
  struct bytes *bytes = context;
  if (bytes->count + size > sizeof bytes->at)
    abort();
  if (size)
    memcpy(bytes->at + bytes->count, from, size);
  bytes->count += size;
}

static bool get(void *context, void *to, size_t size) {
  struct bytes *bytes = context;
  if (size > bytes->count - bytes->read)
    return false;
  memcpy(to, bytes->at + bytes->read, size);
  bytes->read += size;
  return true;
}

static uint64_t stay(void *context, uint64_t object) {
  (void)context;
  return object;
}

// Saves an exploration after one run: the first thread writes twice, then the second one does.
static void make_sound(struct bytes *bytes) {
  static struct rsan_dpor d;
  struct rsan_dpor_step step[4];
  memset(step, 0, sizeof step);
  for (uint32_t i = 0; i < 4; i++) {
    step[i].thread = i / 2;
    step[i].enabled = i < 2 ? 3 : 2;
    step[i].op.object = 8;
    step[i].op.point = i + 1;
    step[i].op.writes = true;
    step[i].op.kind = RSAN_KIND_RMW;
  }
  rsan_dpor_init(&d, RSAN_DPOR_UNBOUNDED);
  struct rsan_dpor_node *node = rsan_dpor_next(&d);
  const struct rsan_dpor_trace trace = {step, 4, NULL, 0, RSAN_DPOR_ENDED};
  rsan_dpor_executed(&d, node, &trace);
  rsan_dpor_save(&d, put, bytes);
  rsan_dpor_clear(&d);
}

// Applies the changes. Each is three bytes: the offset, low byte first, and the new byte.
static void change(struct bytes *bytes, const uint8_t *data, size_t size) {
  for (; size >= CHANGE; data += CHANGE, size -= CHANGE) {
    size_t at = data[0] | (size_t)data[1] << 8;
    if (at == 0xffff) // truncates the file
      bytes->count -= bytes->count * data[2] / 256;
    else
      bytes->at[at % bytes->count] = data[2];
    if (!bytes->count)
      break;
  }
}

static void explore(struct rsan_dpor *d) {
  static struct rsan_explored run;
  for (int i = 0; i < RUNS; i++) {
    struct rsan_dpor_node *node = rsan_dpor_next(d);
    if (!node)
      break;
    rsan_dpor_left(d);
    rsan_explored_ask(&run, node);
    const struct rsan_dpor_trace trace = {run.step, run.prefix, NULL, 0, RSAN_DPOR_ENDED};
    rsan_dpor_executed(d, node, &trace);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static struct bytes sound, bytes, again;
  static struct rsan_dpor d;
  if (!sound.count)
    make_sound(&sound);
  bytes = sound;
  change(&bytes, data, size);
  if (!rsan_dpor_restore(&d, get, stay, &bytes))
    return 0;
  again.count = 0;
  rsan_dpor_save(&d, put, &again);
  if (again.count != bytes.read) {
    fputs("what was restored is saved with another length\n", stderr);
    abort();
  }
  explore(&d);
  rsan_dpor_clear(&d);
  return 0;
}
