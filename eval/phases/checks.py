# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`rsan check` on small programs: those of eval/check, of examples/check and of eval/synthetic, and the litmus programs.

The raw records of check.jsonl: `status` and the last lines that `rsan check` printed, without those that name a place;
of the explorer's own file `made` and `whole` executions (those that came to their end, within the last bounds of
which all was explored, if there are such; `given_up` has those that ended at --loop), `loop` and `unroll`, those bounds,
`steps`, `findings` (what, execution), and `gaps` and `given_up` by name; CPU and wall time in microseconds, without the
compiler's; peak memory. Weakened programs are explored once more as users do it, with the version `decided`: `fails`
is the first line of a failure, without its places.
"""
import dataclasses
import os
import pathlib
import re
import shutil
import signal
import statistics
import subprocess
import tomllib

import programs
import raw
from tables import row

HERE = pathlib.Path(__file__).resolve().parents[1] / "check"
EXAMPLES = HERE.parents[1] / "examples/check"
PROVED, FOUND, NOT_PROVED, HARMLESS = 0, 66, 3, 67
LOOP = 25  # rsan check's default
QUICK = 2000  # executions, the most on a small scale
SAID = 12  # of the lines that are printed, so many of the last are kept
DECIDED = "decided"
TIME = 120  # seconds, the most for a program
RATE = 1000  # executions from which on a rate is computed


@dataclasses.dataclass(frozen=True)
class Program:
    group: str
    name: str
    title: str
    source: pathlib.Path
    flags: tuple = ()
    arguments: tuple = ()
    loop: int = LOOP
    target: str = ""
    sequences: int = 0
    time: str = ""
    taken: str = ""
    executions: int = 20_000  # the most
    preemptions: int = -1  # any number

    def options(self, quick):
        bounds = ["--loop", str(self.loop)] if self.loop != LOOP else []
        bounds += ["--preemptions", str(self.preemptions)] if self.preemptions >= 0 else []
        return [*bounds, "--executions", str(QUICK if quick else self.executions)]


def load_own():
    with open(HERE / "programs.toml", "rb") as file:
        groups = tomllib.load(file)
    for group, ones in groups.items():
        for name, fields in ones.items():
            source = HERE / f"{fields.pop('source', name)}.c"
            flags = tuple(fields.pop("flags", ()))
            yield Program(group=group, name=name, source=source, flags=flags, **fields)


def load_examples():
    for source in sorted(EXAMPLES.glob("*.c")):
        yield Program("examples", source.stem, source.stem.replace("_", " "), source)


def load_synthetic():
    for one in programs.load_all():
        threads, rounds = min(one.threads), one.check.get("rounds", 1)
        bounds = {name: one.check[name] for name in ("loop", "preemptions") if name in one.check}
        yield Program("synthetic", one.name, one.title, one.source, ("-DALL_SCHEDULES",), (threads, rounds), **bounds)


def load_all():
    return [*load_own(), *load_examples(), *load_synthetic()]


def lines_of(path):
    """[(word, {name: value})] of the explorer's file."""
    found = []
    for line in path.read_text(encoding="utf-8").splitlines():
        word, *pairs = line.split(" ")
        found.append((word, dict(pair.split("=", 1) for pair in pairs if "=" in pair)))
    return found


def read_exploration(path):
    fields = {"made": 0, "whole": 0, "steps": 0, "exhausted": False, "findings": [], "gaps": {}, "given_up": {}}
    done = {}
    for word, values in lines_of(path) if path.exists() else []:
        if word == "finding":
            fields["findings"].append([values["what"], int(values["execution"])])
        elif word in ("gap", "given-up"):
            fields["gaps" if word == "gap" else "given_up"][values["why"]] = int(values["executions"])
        elif word in ("result", "level"):
            fields |= {name: int(values[name]) for name in ("whole", "loop", "unroll", "steps")}
            fields |= {"made": int(values["executions"]), "exhausted": values["exhausted"] == "1"}
        if word == "level":
            done = {name: fields[name] for name in ("whole", "loop", "unroll", "exhausted", "gaps", "given_up")}
            fields |= {"gaps": {}, "given_up": {}, "exhausted": False}
    return fields if fields["exhausted"] else fields | done


class Runs:
    def __init__(self, build, work, results):
        self.build, self.work = build, work
        self.builder = programs.Builder(build, work)
        self.file = raw.File(results / "check.jsonl")

    def all(self, quick):
        signal.signal(signal.SIGTERM, signal.default_int_handler)  # as an interruption: what runs is ended, too
        for program in load_all():
            for version in programs.VERSIONS:
                for target in dict.fromkeys(("", program.target)):
                    self.explore(program, version, target, program.options(quick))
        for name in litmus_programs(self.build):
            for target in ("", "armv8", "x86"):
                self.litmus(name, target)

    def explore(self, program, version, target, options):
        flags = (*program.flags, *programs.VERSIONS[version])
        binary = self.builder.make(program.source, flags, "rsan", f"{program.group}-{program.name}-{version}")
        key = {"group": program.group, "program": program.name, "version": version, "target": target}
        key |= {"options": " ".join(options), "arguments": " ".join(map(str, program.arguments))}
        if version == "weakened":
            options.append("--stop-on-first")
        command = [binary, *map(str, program.arguments)]
        self.file.unit(key, raw.digest(binary), lambda: self.check(["--departures", "0", *options], target, command))
        if version == "weakened" and not target:
            options = [*program.options(False), "--time", str(TIME)]
            key |= {"version": DECIDED, "options": " ".join(options)}
            self.file.unit(key, raw.digest(binary), lambda: self.check(options, target, command))

    def litmus(self, name, target):
        binary = self.build / "tests/litmus/explored"
        key = {"group": "litmus", "program": name, "version": litmus_verdict(self.build, name), "target": target}
        options = ["--stop-on-first"] if key["version"] == "weakened" else []
        self.file.unit(key, raw.digest(binary), lambda: self.check(["--departures", "0", *options], target, [binary, name]))

    def check(self, options, target, command):
        folder, usage = self.work / "explored", self.work / "usage"
        shutil.rmtree(folder, ignore_errors=True)
        usage.unlink(missing_ok=True)
        variables = {name: value for name, value in os.environ.items() if not name.endswith("SAN_OPTIONS")}
        variables |= {"RSAN_OPTIONS": f"target={target}" if target else ""}
        # (With --departures 0 robustness alone is asked for: violations are findings.)
        check = [self.builder.launcher(), usage, self.build / "bin/rsan", "check"]
        check += ["--output", folder, *options, "--", *command]
        with subprocess.Popen(
            check, env=variables, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            start_new_session=True,
        ) as process:  # fmt: skip
            try:
                output, _ = process.communicate()
            except BaseException:  # an interruption ends the exploration, too
                os.killpg(process.pid, signal.SIGINT)
                raise
        lines = output.decode(errors="replace").splitlines()
        fails = next((one.split("; output:")[0] for one in lines if re.match(r"execution( graph)? \d+: ", one)), "")
        status, user, system, wall, memory = map(int, usage.read_text(encoding="ascii").split())
        return {
            "status": os.waitstatus_to_exitcode(status),
            # (No places: they would be this machine's.)
            "said": [line for line in lines if "/" not in line][-SAID:],
            "fails": fails,
            **read_exploration(folder / "execution"),
            "cpu_us": user + system,
            "wall_us": wall,
            "memory_kb": memory,
        }


def litmus_programs(build):
    return sorted(path.stem for path in (build / "tests/litmus/programs").glob("*.c"))


def litmus_verdict(build, name):
    text = (build / f"tests/litmus/programs/{name}.c").read_text(encoding="utf-8")
    return "robust" if "// Verdict: robust" in text else "weakened"


def select(records, **wanted):
    """Those that are decided only where they are wanted."""
    decided = wanted.get("version") == DECIDED
    return [
        one
        for one in records.values()
        if wanted.items() <= one["key"].items() and (one["key"]["version"] == DECIDED) == decided
    ]


def head(*names, left=1):
    return [row(names), row(["---"] * left + ["---:"] * (len(names) - left))]


def seconds(microseconds):
    return f"{microseconds / 1e6:.2f} s" if microseconds < 100e6 else f"{microseconds / 1e6:.0f} s"


def kinds(record):
    """What was found: the explorer says `report` of all that is printed."""
    found = {what for what, _ in record["findings"]} - {"report"}
    for line in record["said"]:
        if counts := re.match(r"(\d+) robustness violations?, (\d+) data race", line):
            names = ("violation", "data race")
            found |= {name for name, count in zip(names, counts.groups()) if int(count)}
    return ", ".join(sorted(found)) or "report"


def verdict(record):
    if record["status"] == PROVED:
        within = [f"--loop {loop_of(record)}"] if bounded(record) else []
        within += [f"--unroll {record['unroll']}"] if "UNROLL" in record["gaps"] else []
        within += ["--spurious 0"] if "SPURIOUS" in record["gaps"] else []
        proved = f"proved within {' and '.join(within)}" if within else "proved"
        return f"{proved} for RC20's fences" if "CXX20" in record["gaps"] else proved
    if record["status"] == FOUND:
        return f"found: {kinds(record)}"
    if record["status"] != NOT_PROVED:
        return f"failed: {record['status']}"
    reasons = lacks(record)
    return f"nothing found; not proved: {', '.join(reasons)}" if reasons else "nothing found within the bounds"


def bounded(record):
    """Executions of a proof that ended where a thread would have turned once more in a loop that only reads."""
    return record["given_up"].get("LOOP", 0) if record["status"] == PROVED else 0


def loop_of(record):
    if "loop" in record:
        return record["loop"]
    asked = re.search(r"--loop (\d+)", record["key"]["options"])
    return int(asked[1]) if asked else LOOP


def lacks(record):
    """What keeps it from being a proof within its bounds."""
    reasons = [why.lower() for why in {**record["given_up"], **record["gaps"]}]
    reasons += [] if record["exhausted"] else ["--executions"]
    return [why for why in reasons if why not in ("asleep", "loop", "turns", "unroll", "preemptions", "spurious")]


def bounds_of(record):
    """Without that of executions."""
    return record["key"]["options"].split("--executions")[0].strip() or "-"


def measured(record):
    """Verdict, executions, those that were made, CPU time."""
    knows = record["status"] in (PROVED, NOT_PROVED) and not lacks(record)
    whole = f"{record['whole'] + bounded(record):,}" if knows else "-"
    return [verdict(record), whole, f"{record['made']:,}", seconds(record["cpu_us"])]


def moca_table(records):
    lines = head("program", "what was taken", "version", "machine", "bounds", "verdict", "executions", "made", "CPU time",
                 "MoCA: sequences", "time", left=6)  # fmt: skip
    for program in load_own():
        for record in select(records, group="moca", program=program.name) if program.group == "moca" else []:
            key = record["key"]
            quoted = [f"{program.sequences:,}", program.time] if program.sequences and key["version"] == "robust" else ["", ""]
            machine = {"": "any", "armv8": "ARMv8"}[key["target"]]
            cells = [program.title, program.taken, key["version"], machine, bounds_of(record)]
            lines.append(row([*cells, *measured(record), *quoted]))
    return lines


def cdschecker_table(records):
    lines = head("program", "what was taken", "version", "bounds", "verdict", "executions", "made", "CPU time", left=5)
    for program in load_own():
        for record in select(records, group="cdschecker", program=program.name) if program.group == "cdschecker" else []:
            lines.append(row([program.title, program.taken, record["key"]["version"], bounds_of(record), *measured(record)]))
    return lines


def synthetic_table(records):
    lines = head("program", "threads, rounds", "version", "bounds", "verdict", "executions", "made", "CPU time", left=5)
    for program in [*load_examples(), *load_synthetic()]:
        for record in select(records, group=program.group, program=program.name):
            key = record["key"]
            how = key["arguments"].replace(" ", ", ") or "example"
            lines.append(row([program.title, how, key["version"], bounds_of(record), *measured(record)]))
    return lines


def decision(record):
    """Verdict; how it fails, or the number of graphs."""
    if record["status"] == HARMLESS:
        correct = [one for one in record["said"] if one.startswith("proved correct")]
        if not correct:
            return ["no failure with 1 departure; not proved", ""]
        within = re.match(r"proved correct, not robust(, within [^:]*)?", correct[0])
        return [f"proved correct{within[1] or ''}", re.search(r"[\d,]+ execution graphs?", correct[0])[0]]
    if record["status"] != FOUND or not record["fails"]:
        return [verdict(record), ""]
    what = re.match(r"execution( graph)? \d+: (.*?), after", record["fails"])
    how = "a graph" if what[1] else "1 departure" if "1 departure" in record["fails"] else "an interleaving"
    races = any(re.search(r", [1-9]\d* data race", one) for one in record["said"])
    return [f"fails by {how}", "data race" if what[2] == "report" and races else what[2]]


def decided_table(records):
    lines = head("program", "of", "bounds", "verdict", "failure; or graphs", "CPU time", left=5)
    for program in load_all():
        for record in select(records, group=program.group, program=program.name, version=DECIDED):
            title = {"moca": "MoCA", "cdschecker": "CDSChecker"}.get(program.group, "RSan")
            cells = [program.title, title, bounds_of(record), *decision(record), seconds(record["cpu_us"])]
            lines.append(row(cells))
    return lines


def litmus_table(records):
    """By machine: how many programs are proved, found, neither, and the time of all."""
    lines = head("machine", "programs", "proved", "found", "neither", "executions", "CPU time", "most of one")
    for target, title in (("", "any that C11 allows"), ("armv8", "ARMv8"), ("x86", "x86-64")):
        ones = select(records, group="litmus", target=target)
        counts = [sum(one["status"] == status for one in ones) for status in (PROVED, FOUND, NOT_PROVED)]
        times = [one["cpu_us"] for one in ones] or [0]
        made = sum(one["made"] for one in ones)
        lines.append(row([title, str(len(ones)), *map(str, counts), f"{made:,}", seconds(sum(times)), seconds(max(times))]))
    return lines


def rate_line(records):
    """A sentence."""
    ones = [one for one in records.values() if one["key"]["version"] != DECIDED]
    rates = [one["made"] / (one["cpu_us"] / 1e6) for one in ones if one["made"] >= RATE]
    if not rates:
        return [f"No program was explored in {RATE:,} executions or more."]
    return [
        f"In the {len(rates)} explorations of {RATE:,} executions or more, rsan check made {statistics.median(rates):.0f} "
        f"(median) executions a second of CPU, between {min(rates):.0f} and {max(rates):.0f}."
    ]


def faults(records):
    """What must hold and does not. (A machine may not show what C11 allows.)"""
    for record in records.values():
        key = " ".join(str(part) for part in record["key"].values())
        if record["key"]["version"] == DECIDED:
            if record["status"] != PROVED and not decision(record)[1]:
                yield f"check: {key}: not decided: {record['status']}"
            continue
        robust = record["key"]["version"] == "robust"
        wrong = record["status"] == (FOUND if robust else PROVED)
        if record["status"] not in (PROVED, FOUND, NOT_PROVED):
            yield f"check: {key}: failed: {record['status']}"
        elif wrong and (robust or not record["key"]["target"]):
            yield f"check: {key}: {verdict(record)}"
