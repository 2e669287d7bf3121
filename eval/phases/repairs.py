# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Repairs that `rsan fix` finds, by simulation alone: of the weakened synthetic programs, and of drivers
of libraries that end in a second.

The raw record: `status` of rsan fix ("timeout" after TIMEOUT seconds), `seconds`, and `said`: the lines of its
last summary, paths without their folders. For drivers (their key has `driver` for `program`) also what rsan fix
measured natively, in `said`, and `under_rsan`: CPU seconds of runs under RSan in turns, without reports, `as_is` and
with the repair simulated (`repaired`).
"""
import json
import os
import re
import shlex
import statistics
import subprocess
import time

import programs
import raw
import subject as subjects
from tables import row

DRIVERS = (
    "atomic-queue",
    "atomic-queue2",
    "boost-queue",
    "boost-spsc-queue",
    "boost-stack",
    "concurrentqueue-tokens",
    "dpdk-ring",
    "readerwriterqueue",
    "readerwriterqueue-blocking",
    "readerwriterqueue-circular",
    "xenium-chase-lev",
    "xenium-vyukov-queue",
)
ENOUGH = 60  # seconds; a clean repair that was found later is not made smaller
TIMEOUT = 300
ROUNDS = 11
SUMMARY = re.compile(r"^\d+ violations? in \d+ runs?:$", re.M)
FOLDER = re.compile(r"/\S*/(?=[^/\s]+:\d)|(?<!\S)/\S*/(?=[^/\s])")
RULE = re.compile(r"^  ((?:fence-(?:before|after)|order \w+) \S+:\d+:\d+)$", re.M)

# What `rsan fix' says, now and in the results that are kept.
ALL_SEQ_CST = r"^(?:making all accesses seq_cst would change|every access seq_cst would be) (\d+ accesses)"


def summary(text):
    found = list(SUMMARY.finditer(text))
    return text[found[-1].start() :] if found else ""


def fix(tool, command, runs, work, options=(), tsan_options=""):
    """The record, and the summary as rsan fix wrote it."""
    begin = time.monotonic()
    variables = {name: value for name, value in os.environ.items() if not name.endswith("SAN_OPTIONS")}
    try:
        done = subprocess.run(
            [tool, "fix", "--runs", str(runs), "--timeout", "60", "--time", str(ENOUGH)]
            + ["--output", work / "repair.diff", *options, "--", *map(str, command)],
            env={**variables, "TSAN_OPTIONS": tsan_options}, cwd=work, capture_output=True, text=True, timeout=TIMEOUT, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return {"status": "timeout", "seconds": TIMEOUT, "said": []}, ""
    whole = summary(done.stdout + done.stderr)
    said = whole.splitlines() if whole else (done.stdout + done.stderr).splitlines()[-5:]
    said = [FOLDER.sub("", line) for line in said if not line.startswith(("+", "-", "@", "rsan fix"))]
    return {"status": done.returncode, "seconds": round(time.monotonic() - begin, 1), "said": said}, whole


def cpu_seconds(command, tsan_options, rsan_options):
    """The CPU seconds of one run; None if it failed."""
    variables = {**os.environ, "TSAN_OPTIONS": tsan_options, "RSAN_OPTIONS": f"report_bugs=0:{rsan_options}"}
    process = subprocess.Popen([*map(str, command)], env=variables, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return round(usage.ru_utime + usage.ru_stime, 4) if process.returncode == 0 else None


def under_rsan(command, tsan_options, rules, work):
    file = work / "repair.rules"
    file.write_text("".join(f"{rule}\n" for rule in rules), encoding="utf-8")
    ways = {"as_is": "", "repaired": f"simulate={file}"}
    found = {way: [] for way in ways}
    for _ in range(ROUNDS):
        for way, rsan_options in ways.items():
            found[way].append(cpu_seconds(command, tsan_options, rsan_options))
    return found


def fix_driver(tool, one, races, runs, folder):
    """rsan fix on a driver: with its compiler's flags, to build it without the sanitizer as well."""
    work = folder / one.name
    work.mkdir(exist_ok=True)
    sources = [str(path) for path in one.all_sources(races)]
    flags = [str(flag) for flag in one.all_flags(races)]
    database = [{"directory": str(work), "file": file, "arguments": ["clang++", *flags, "-c", file]} for file in sources]
    (work / "compile_commands.json").write_text(json.dumps(database), encoding="utf-8")
    native = f'$CXX $CXXFLAGS {shlex.join([*flags, *sources])} -o "$PROGRAM"'
    command = (races / f"programs/{one.name}-rsan", *one.arguments)
    record, whole = fix(tool, command, runs, work, ("--database", work, "--native", native), one.options)
    rules = RULE.findall(whole)
    if rules:
        record["under_rsan"] = under_rsan(command, one.options, rules, work)
    return record


def run(build, work, results, runs, quick):
    file = raw.File(results / "repairs.jsonl")
    builder = programs.Builder(build, work)
    tool = build / "bin/rsan"
    folder, races = work / "repair", work / "races"
    folder.mkdir(parents=True, exist_ok=True)
    chosen = [one for one in programs.load_all() if not one.rate]
    for one in chosen[: 1 if quick else None]:
        command = (builder.program(one, "weakened", "rsan"), one.threads[0], one.rounds)
        work_of = lambda command=command: fix(tool, command, runs, folder)[0]  # noqa: E731
        file.unit({"program": one.name, "count": runs}, raw.digest(command[0]), work_of)
    for one in subjects.load_all():
        program = races / f"programs/{one.name}-rsan"
        if one.name in DRIVERS and not quick and program.exists():
            work_of = lambda one=one: fix_driver(tool, one, races, runs, folder)  # noqa: E731
            file.unit({"driver": one.name, "count": runs}, raw.digest(program), work_of)


def find(said, pattern):
    for line in said:
        match = re.search(pattern, line)
        if match:
            return match.group(1)
    return "-"


def natively(said):
    """What rsan fix measured: with the repair, and with every access seq_cst."""
    found = [find(said, rf"^  {way} .*, ([+-][\d.]+ %)") for way in ("with the repair", "every access seq_cst")]
    return found if found != ["-", "-"] else ["-", "-"]


def simulated(record):
    times = record.get("under_rsan")
    if not times or None in times["as_is"] + times["repaired"]:
        return "-"
    return f"{100 * (statistics.median(times['repaired']) / statistics.median(times['as_is']) - 1):+.0f} %"


def verdict(record):
    if record["status"] == "timeout":
        return f"not within {record['seconds']} s"
    more = [line for line in record["said"] if "to be written by hand" in line or "may not be needed" in line]
    byhand = sum("by hand" in line for line in more)
    told = [find(record["said"], r"^with the repair simulated: (.*)")]
    told += [f"{byhand} by hand"] if byhand else []
    told += [line for line in more if "by hand" not in line][:1]
    return "; ".join(told)


def table(records):
    head = ("program", "violations", "in runs", "repair", "fences executed", "all seq_cst", "natively", "all seq_cst", "under RSan", "simulated")
    lines = [row(head), row(["---", "---:", "---:", "---", *["---:"] * 5, "---"])]
    titles = {one.name: one.title for one in programs.load_all()}
    newest = {record["key"].get("driver") or record["key"]["program"]: record for record in records.values()}
    for name, record in newest.items():
        said = record["said"]
        lines.append(
            row(
                [
                    titles.get(name, name),
                    find(said, r"^(\d+) violations? in"),
                    find(said, r"^\d+ violations? in (\d+) runs?:"),
                    find(said, r"^repair: (.*)"),
                    find(said, r"^fences executed in a run: (.*)"),
                    find(said, ALL_SEQ_CST),
                    *natively(said),
                    simulated(record),
                    verdict(record),
                ]
            )
        )
    return lines
