# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Repairs that `rsan fix` finds, by simulation alone: of the weakened synthetic programs, and of drivers
of libraries that end in a second.

The raw record: `status` of rsan fix ("timeout" after TIMEOUT seconds), `seconds`, and `said`: the lines of its
last summary, paths without their folders.
"""
import re
import subprocess
import time

import programs
import raw
from tables import row

DRIVERS = ("boost-stack", "dpdk-ring", "readerwriterqueue", "xenium-chase-lev", "xenium-vyukov-queue")
TIMEOUT = 900
SUMMARY = re.compile(r"^\d+ violations? in \d+ runs?:$", re.M)


def fix(tool, command, runs, work):
    begin = time.monotonic()
    try:
        done = subprocess.run(
            [tool, "fix", "--runs", str(runs), "--timeout", "60", "--output", work / "repair.diff", "--", *map(str, command)],
            cwd=work, capture_output=True, text=True, timeout=TIMEOUT, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return {"status": "timeout", "seconds": TIMEOUT, "said": []}
    text = done.stdout + done.stderr
    summaries = list(SUMMARY.finditer(text))
    said = text[summaries[-1].start() :].splitlines() if summaries else text.splitlines()[-5:]
    said = [re.sub(r"/\S*/(?=[^/\s]+:\d)", "", line) for line in said if not line.startswith(("+", "-", "@", "rsan fix"))]
    return {"status": done.returncode, "seconds": round(time.monotonic() - begin, 1), "said": said}


def run(build, work, results, runs, quick):
    file = raw.File(results / "repairs.jsonl")
    builder = programs.Builder(build, work)
    tool = build / "bin/rsan"
    folder = work / "repair"
    folder.mkdir(parents=True, exist_ok=True)
    chosen = [
        (one.name, (builder.program(one, "weakened", "rsan"), one.threads[0], one.rounds))
        for one in programs.load_all()
        if not one.rate
    ]
    if quick:
        chosen = chosen[:1]
    else:
        chosen += [(name, (work / f"races/programs/{name}-rsan",)) for name in DRIVERS]
    for name, command in chosen:
        if command[0].exists():
            work_of = lambda command=command: fix(tool, command, runs, folder)  # noqa: E731
            file.unit({"program": name, "count": runs}, raw.digest(command[0]), work_of)


def find(said, pattern):
    for line in said:
        match = re.search(pattern, line)
        if match:
            return match.group(1)
    return "-"


def table(records):
    lines = [
        row(["program", "violations", "repair", "fences executed", "all seq_cst", "simulated"]),
        row(["---", "---:", "---", "---:", "---:", "---"]),
    ]
    titles = {one.name: one.title for one in programs.load_all()}
    newest = {record["key"]["program"]: record for record in records.values()}
    for name, record in newest.items():
        said = record["said"]
        told = f"not within {record['seconds']} s" if record["status"] == "timeout" else find(said, r"^with the repair simulated: (.*)")
        lines.append(
            row(
                [
                    titles.get(name, name),
                    find(said, r"^(\d+) violations? in"),
                    find(said, r"^repair: (.*)"),
                    find(said, r"^fences executed in a run: (.*)"),
                    find(said, r"^every access seq_cst would be (\d+ accesses)"),
                    told,
                ]
            )
        )
    return lines
