# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scheduled runs of the synthetic programs: what they find, cost, repeat, and say of robust programs.

The raw records of schedules.jsonl, by `kind` of the key:

    rate      of a weakened program and a policy: `found`, the seeds whose runs report; `failed`, statuses of others
    cost      of a robust program: `turns`, a list of {policy: CPU time in microseconds}
    same      of a weakened program: `schedules` and `replays`, seeds whose three runs or whose replay differ; `taken`,
              seeds in whose runs a token was taken
    robust    of a robust program under mix: runs, reports, failed

hold.jsonl is made by eval/schedules/hold.
"""
import math
import re
import statistics

import programs
import raw
from tables import row

POLICIES = ("off", "random", "pct", "pos", "mix")
COSTS = ("random", "pct", "pos", "delay")
MOST_THREADS = 4
MOST_ROUNDS = 100
FEW_ROUNDS = ("seqlock", 2, 3)  # too few for most schedules
ALL = 1 << 30
TAKEN = re.compile(r"schedule_taken +(\d+)")
TOKEN = re.compile(r"^DEDUP_TOKEN: .*", re.M)


def cases(most=MOST_THREADS):
    for program in programs.load_all():
        for threads in program.threads:
            if threads <= most:
                yield program, threads, min(program.rounds, MOST_ROUNDS)


def options(policy, seed):
    return "" if policy == "off" else f"schedule={policy}:seed={seed}"


class Runs:
    def __init__(self, build, work, results):
        self.work = work
        self.builder = programs.Builder(build, work)
        self.file = raw.File(results / "schedules.jsonl")

    def unit(self, kind, version, program, threads, rounds, way, **more):
        binary = self.builder.program(program, version, "rsan")
        key = {"kind": kind, "program": program.name, "threads": threads, "rounds": rounds, **more}
        launcher = self.builder.launcher()

        def run(rsan_options, **more):
            return programs.run(launcher, binary, (threads, rounds), self.work, rsan_options, **more)

        self.file.unit(key, raw.digest(binary), lambda: way(run))

    def rates(self, seeds):
        by_name = {program.name: program for program in programs.load_all()}
        few = (by_name[FEW_ROUNDS[0]], *FEW_ROUNDS[1:])
        for program, threads, rounds in [*cases(), few]:
            for policy in POLICIES:
                self.unit(
                    "rate", "weakened", program, threads, rounds, lambda run, p=policy: rate(run, p, seeds),
                    policy=policy, seeds=seeds)  # fmt: skip

    def costs(self, seeds):
        for program, threads, rounds in cases():
            self.unit("cost", "robust", program, threads, min(rounds * 10, 1000), lambda run: cost(run, seeds), seeds=seeds)

    def same(self, seeds):
        for program, threads, rounds in cases(most=2):
            way = lambda run: same(run, seeds, self.work)  # noqa: E731
            self.unit("same", "weakened", program, threads, rounds, way, seeds=seeds)

    def robust(self, seeds):
        for program, threads, rounds in cases():
            self.unit("robust", "robust", program, threads, rounds, lambda run: robust(run, seeds), seeds=seeds)


def rate(run, policy, seeds):
    statuses = {seed: run(options(policy, seed))["status"] for seed in range(1, seeds + 1)}
    found = [seed for seed, status in statuses.items() if status == programs.REPORT]
    # What is too weak may fail its own check; anything else it may not.
    return {"found": found, "failed": [one for one in statuses.values() if one not in (0, 1, programs.REPORT)]}


def cost(run, seeds):
    turns = []
    for seed in range(1, seeds + 1):
        turns.append({policy: run(options(policy, seed))["cpu_us"] for policy in ("off", *COSTS)})
    return {"turns": turns}


def same(run, seeds, work):
    schedules = replays = taken = 0
    for seed in range(1, seeds + 1):
        files = [work / f"schedule-{number}" for number in range(3)]
        outputs = []
        for file in files:
            file.unlink(missing_ok=True)
            recorded = f"halt_on_error=0:stats=1:schedule=mix:seed={seed}:schedule_file={file}"
            outputs.append(run(recorded, keep=ALL)["output"])
        taken += any(found.group(1) != "0" for found in map(TAKEN.search, outputs) if found)
        schedules += len({file.read_bytes() for file in files}) != 1
        again = run(f"halt_on_error=0:replay={files[0]}", keep=ALL)["output"]
        replays += "differs" in again or TOKEN.findall(outputs[0]) != TOKEN.findall(again)
    return {"schedules": schedules, "replays": replays, "taken": taken}


def robust(run, seeds):
    statuses = [run(options("mix", seed))["status"] for seed in range(1, seeds + 1)]
    reports = statuses.count(programs.REPORT)
    return {"runs": seeds, "reports": reports, "failed": seeds - reports - statuses.count(0)}


def of_kind(records, kind):
    return [record for record in records.values() if record["key"]["kind"] == kind]


def faults(records):
    """What must hold and does not."""
    for record in records.values():
        key = " ".join(str(part) for part in record["key"].values())
        for field in ("reports", "failed", "schedules", "replays", "taken"):
            if record.get(field):
                yield f"schedules: {key}: {field}: {record[field]}"
        if record["key"]["kind"] == "rate" and record["key"]["policy"] == "mix" and not record["found"]:
            yield f"schedules: {key}: not found"


def head(*names, left=1):
    return [row(names), row(["---"] * left + ["---:"] * (len(names) - left))]


def by_case(records):
    """{(program, threads, rounds): {policy: record}}, in the programs' order."""
    found = {}
    for record in of_kind(records, "rate"):
        key = record["key"]
        found.setdefault((key["program"], key["threads"], key["rounds"]), {})[key["policy"]] = record
    names = [program.name for program in programs.load_all()]
    return dict(sorted(found.items(), key=lambda one: (names.index(one[0][0]), one[0][1], -one[0][2])))


def rates_table(records):
    titles = {program.name: program for program in programs.load_all()}
    lines = head("weakened program", "threads", "rounds", *POLICIES, "first seed of mix", "C11Tester (quoted)")
    for (name, threads, rounds), policies in by_case(records).items():
        first = min(policies["mix"]["found"], default="-")
        shares = [f"{len(policies[policy]['found'])} of {policies[policy]['key']['seeds']}" for policy in POLICIES]
        lines.append(row([titles[name].title, str(threads), str(rounds), *shares, str(first), titles[name].c11tester]))
    return lines


def cost_table(records):
    titles = {program.name: program.title for program in programs.load_all()}
    lines, ratios = head("robust program", "threads", "rounds", "off, ms", *COSTS), {policy: [] for policy in COSTS}
    for record in of_kind(records, "cost"):
        key, turns = record["key"], record["turns"]
        median = {policy: statistics.median(turn[policy] for turn in turns) for policy in ("off", *COSTS)}
        for policy in COSTS:
            ratios[policy].append(median[policy] / median["off"])
        cells = [titles[key["program"]], str(key["threads"]), str(key["rounds"]), f"{median['off'] / 1000:.0f}"]
        lines.append(row([*cells, *(f"{ratios[policy][-1]:.2f}" for policy in COSTS)]))
    means = [math.exp(statistics.fmean(map(math.log, ratios[policy]))) for policy in COSTS if ratios[policy]]
    return [*lines, row(["geometric mean", "", "", "", *(f"{mean:.2f}" for mean in means)])]


def repeat_lines(records):
    """Sentences."""
    ones = of_kind(records, "same")
    seeds = sum(record["key"]["seeds"] for record in ones)
    sums = {field: sum(record[field] for record in ones) for field in ("schedules", "replays", "taken")}
    runs = {field: sum(record[field] for record in of_kind(records, "robust")) for field in ("runs", "reports", "failed")}
    return [
        f"Of {seeds:,} seeds ({len(ones)} programs, three runs and one replay of each, addresses randomised) "
        f"{sums['schedules']} had schedules that differ,",
        f"{sums['replays']} a replay with other reports, and {sums['taken']} a token that was taken. The robust versions have "
        f"{runs['reports']} reports and {runs['failed']} failures in",
        f"{runs['runs']:,} runs of `mix`.",
    ]


def hold_table(records):
    lines, suites = head("suite", "programs", "runs", "with a report", "changed"), {}
    for record in records.values():
        one = suites.setdefault(record["key"]["suite"], [0, 0, 0, 0])
        for i, more in enumerate((1, sum(record["scheduled"].values()), record["reports"], len(record["changed"]))):
            one[i] += more
    return [*lines, *(row([suite, *(f"{number:,}" for number in numbers)]) for suite, numbers in suites.items())]
