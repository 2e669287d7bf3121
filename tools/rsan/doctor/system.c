// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the kernel must allow: TSan's shadow memory has fixed places, in address ranges of
// terabytes that are reserved and hardly ever touched.

#include "doctor.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/resource.h>

#include "finding.h"

// Programs that are position-independent start in 0x5500'0000'0000..0x5a00'0000'0000
// (tsan_platform.h): 2^30 pages and no more.
enum { RANDOM_BITS_MAX = 30, RANDOM_BITS_GOOD = 28 };

// The number after KEY in the file, -1 if there is none.
static long read_number(const char *proc, const char *name, const char *key) {
  char path[4096], line[256];
  long number = -1;
  snprintf(path, sizeof path, "%s/%s", proc, name);
  FILE *file = fopen(path, "r");
  if (!file)
    return -1;
  while (number < 0 && fgets(line, sizeof line, file))
    if (strncmp(line, key, strlen(key)) == 0 && sscanf(line + strlen(key), "%ld", &number) != 1)
      number = -1;
  fclose(file);
  return number;
}

// May a process switch its own randomisation off? The runtime does where it must.
static bool may_fix_addresses(void) {
  int old = personality(0xffffffff);
  if (old < 0 || personality((unsigned)old | ADDR_NO_RANDOMIZE) < 0)
    return false;
  personality((unsigned)old);
  return true;
}

static void check_addresses(const char *proc) {
  long bits = read_number(proc, "sys/vm/mmap_rnd_bits", "");
  long random = read_number(proc, "sys/kernel/randomize_va_space", "");
  long filter = read_number(proc, "self/status", "Seccomp:");
  const char *filtered = filter > 0 ? " (a seccomp filter is in force)" : "";
  int now = personality(0xffffffff);
  bool fixable = may_fix_addresses();
  if (random == 0 || (now >= 0 && (now & ADDR_NO_RANDOMIZE)))
    finding_ok("addresses: not randomised");
  else if (bits < 0)
    finding_note("addresses: vm.mmap_rnd_bits cannot be read; up to %d is fine", RANDOM_BITS_MAX);
  else if (bits <= RANDOM_BITS_MAX)
    finding_ok("addresses: vm.mmap_rnd_bits is %ld", bits);
  else if (fixable)
    finding_note("addresses: vm.mmap_rnd_bits is %ld, so programs start a second time without "
                 "randomisation; sudo sysctl vm.mmap_rnd_bits=%d saves that",
                 bits, RANDOM_BITS_GOOD);
  else
    finding_problem("sudo sysctl vm.mmap_rnd_bits=28, on the host; or start the container with "
                    "--security-opt seccomp=unconfined",
                    "addresses: vm.mmap_rnd_bits is %ld, more than the %d that shadow memory has "
                    "room for, and personality(2) is not permitted%s",
                    bits, RANDOM_BITS_MAX, filtered);
  if (!fixable && bits <= RANDOM_BITS_MAX)
    finding_note("personality(2) is not permitted%s; not needed here", filtered);
}

static void check_memory(const char *proc) {
  long mode = read_number(proc, "sys/vm/overcommit_memory", "");
  if (mode == 2)
    finding_problem("sudo sysctl vm.overcommit_memory=1",
                    "memory: vm.overcommit_memory is 2, which leaves no room to reserve shadow "
                    "memory");
  else if (mode < 0)
    finding_note("memory: vm.overcommit_memory cannot be read; 0 and 1 are fine");
  else
    finding_ok("memory: vm.overcommit_memory is %ld", mode);

  struct rlimit limit;
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    finding_ok("memory: the address space is not limited");
  else
    finding_problem(limit.rlim_max == RLIM_INFINITY
                        ? "ulimit -v unlimited"
                        : "raise the hard limit where it is set (limits.conf: as, systemd: "
                          "LimitAS=), then ulimit -v unlimited",
                    "memory: the address space is limited to %llu KiB (ulimit -v)",
                    (unsigned long long)limit.rlim_cur >> 10);
}

void doctor_system(const char *proc) {
  check_addresses(proc);
  check_memory(proc);
}
