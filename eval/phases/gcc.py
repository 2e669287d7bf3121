# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The synthetic programs by rsan-gcc: robust ones many times, weakened ones until the first report, which has to come in
one of ten runs. Several at a time, as nothing is measured but verdicts.

    robust      runs, reports, failed; `evidence`: output of the first run that was not silent
    weakened    repetitions: runs until a report, or 0 if none came in LIMIT
"""
import concurrent.futures
import os
import subprocess

import programs
import raw

LIMIT = 10
TRIES = 30
AT_A_TIME = int(os.environ.get("JOBS", os.cpu_count()))


def once(binary, arguments):
    variables = {name: value for name, value in os.environ.items() if not name.endswith("SAN_OPTIONS")}
    variables["TSAN_OPTIONS"] = programs.OPTIONS
    done = subprocess.run([binary, *map(str, arguments)], env=variables, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=programs.TIMEOUT * AT_A_TIME, check=False)  # fmt: skip
    return done.returncode, done.stdout.decode(errors="replace")


def together(work, count):
    with concurrent.futures.ThreadPoolExecutor(AT_A_TIME) as pool:
        return list(pool.map(lambda _: work(), range(count)))


def many(binary, arguments, runs):
    all_runs = together(lambda: once(binary, arguments), runs)
    loud = [(status, output) for status, output in all_runs if status]
    reports = sum(status == programs.REPORT for status, _ in loud)
    evidence = f"{loud[0][0]}: {loud[0][1][-3000:]}" if loud else ""
    return {"runs": runs, "reports": reports, "failed": len(loud) - reports, "evidence": evidence}


def until_found(binary, arguments, repetitions):
    def search():
        return next((number for number in range(1, TRIES + 1) if once(binary, arguments)[0] == programs.REPORT), 0)

    return {"repetitions": together(search, repetitions)}


class Runs:
    def __init__(self, build, work, results):
        self.builder = programs.Builder(build, work)
        self.file = raw.File(results / "gcc.jsonl")

    def unit(self, program, version, threads, count, way):
        binary = self.builder.program(program, version, "gcc")
        key = {"program": program.name, "version": version, "tool": "gcc", "threads": threads, "count": count}
        self.file.unit(key, raw.digest(binary), lambda: way(binary, (threads, program.rounds), count))

    def all(self, robust, weakened):
        for program in programs.load_all():
            for threads in program.threads:
                self.unit(program, "robust", threads, robust // len(program.threads), many)
            self.unit(program, "weakened", program.threads[-1], weakened, until_found)


def of_program(records, program, version):
    return [one for one in records.values() if (one["key"]["program"], one["key"]["version"]) == (program.name, version)]


def table(records):
    rows = ["| program | robust: runs | reports | weakened: found within 10 runs | runs until then, at most |", "|---|---:|---:|---:|---:|"]
    for program in programs.load_all():
        robust = of_program(records, program, "robust")
        found = [row for one in of_program(records, program, "weakened") for row in one["repetitions"]]
        runs, reports = (sum(one[what] for one in robust) for what in ("runs", "reports"))
        within = sum(0 < one <= LIMIT for one in found)
        last = max(found, default=0) if 0 not in found else f"more than {TRIES}"
        rows.append(f"| {program.title} | {runs} | {reports} | {within} of {len(found)} | {last} |")
    return rows


def faults(records):
    """What must not be. (A program whose weakened version shows in some runs only may take longer.)"""
    found = []
    for program in programs.load_all():
        for one in of_program(records, program, "robust"):
            if one["reports"] or one["failed"]:
                found.append(f"{program.name} by GCC: {one['reports']} reports, {one['failed']} failed: {one['evidence']}")
        for one in of_program(records, program, "weakened"):
            runs = one["repetitions"]
            if not program.rate and not all(0 < run <= LIMIT for run in runs):
                found.append(f"{program.name} by GCC: weakened, and not found within {LIMIT} runs: {runs}")
    return found
