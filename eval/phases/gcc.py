# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The synthetic programs by rsan-gcc: robust ones many times, weakened ones until the first report, which has to come in
one of ten runs. Several at a time, as nothing is measured but verdicts. Each as the system schedules it and, with
`schedule` in the key, by seeds of that policy: no two tries have a seed in common.

    robust      runs, reports, failed; `evidence`: output of the first run that was not silent
    weakened    repetitions: runs until a report, or 0 if none came in TRIES
"""
import concurrent.futures
import os
import subprocess

import programs
import raw
from tables import row

LIMIT = 10
TRIES = 30
AT_A_TIME = int(os.environ.get("JOBS", os.cpu_count()))
POLICY = "mix"  # of rsan run --schedule


def once(binary, arguments, policy="", seed=1):
    variables = {name: value for name, value in os.environ.items() if not name.endswith("SAN_OPTIONS")}
    variables["TSAN_OPTIONS"] = programs.OPTIONS
    if policy:
        variables["RSAN_OPTIONS"] = f"schedule={policy}:seed={seed}"
    done = subprocess.run([binary, *map(str, arguments)], env=variables, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=programs.TIMEOUT * AT_A_TIME, check=False)  # fmt: skip
    return done.returncode, done.stdout.decode(errors="replace")


def together(work, count):
    with concurrent.futures.ThreadPoolExecutor(AT_A_TIME) as pool:
        return list(pool.map(work, range(count)))


def many(binary, arguments, runs, policy):
    all_runs = together(lambda run: once(binary, arguments, policy, run + 1), runs)
    loud = [(status, output) for status, output in all_runs if status]
    reports = sum(status == programs.REPORT for status, _ in loud)
    evidence = f"{loud[0][0]}: {loud[0][1][-3000:]}" if loud else ""
    return {"runs": runs, "reports": reports, "failed": len(loud) - reports, "evidence": evidence}


def until_found(binary, arguments, repetitions, policy):
    def search(repetition):
        runs = ((number, repetition * TRIES + number) for number in range(1, TRIES + 1))
        return next((number for number, seed in runs if once(binary, arguments, policy, seed)[0] == programs.REPORT), 0)

    return {"repetitions": together(search, repetitions)}


class Runs:
    def __init__(self, build, work, results):
        self.builder = programs.Builder(build, work)
        self.file = raw.File(results / "gcc.jsonl")

    def unit(self, program, version, threads, count, way, policy=""):
        binary = self.builder.program(program, version, "gcc")
        key = {"program": program.name, "version": version, "tool": "gcc", "threads": threads, "count": count}
        if policy:
            key["schedule"] = policy
        self.file.unit(key, raw.digest(binary), lambda: way(binary, (threads, program.rounds), count, policy))

    def all(self, robust, scheduled, weakened):
        for program in programs.load_all():
            for threads in program.threads:
                self.unit(program, "robust", threads, robust // len(program.threads), many)
                self.unit(program, "robust", threads, scheduled // len(program.threads), many, POLICY)
            for policy in ("", POLICY):
                self.unit(program, "weakened", program.threads[-1], weakened, until_found, policy)


def of_program(records, program, version, policy=""):
    def is_one(key):
        return (key["program"], key["version"], key.get("schedule", "")) == (program.name, version, policy)

    return [one for one in records.values() if is_one(one["key"])]


def robust_cells(records):
    return [sum(one[what] for one in records) for what in ("runs", "reports")]


def weakened_cells(records):
    found = [runs for one in records for runs in one["repetitions"]]
    last = max(found, default=0) if 0 not in found else f"more than {TRIES}"
    return [f"{sum(0 < one <= LIMIT for one in found)} of {len(found)}", last]


def table(records):
    heads = ["program", "robust: runs", "reports", f"runs by seeds of {POLICY}", "reports", "weakened: found within 10 runs",
             "runs until then, at most", f"found within 10 seeds of {POLICY}", "seeds until then, at most"]  # fmt: skip
    rows = [row(heads), "|---|" + "---:|" * (len(heads) - 1)]
    for program in programs.load_all():
        cells = [program.title]
        for version, count in (("robust", robust_cells), ("weakened", weakened_cells)):
            for policy in ("", POLICY):
                cells += count(of_program(records, program, version, policy))
        rows.append(row(map(str, cells)))
    return rows


def faults(records):
    """What must not be. (Without a schedule, a program whose weakened version shows in some runs only may take longer.)"""
    found = []
    for program in programs.load_all():
        for policy in ("", POLICY):
            by = f"{program.name} by GCC{policy and ', schedule='}{policy}"
            for one in of_program(records, program, "robust", policy):
                if one["reports"] or one["failed"]:
                    found.append(f"{by}: {one['reports']} reports, {one['failed']} failed: {one['evidence']}")
            for one in of_program(records, program, "weakened", policy):
                runs = one["repetitions"]
                if (policy or not program.rate) and not all(0 < run <= LIMIT for run in runs):
                    found.append(f"{by}: weakened, and not found within {LIMIT} runs: {runs}")
    return found
