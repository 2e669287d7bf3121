# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Instructions an operation of the core, counted by callgrind, against a budget file.

Each line of the budget: name, operations before the count, operations counted, instructions an
operation at most, reason. The program turns counting on when it has warmed up. Fails if
a budget is exceeded, and if one is a quarter too high: then it guards nothing.
"""

import argparse
import concurrent.futures
import pathlib
import re
import subprocess
import sys
import tempfile


def instructions(program, name, before, counted):
    with tempfile.NamedTemporaryFile() as out:
        run = subprocess.run(
            ["valgrind", "--tool=callgrind", "--instr-atstart=no", f"--callgrind-out-file={out.name}", program, name]
            + [str(before), str(counted)],
            capture_output=True, text=True)
    found = re.search(r"Collected : (\d+)", run.stderr)
    if run.returncode or not found:
        sys.exit(f"check: {name}: {run.stderr.strip().splitlines()[-1] if run.stderr else 'valgrind failed'}")
    return int(found[1])


def read_budget(path):
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        match = re.fullmatch(r"(\S+)\s+(\d+)\s+(\d+)\s+(\d+)\s+(\S.*)", line)
        if not match:
            sys.exit(f"check: {path}:{number}: not a budget: name, before, counted, instructions, reason")
        name, before, counted, most = match[1], int(match[2]), int(match[3]), int(match[4])
        yield name, before, counted, most


def measure(program, row):
    name, before, counted, most = row
    return name, instructions(program, name, before, counted) / counted, most, ""


def compare(description, measure, columns):
    """The exit status. measure(program, row of the budget): name, what was measured, budget, more text; columns: their heads."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("budget", type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    failures, width = 0, max(9, len(columns[1]))
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        rows = pool.map(lambda row: measure(arguments.program, row), list(read_budget(arguments.budget)))
        print(f"{columns[0]:24} {columns[1]:>{width}} {columns[2]:>7} {columns[3]}".rstrip())
        for name, measured, most, more in rows:
            verdict = "too many" if measured > most else "raise the bar" if measured < most * 3 / 4 else ""
            failures += bool(verdict)
            print(f"{name:24} {measured:{width}.1f} {most:7} {more} {verdict}".rstrip())
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(compare(__doc__, measure, ("operation", "measured", "budget", "")))
