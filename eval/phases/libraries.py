# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs of libraries' drivers, by eval/races/libraries; its results are kept one line a subject.

The raw record: `packages`, `options`, `described` (machine and date of the runs), `ways` ({way:
[[status, seconds], ...]}), `pairs`: [kind, site, site, way, [number of each run that reported it]], and
`targets`: [site, site, {target: strongest answer of all runs}] of the violations by the way rsan-targets.
"""
import collections
import json
import subprocess
import sys

import compare
import raw
import reports
from tables import row


def condense(result):
    ways, pairs, targets = collections.defaultdict(list), collections.defaultdict(list), {}
    for one in result["runs"]:
        ways[one["way"]].append([one["status"], one["seconds"]])
        for report in one["reports"]:
            pairs[report["kind"], *report["sites"], one["way"]].append(one["run"])
            if one["way"] == "rsan-targets" and "targets" in report:
                sites = tuple(report["sites"])
                targets[sites] = reports.stronger(targets.get(sites, {}), report["targets"])
    return {
        "packages": result["packages"],
        "options": result["options"],
        "described": result["machine"],
        "ways": ways,
        "pairs": [[*pair, sorted(set(runs))] for pair, runs in sorted(pairs.items())],
        "targets": [[*sites, answers] for sites, answers in sorted(targets.items())],
    }


def expand(record):
    """What compare.Comparison reads."""
    runs = {
        (way, number): {"way": way, "run": number, "status": status, "seconds": seconds, "reports": []}
        for way, ones in record["ways"].items()
        for number, (status, seconds) in enumerate(ones)
    }
    for kind, first, second, way, numbers in record["pairs"]:
        for number in numbers:
            runs[way, number]["reports"].append({"kind": kind, "sites": [first, second], "count": 1})
    return {
        "subject": record["key"]["subject"],
        "packages": record["packages"],
        "options": record["options"],
        "machine": record["described"],
        "runs": list(runs.values()),
    }


def run(script, build, work, results, count, only=()):
    """Each subject that has not been run with its present programs; interrupted, it goes on. The script's status."""
    out = work / "races"
    command = [sys.executable, script, "--runs", str(count), "--build", build, "--out", out]
    done = subprocess.run([*command, *(("--only", *only) if only else ())], stdout=subprocess.DEVNULL, check=False)
    file = raw.File(results / "libraries.jsonl")
    for path in sorted((out / "results").glob("*.json")):
        if only and path.stem not in only:
            continue
        result = json.loads(path.read_text(encoding="utf-8"))
        fields = condense(result)
        file.unit({"subject": path.stem, "count": count}, raw.digest(path), lambda fields=fields: fields)
    return done.returncode


def comparisons(records, notes):
    every = [compare.Comparison(expand(record), notes) for _, record in sorted(records.items())]
    shown = {covered for one in every for covered in one.covered(notes)}
    for one in every:
        one.confirm(shown)
    return every


def first_seen(record):
    """{violation's pair: the first run that reported it, from 1}"""
    return {
        (kind, first, second): min(runs) + 1
        for kind, first, second, way, runs in record["pairs"]
        if kind == compare.VIOLATION and way == "rsan"
    }


def found(records, notes):
    """Violations of each subject, how soon they came, and what they are worth."""
    lines = [
        row(["driver", "violations", "in run 1", "last new in run", "of runs", "verdicts"]),
        row(["---", "---:", "---:", "---:", "---:", "---"]),
    ]
    totals, silent = collections.Counter(), []
    for one, record in zip(comparisons(records, notes), (record for _, record in sorted(records.items()))):
        seen = first_seen(record)
        names = [note["verdict"] if note else "not judged" for _, note in one.judged]
        totals.update(names)
        if not seen:
            silent.append(one.name)
            continue
        lines.append(
            row(
                [
                    one.name,
                    str(len(seen)),
                    str(sum(run == 1 for run in seen.values())),
                    str(max(seen.values(), default="-")),
                    str(len(record["ways"]["rsan"])),
                    compare.tally(names),
                ]
            )
        )
    every = [name for name, count in totals.items() for _ in range(count)]
    lines.append(row(["all", str(len(every)), "", "", "", compare.tally(every)]))
    return lines + [*none_in(silent)]


def none_in(names):
    """What stands below a table in place of rows that say nothing."""
    return ["", f"No violation: {', '.join(names)}."] if names else []


def races(records, notes):
    every = comparisons(records, notes)
    lines = list(compare.summary(every))
    lines += ["", *(f"- {rule}: {text}" for rule, text in compare.RULES.items())]
    return lines


def broken(records):
    """Drivers that failed, by way: under RSan where they pass under TSan is what must not be."""
    lines = [row(["driver", "way", "failed", "of runs"]), row(["---", "---", "---:", "---:"])]
    for _, record in sorted(records.items()):
        for way, ones in record["ways"].items():
            failed = sum(status != 0 for status, _ in ones)
            if failed:
                lines.append(row([record["key"]["subject"], way, str(failed), str(len(ones))]))
    return lines if len(lines) > 2 else ["None: every run of every driver ended and found its results right."]


def pairs(records, notes):
    """{id of a note: (the drivers with pairs of sites that it covers, how many pairs)}"""
    covered = {}
    for one in comparisons(records, notes):
        for _, note in one.judged:
            names, count = covered.get(id(note), (set(), 0))
            covered[id(note)] = (names | {one.name}, count + 1)
    return covered


def unjudged(records, notes):
    lines = []
    for one in comparisons(records, notes):
        missing = [pair for pair, note in one.judged if not note]
        if missing:
            lines.append(f"- {one.name}: {len(missing)}")
            lines += [f"  - `{access}` <- `{missed}`" for _, access, missed in missing]
    return lines or ["None."]
