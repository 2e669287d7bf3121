#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Are the runtime's verdicts on real accesses those of the core, and those stated in the file?

Each trace of FILE is driven through the runtime (runtime-replay) and through the core
(rsan-replay), and both verdicts are compared with each other and with the one in FILE. Prints the
ids of traces that differ, where they do, and what was driven how. Exit status: 0 equal, 1 not
equal, 2 it could not be tried.

What no instruction expresses is driven as the operation that does the same to memory and to the
clocks, where there is one:

  wait that succeeds             a load                         judged as one
  blocking compare-exchange      a strong compare-exchange      judged as one
  arrival at a blocked one       a load of an unused location   never flagged
  weak compare-exchange          itself; the compiler makes no difference yet, so it is judged as
                                 a strong one
  weak one, fails spuriously     a load, by its failure order   judged as a load, as it is anyhow

Where the judgement is another one, the runtime is compared with the core alone.

What differs by design and is allowed for: with --one-word, races that TSan's shadow has forgotten
(four accesses a word, none after a report); with --allow-sc and seq_cst=fence, races of traces with
seq_cst accesses, which the core orders by a fence each and the runtime does not. Both may only make
the runtime's or the core's list the longer one, and are counted.
"""
import argparse
import collections
import json
import os
import pathlib
import subprocess
import sys

# Positions in an event: [thread, "cw", location, order, failure order, read, expected, desired, ok].
THREAD, OP, OBJECT, ORDER, FAILURE, READ, EXPECTED, DESIRED, OK = range(9)

# The compiler emits the same call for weak and strong compare-exchange.
WEAK_IS_STRONG = False

Driven = collections.namedtuple("Driven", "event core_event reason judged_alike")


def drive_as(event, unused):
    """What the runtime is given for an event, what the core, why, and does the check stay the same?"""
    op = event[OP]
    if op == "wt":
        load = [event[THREAD], "ld", *event[OBJECT:]]
        return Driven(load, load, "wait as load", False)
    if op == "bc":
        thread, _, location, order, expected, desired = event
        cas = [thread, "cs", location, order, "rlx", expected, expected, desired, 1]
        return Driven(cas, cas, "blocking compare-exchange as strong one", False)
    if op in ("wq", "bq"):
        load = [event[THREAD], "ld", unused, "rlx", 0]
        return Driven(load, load, "blocked arrival as load of an unused location", False)
    if op == "cw" and event[READ] == event[EXPECTED] and not event[OK]:
        load = [event[THREAD], "ld", event[OBJECT], event[FAILURE], event[READ]]
        return Driven(load, load, "spurious failure as load", True)
    if op == "cw" and WEAK_IS_STRONG:
        strong = [event[THREAD], "cs", *event[OBJECT:]]
        return Driven(event, strong, "weak compare-exchange judged as strong", False)
    return Driven(event, event, None, True)


class Trace:
    def __init__(self, line, of_fences):
        golden = json.loads(line)
        self.id, self.threads, self.original = golden["id"], golden["threads"], golden["events"]
        self.verdict = (golden["flags"], golden["races"]) if "flags" in golden else None
        locations = [event[OBJECT] for event in self.original if len(event) > 2 and event[OP] != "fn"]
        unused = max(locations, default=0) + 1
        self.events = [drive_as(event, unused) for event in self.original]
        # The fence of a compare-exchange that is seq_cst on success only; the load has none.
        if any(event[OP] == "cw" and event[ORDER] == "sc" != event[FAILURE] for event in self.original):
            self.verdict = None
        # What a file says of seq_cst accesses it says of fences before them.
        if not of_fences and has_sc_access(self):
            self.verdict = None

    def line(self, of_core):
        events = [event.core_event if of_core else event.event for event in self.events]
        return json.dumps({"id": self.id, "threads": self.threads, "events": events}, separators=(",", ":")) + "\n"

    def judged_alike(self, index):
        return self.events[index].judged_alike


def run(command, environment):
    done = subprocess.run(command, env={**os.environ, **environment}, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        print(done.stderr[-3000:], file=sys.stderr)
        print(f"compare: {' '.join(map(str, command))}: exit status {done.returncode}", file=sys.stderr)
        sys.exit(2)
    verdicts = [json.loads(line) for line in done.stdout.splitlines()]
    return [(verdict["id"], verdict["flags"], verdict["races"]) for verdict in verdicts]


def drive(options, traces):
    path = options.work / "driven.jsonl"
    path.write_text("".join(trace.line(of_core=False) for trace in traces))
    for old in options.work.glob("reports.*"):
        old.unlink()
    flags = ["--threads"] * options.threads + ["--one-word"] * options.one_word + ["--allow-sc"] * options.allow_sc
    # Megabytes, of interest only if the runtime has died.
    log = f"log_path={options.work / 'reports'}"
    environment = {"RSAN_OPTIONS": f"{options.runtime_options}:{log}", "TSAN_OPTIONS": ""}
    verdicts = run([options.runtime, *flags, path], environment)
    for old in options.work.glob("reports.*"):
        old.unlink()
    return verdicts


def replay(options, traces):
    path = options.work / "core.jsonl"
    path.write_text("".join(trace.line(of_core=True) for trace in traces))
    flags = [f"--{word}" for word in options.runtime_options.split(":") if word.startswith(("clocks=", "history="))]
    if options.allow_sc:
        flags += ["--seq-cst=fence" if fences(options) else "--seq-cst"]
    return run([options.core, *flags, path], {})


def fences(options):
    return "seq_cst=fence" in options.runtime_options.split(":")


def has_sc_access(trace):
    return any(event[OP] != "fn" and "sc" in event[ORDER:FAILURE + 1] for event in trace.original)


def differences(got, want, may_miss, may_add):
    """Words for the indices that only one of the two lists has, and how many of them are allowed."""
    added = [index for index in got if index not in want]
    missing = [index for index in want if index not in got]
    words = [f"{index} too much" for index in added if not may_add]
    words += [f"{index} missing" for index in missing if not may_miss]
    return words, len(added) + len(missing) - len(words)


def compare(options, trace, got, core, counts):
    """Prints where the runtime differs from the core, and from what the file says."""
    found = []
    for kind, mine, cores, stated in zip(("flags", "races"), got[1:], core[1:], trace.verdict or (None, None)):
        leave = kind == "races" and options.one_word, kind == "races" and fences(options) and has_sc_access(trace)
        words, allowed = differences(mine, cores, *leave)
        found += [f"{kind}, against the core: {word}" for word in words]
        counts[f"{kind} of the runtime"] += len(mine)
        counts[f"{kind} of the core"] += len(cores)
        counts[f"{kind} that differ by design"] += allowed
        if stated is not None:
            alike = [[index for index in side if trace.judged_alike(index)] for side in (mine, stated)]
            words, _ = differences(*alike, *leave)
            found += [f"{kind}, against the file: {word}" for word in words]
            counts[f"{kind} stated in the file"] += len(alike[1])
    if got[0] != trace.id or core[0] != trace.id:
        found.append("the verdict is of another trace")
    if found:
        print(trace.id, *found, sep="\n  ")
    return bool(found)


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runtime", required=True, help="the program runtime-replay")
    parser.add_argument("--core", required=True, help="the program rsan-replay")
    parser.add_argument("--work", required=True, type=pathlib.Path, help="folder for what is made on the way")
    parser.add_argument("--runtime-options", default="", help="RSAN_OPTIONS; clocks=, history= and seq_cst=fence go to the core, too")
    parser.add_argument("--threads", action="store_true", help="real threads in place of fibers")
    parser.add_argument("--one-word", action="store_true", help="one word a non-atomic location: races may be missing")
    parser.add_argument("--allow-sc", action="store_true", help="accept seq_cst accesses")
    parser.add_argument("file", type=pathlib.Path, help="traces, with or without verdicts; -: standard input")
    return parser.parse_args()


def main():
    options = parse()
    options.work.mkdir(parents=True, exist_ok=True)
    with open(options.file, encoding="utf-8") if str(options.file) != "-" else sys.stdin as file:
        traces = [Trace(line, fences(options)) for line in file]
    got, core = drive(options, traces), replay(options, traces)
    if not len(got) == len(core) == len(traces) > 0:
        print(f"{len(traces)} traces, {len(got)} verdicts of the runtime, {len(core)} of the core")
        return 2
    counts = collections.Counter()
    differing = sum(compare(options, *each, counts) for each in zip(traces, got, core))
    how = collections.Counter(event.reason for trace in traces for event in trace.events if event.reason)
    unchanged = sum(all(event.reason is None for event in trace.events) for trace in traces)
    print(f"{len(traces)} traces driven, {unchanged} of them unchanged, 0 left out; {differing} differ")
    print(f"{sum(len(trace.events) for trace in traces)} events", *[f"{n} {why}" for why, n in how.items()], sep="\n  ")
    print("verdicts", *[f"{n} {what}" for what, n in counts.items()], sep="\n  ")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
