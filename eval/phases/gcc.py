# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The synthetic programs by rsan-gcc: robust ones many times, weakened ones until the first report, which has to come in
one of ten runs. The raw records are as those of synthetic.py, with the tool `gcc`."""
import programs
import raw
import synthetic

LIMIT = 10


class Runs(synthetic.Runs):
    def __init__(self, build, work, results):
        super().__init__(build, work, results)
        self.file = raw.File(results / "gcc.jsonl")

    def all(self, robust, weakened):
        for program in programs.load_all():
            for threads in program.threads:
                self.unit(program, "robust", "gcc", threads, robust // len(program.threads), synthetic.many)
        for program in programs.load_all():
            self.unit(program, "weakened", "gcc", program.threads[-1], weakened, synthetic.until_found)


def of_program(records, program, version):
    return [one for one in records.values() if (one["key"]["program"], one["key"]["version"]) == (program.name, version)]


def table(records):
    rows = ["| program | robust: runs | reports | weakened: found within 10 runs | runs until then, at most |", "|---|---:|---:|---:|---:|"]
    for program in programs.load_all():
        robust = of_program(records, program, "robust")
        found = [row[0] for one in of_program(records, program, "weakened") for row in one["repetitions"]]
        runs, reports = (sum(one[what] for one in robust) for what in ("runs", "reports"))
        within = sum(0 < one <= LIMIT for one in found)
        last = max(found, default=0) if 0 not in found else f"more than {synthetic.LIMIT}"
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
            runs = [row[0] for row in one["repetitions"]]
            if not program.rate and not all(0 < run <= LIMIT for run in runs):
                found.append(f"{program.name} by GCC: weakened, and not found within {LIMIT} runs: {runs}")
    return found
