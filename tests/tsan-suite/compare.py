#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs LLVM's lit suite of ThreadSanitizer under one or several tools, and compares them.

compare --lit LIT --exceptions FILE MODE=FOLDER ...

Each folder holds a lit.site.cfg.py. The mode 'stock' is the measure: a test that passes there must pass in every other
mode, or be one of the explained exceptions. Without the mode 'stock' every test must pass. Printed is a Markdown table
of the tests that differ, then the totals and times. Exit status 1: a test differs without explanation, or an
explanation is out of date. Lines of FILE: `TEST | MODE,MODE... | reason`; in the mode `MODE?` the test may pass as well.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time

STOCK = "stock"
GOOD = ("PASS", "FLAKYPASS", "XFAIL")
NOT_RUN = ("UNSUPPORTED",)
TOTALS = (("passed", ("PASS", "FLAKYPASS")), ("expected to fail", ("XFAIL",)), ("unsupported", NOT_RUN))
SHOWN_LINES = 80


def read_exceptions(lines):
    """{test: (modes, reason)}"""
    exceptions = {}
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.startswith("#"):
            continue
        fields = [field.strip() for field in line.split("|", 2)]
        if len(fields) != 3 or not all(fields):
            raise ValueError(f"line {number} is not 'TEST | MODES | reason'")
        test, modes, reason = fields
        if test in exceptions:
            raise ValueError(f"line {number}: {test} is listed twice")
        exceptions[test] = ([mode.strip() for mode in modes.split(",")], reason)
    return exceptions


def judge(results, exceptions, least):
    """What is wrong, one line each. `results`: {mode: {test: lit's result code}}"""
    problems = []
    stock = results.get(STOCK)
    for mode, codes in results.items():
        passed = sum(code in GOOD for code in codes.values())
        if passed < least:
            problems.append(f"{mode}: {passed} tests passed; there must be {least} for this run to mean anything")
        if mode == STOCK:
            continue
        for test, code in sorted(codes.items()):
            modes = exceptions.get(test, ((), ""))[0]
            listed, may_fail = mode in modes, mode + "?" in modes
            measure = stock.get(test, "UNSUPPORTED") if stock else code if code in NOT_RUN else "PASS"
            if code in GOOD and listed:
                problems.append(f"{mode}: {test} is listed as an exception, but passes")
            elif measure in GOOD and code not in GOOD and not (listed or may_fail):
                problems.append(f"{mode}: {test}: {code}")
    tests = set().union(*results.values())
    problems += [f"{test} is listed as an exception, but there is no such test" for test in exceptions if test not in tests]
    return problems


def table(results, exceptions):
    modes = list(results)
    yield "| test | " + " | ".join(modes) + " | reason |"
    yield "|---" * (len(modes) + 2) + "|"
    for test in sorted(set().union(*results.values())):
        codes = [results[mode].get(test, "absent") for mode in modes]
        if len(set(codes)) == 1 and codes[0] in GOOD + NOT_RUN:
            continue
        reason = exceptions.get(test, ((), ""))[1]
        if not reason and codes[0] not in GOOD and modes[0] == STOCK:
            reason = "fails with stock"
        yield f"| {test} | " + " | ".join(code.lower() for code in codes) + f" | {reason} |"


def totals(results, seconds):
    yield "| total | " + " | ".join(results) + " |"
    yield "|---" * (len(results) + 1) + "|"
    counted = []
    for name, codes in TOTALS:
        counted += codes
        yield f"| {name} | " + " | ".join(str(sum(c in codes for c in r.values())) for r in results.values()) + " |"
    yield "| failed | " + " | ".join(str(sum(c not in counted for c in r.values())) for r in results.values()) + " |"
    yield "| seconds | " + " | ".join(f"{seconds[mode]:.0f}" for mode in results) + " |"


def run(arguments, mode, folder):
    """({test: result code}, {test: output}, seconds)"""
    with tempfile.TemporaryDirectory() as scratch:
        report = os.path.join(scratch, "report.json")
        command = [sys.executable, arguments.lit, "-q", "-j", str(arguments.jobs), "--output", report, folder]
        start = time.monotonic()
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        seconds = time.monotonic() - start
        if not os.path.exists(report):
            sys.exit(f"{mode}: lit did not run:\n{done.stdout}")
        with open(report, encoding="utf-8") as file:
            tests = json.load(file)["tests"]
    # 'ThreadSanitizer-MODE :: Linux/syscall.cpp'
    named = {test["name"].split(" :: ", 1)[1]: test for test in tests}
    codes = {name: test["code"] for name, test in named.items()}
    return codes, {name: test["output"] for name, test in named.items()}, seconds


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--lit", required=True)
    parser.add_argument("--exceptions", required=True)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--least", type=int, default=1, help="tests that must pass in each mode")
    parser.add_argument("modes", nargs="+", metavar="MODE=FOLDER")
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    try:
        with open(arguments.exceptions, encoding="utf-8") as file:
            exceptions = read_exceptions(file)
    except ValueError as error:
        sys.exit(f"{arguments.exceptions}: {error}")
    results, outputs, seconds = {}, {}, {}
    for mode, folder in (argument.split("=", 1) for argument in arguments.modes):
        results[mode], outputs[mode], seconds[mode] = run(arguments, mode, folder)
    print("\n".join([*table(results, exceptions), "", *totals(results, seconds)]), flush=True)
    problems = judge(results, exceptions, arguments.least)
    for problem in problems:
        mode, _, test = problem.partition(": ")
        test = test.partition(": ")[0]
        shown = outputs.get(mode, {}).get(test, "").splitlines()[:SHOWN_LINES]
        print("\n".join(["", f"compare: {problem}", *shown]), file=sys.stderr)
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
