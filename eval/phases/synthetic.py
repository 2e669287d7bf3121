# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs of the synthetic programs: robust ones many times, weakened ones until the first report; and
the weakened ones under stock ThreadSanitizer.

The raw records, one for a program, a version and a number of threads:

    robust      runs, reports, failed; `evidence`: output of the first run that was not silent
    weakened    repetitions: a list of [runs until a report, or 0 if none came, CPU and wall time of
                them all in microseconds, peak memory in KB], and `limit`, the runs of a repetition
    tsan        runs, reports, failed of the weakened version
"""
import programs
import raw

LIMIT = 30


def many(launcher, binary, arguments, work, runs):
    found = {"runs": runs, "reports": 0, "failed": 0, "cpu_us": 0, "memory_kb": 0, "evidence": ""}
    for _ in range(runs):
        one = programs.run(launcher, binary, arguments, work)
        found["cpu_us"] += one["cpu_us"]
        found["memory_kb"] = max(found["memory_kb"], one["memory_kb"])
        if one["status"] != 0:
            found["reports" if one["status"] == programs.REPORT else "failed"] += 1
            found["evidence"] = found["evidence"] or f"{one['status']}: {one['output']}"
    return found


def until_found(launcher, binary, arguments, work, repetitions):
    rows, wrong, failed = [], 0, []
    for _ in range(repetitions):
        cpu = wall = memory = found = 0
        for number in range(1, LIMIT + 1):
            one = programs.run(launcher, binary, arguments, work)
            cpu, wall, memory = cpu + one["cpu_us"], wall + one["wall_us"], max(memory, one["memory_kb"])
            if one["status"] == programs.REPORT:
                found = number
                break
            # What is too weak may fail its own check; anything else it may not.
            if one["status"] == 1:
                wrong += 1
            elif one["status"] != 0:
                failed.append(one["status"])
        rows.append([found, cpu, wall, memory])
    return {"limit": LIMIT, "wrong": wrong, "failed": failed, "repetitions": rows}


class Runs:
    def __init__(self, build, work, results):
        self.work = work
        self.builder = programs.Builder(build, work)
        self.file = raw.File(results / "synthetic.jsonl")

    def unit(self, program, version, kind, threads, count, way):
        binary = self.builder.program(program, version, kind)
        arguments = (threads, program.rounds)
        key = {"program": program.name, "version": version, "tool": kind, "threads": threads, "count": count}
        made = raw.digest(binary)
        self.file.unit(key, made, lambda: way(self.builder.launcher(), binary, arguments, self.work, count))

    def robust(self, runs):
        """`runs` of each program, spread over its numbers of threads."""
        for program in programs.load_all():
            for threads in program.threads:
                self.unit(program, "robust", "rsan", threads, runs // len(program.threads), many)

    def weakened(self, repetitions):
        for program in programs.load_all():
            count = max(1, repetitions // 5) if program.rate else repetitions
            for threads in program.threads:
                self.unit(program, "weakened", "rsan", threads, count, until_found)

    def tsan(self, runs):
        """Robust ones, too: what a program does under TSan it has to do under RSan."""
        for program in programs.load_all():
            for version in programs.VERSIONS:
                self.unit(program, version, "tsan", program.threads[-1], runs, many)
