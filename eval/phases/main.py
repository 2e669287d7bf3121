#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The phases of the evaluation; eval/run calls this, and says what there is."""
import argparse
import fcntl
import pathlib
import shutil
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
EVAL = HERE.parent
ROOT = EVAL.parent
sys.dont_write_bytecode = True
sys.path[:0] = [str(HERE), *(str(EVAL / one) for one in ("bench", "harness", "races"))]

import checks  # noqa: E402
import compare  # noqa: E402
import confirmed  # noqa: E402
import cost  # noqa: E402
import curves  # noqa: E402
import gcc  # noqa: E402
import libraries  # noqa: E402
import others  # noqa: E402
import pages  # noqa: E402
import programs  # noqa: E402
import raw  # noqa: E402
import repairs  # noqa: E402
import rust  # noqa: E402
import schedules  # noqa: E402
import short  # noqa: E402
import subject as subjects  # noqa: E402
import synthetic  # noqa: E402
import synthetic_tables  # noqa: E402
import tables  # noqa: E402
import targets  # noqa: E402

KEPT = EVAL / "results"
COSTS = ROOT / "docs/results/performance/micro.jsonl"  # by eval/bench/performance
PAGES = (
    "docs/results/CHECK-EVALUATION.md", "docs/guide/CONFIRM.md", "docs/results/EVALUATION.md", "docs/guide/GCC.md", "docs/results/LIBRARIES.md", "docs/results/CRATES.md",
    "docs/guide/SCHEDULES.md", "docs/guide/TARGETS.md", "docs/results/SUMMARY.md", "README.md",
)  # fmt: skip
TABLES = (
    "weakened", "rates", "verdicts", "cost", "length", "violations", "broken", "judgements", "unjudged", "others",
    "repairs", "targets", "targets-total", "schedules-rates", "schedules-cost", "schedules-repeat", "schedules-hold",
    "confirmed-defects", "check-moca", "check-cdschecker", "check-synthetic", "check-decided", "check-litmus", "check-rate", "gcc",
    "rust-crates", "rust-judgements",
)  # fmt: skip
QUICK_LIBRARIES = ("atomic-queue", "libcuckoo", "readerwriterqueue", "xenium-queue-qsbr", "xenium-vyukov-queue")


class Evaluation:
    def __init__(self, arguments):
        self.build = arguments.build.resolve()
        self.quick = arguments.quick
        self.work = (arguments.out or self.build / "eval").resolve()
        self.results = self.work / ("quick" if self.quick else "results")
        self.only = QUICK_LIBRARIES if self.quick else ()
        self.work.mkdir(parents=True, exist_ok=True)
        self.faults = []

    def fetch(self):
        for one in subjects.load_all():
            if not self.only or one.name in self.only:
                one.fetch(self.work / "races")

    def compile(self):
        builder = programs.Builder(self.build, self.work)
        for program in programs.load_all():
            for version in programs.VERSIONS:
                for kind in ("native", "tsan", "rsan"):
                    builder.program(program, version, kind)

    def run(self):
        runs = synthetic.Runs(self.build, self.work, self.results)
        runs.weakened(5 if self.quick else 100)
        runs.robust(20 if self.quick else 1000)
        runs.tsan(5 if self.quick else 100)
        if programs.only:
            return
        others.run(self.work, self.results)
        script = EVAL / "races/libraries"
        status = libraries.run(script, self.build, self.work, self.results, 2 if self.quick else 10, self.only)
        if status not in (0, compare.UNEXPLAINED):
            self.faults.append("eval/races/libraries: see what it printed")
        repairs.run(self.build, self.work, self.results, 10 if self.quick else 30, self.quick)

    def schedules(self):
        runs = schedules.Runs(self.build, self.work, self.results)
        runs.rates(5 if self.quick else 100)
        runs.same(5 if self.quick else 100)
        runs.robust(5 if self.quick else 400)
        runs.costs(2 if self.quick else 7)

    def check(self):
        checks.Runs(self.build, self.work, self.results).all(self.quick)

    def gcc(self):
        gcc.Runs(self.build, self.work, self.results).all(*((20, 20, 2) if self.quick else (1000, 200, 20)))
        self.faults += gcc.faults(raw.read(self.results / "gcc.jsonl"))

    def measure(self):
        costs = cost.Costs(self.build, self.work, self.results)
        costs.synthetic(2 if self.quick else 11)
        if not programs.only:
            costs.length(1 if self.quick else 3, 5 if self.quick else 8)

    def report(self):
        made = self.work / ("quick" if self.quick else "report")
        made.mkdir(parents=True, exist_ok=True)
        blocks = all_blocks(self.results)
        for name, lines in blocks.items():
            (made / f"{name}.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
        drawn = curves.draw(self.results, made)
        print(f"tables: {made}")
        print("no plots: gnuplot is not installed" if drawn is None else f"plots: {' '.join(one.name for one in drawn)}")
        self.faults += faults(self.results)

    def keep(self):
        """The raw results become those of the repository, and its pages are made from them."""
        KEPT.mkdir(exist_ok=True)
        for path in sorted(self.results.glob("*.jsonl")):
            shutil.copy(path, KEPT / path.name)
        for page in PAGES:
            path = ROOT / page
            path.write_text(pages.fill(path.read_text(encoding="utf-8"), all_blocks(KEPT)), encoding="utf-8")

    def pages(self):
        """Are the pages' tables what the repository's raw results say?"""
        blocks = all_blocks(KEPT)
        for page in PAGES:
            text = (ROOT / page).read_text(encoding="utf-8")
            if pages.fill(text, blocks) != text:
                self.faults.append(f"{page} is not what eval/results says: eval/run tables")
        self.faults += confirmed.unexplained(raw.read(KEPT / "confirmed.jsonl"), compare.load_notes(EVAL / "races/notes"))

    def tables(self):
        """The pages are made again from the repository's raw results."""
        for page in PAGES:
            path = ROOT / page
            path.write_text(pages.fill(path.read_text(encoding="utf-8"), all_blocks(KEPT)), encoding="utf-8")


def results(folder):
    """Those that raw.File has made. (eval/check/units makes its own.)"""
    return [path for path in sorted(folder.glob("*.jsonl")) if path.stem != "units"]


def conditions(folder):
    """When, where, and on how busy a machine."""
    lines = ["| raw results | date | machine | load average |", "| --- | --- | --- | --- |"]
    for path in results(folder):
        machines = [record["machine"] for record in raw.read(path).values()]
        loads = [load for one in machines for load in one["load"]]
        if not machines:
            continue
        days = sorted({one["date"] for one in machines})
        kinds = sorted({f"{one['processor']}, {one['processors']} processors, {one['system']}" for one in machines})
        busy = " (busy)" if max(loads) > 2 * machines[0]["processors"] else ""
        span = f"{min(loads):.1f} to {max(loads):.1f}{busy}"
        lines.append(f"| {path.name} | {' to '.join(dict.fromkeys((days[0], days[-1])))} | {'; '.join(kinds)} | {span} |")
    return lines


def all_blocks(folder):
    """{name: lines} of every table."""
    notes = compare.load_notes(EVAL / "races/notes")
    made = {name: ["Not measured yet."] for name in TABLES}
    made |= {"conditions": conditions(folder), "programs": synthetic_tables.described()}
    found = {path.stem: raw.read(path) for path in results(folder)}
    if "synthetic" in found:
        one = found["synthetic"]
        made["weakened"] = synthetic_tables.weakened(one, found.get("schedules", {}))
        made["rates"] = synthetic_tables.rates(one, found.get("schedules", {}))
        made["verdicts"] = synthetic_tables.verdicts(one)
    if "schedules" in found:
        made["schedules-rates"] = schedules.rates_table(found["schedules"])
        made["schedules-cost"] = schedules.cost_table(found["schedules"])
        made["schedules-repeat"] = schedules.repeat_lines(found["schedules"])
    if "hold" in found:
        made["schedules-hold"] = schedules.hold_table(found["hold"])
    if "check" in found:
        one = found["check"]
        made |= {"check-moca": checks.moca_table(one), "check-cdschecker": checks.cdschecker_table(one)}
        made |= {"check-synthetic": checks.synthetic_table(one), "check-litmus": checks.litmus_table(one)}
        made["check-decided"] = checks.decided_table(one)
        made["check-rate"] = checks.rate_line(one)
    if "gcc" in found:
        made["gcc"] = gcc.table(found["gcc"])
    if "rust" in found:
        one, rust_notes = found["rust"], rust.load_notes()
        made |= {"rust-crates": rust.crates_table(one, rust_notes), "rust-judgements": rust.judgements(one, rust_notes)}
    if "others" in found:
        made["others"] = others.table(found["others"])
    if "repairs" in found:
        made["repairs"] = repairs.table(found["repairs"])
    if "cost" in found:
        made["cost"] = synthetic_tables.cost(found["cost"])
    if "length" in found:
        made["length"] = synthetic_tables.length(found["length"])
    if "libraries" in found:
        one = found["libraries"]
        made["violations"] = libraries.found(one, notes)
        made["broken"] = libraries.broken(one)
        made["unjudged"] = libraries.unjudged(one, notes)
        made["targets"] = targets.table(one, notes)
        if sentence := targets.total(one):
            made["targets-total"] = [f"{sentence[0].upper()}{sentence[1:]}."]
    if "confirmed" in found:
        pairs = libraries.pairs(found.get("libraries", {}), notes)
        made["judgements"] = list(confirmed.judgements(pairs, found["confirmed"], notes))
        made["confirmed-defects"] = confirmed.defects_table(found["confirmed"], notes)
    made["short"] = short.lines(found, notes)
    made["worth"] = short.worth(found.get("libraries", {}), notes)
    made["costs"] = tables.table(tables.unpack(COSTS), "micro", "cpu", quartiles=False)
    return made


def faults(folder):
    """What must hold and does not."""
    found = raw.read(folder / "synthetic.jsonl")
    for record in found.values():
        key = " ".join(str(part) for part in record["key"].values())
        if record["key"]["version"] == "robust" and (record["reports"] or record["failed"]):
            yield f"{key}: {record['reports']} reports, {record['failed']} failed: {record['evidence'][:200]}"
        if "repetitions" in record:
            if record["failed"]:
                yield f"{key}: failed: {record['failed']}"
            rate = {one.name: one.rate for one in programs.load_all()}[record["key"]["program"]]
            if not rate and not all(one[0] for one in record["repetitions"]):
                yield f"{key}: not found within {record['limit']} runs in some repetitions"
    yield from schedules.faults(raw.read(folder / "schedules.jsonl"))
    yield from checks.faults(raw.read(folder / "check.jsonl"))
    for record in raw.read(folder / "libraries.jsonl").values():
        failed = {way: sum(status != 0 for status, _ in ones) for way, ones in record["ways"].items()}
        if not failed.get("tsan") and any(failed.values()):
            yield f"{record['key']['subject']}: failed: {failed}"


def main():
    phases = [name for name in vars(Evaluation) if not name.startswith("_")]
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--out", type=pathlib.Path, help="default: BUILD/eval")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--program", help="of the synthetic programs this one, and nothing else")
    parser.add_argument("phases", nargs="+", choices=phases, metavar="PHASE")
    arguments = parser.parse_args()
    programs.only = arguments.program
    evaluation = Evaluation(arguments)
    lock = open(evaluation.work / ".lock", "w", encoding="ascii")  # held as long as this runs
    if {"fetch", "compile", "run", "schedules", "check", "gcc", "measure"} & set(arguments.phases):
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            parser.error(f"another evaluation is at work in {evaluation.work}")
    times = []
    for phase in arguments.phases:
        begin = time.monotonic()
        getattr(evaluation, phase)()
        times.append(f"eval: {time.monotonic() - begin:5.0f} s  {phase}")
    for fault in evaluation.faults:
        print(f"eval: {fault}", file=sys.stderr)
    print("\n".join(times), flush=True)
    return 1 if evaluation.faults else 0


if __name__ == "__main__":
    sys.exit(main())
