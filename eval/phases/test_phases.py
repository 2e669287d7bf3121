#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""test_phases.py BUILD WORK: how raw results are kept and what tables make of them. Each check has a twin:
one figure of the raw results changed, and the table or the list of faults must say so."""
import copy
import pathlib
import shutil
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path[:0] = [str(HERE), str(HERE.parent / "schedules")]

import main  # noqa: E402
import checks  # noqa: E402  (main says where its modules are)
import gcc  # noqa: E402
import many  # noqa: E402
import pages  # noqa: E402
import programs  # noqa: E402
import raw  # noqa: E402
import repairs  # noqa: E402
import rust  # noqa: E402
import schedules  # noqa: E402
import synthetic_tables  # noqa: E402

BUILD = WORK = pathlib.Path(".")
MACHINE = {"date": "2026-01-01", "processor": "p", "processors": 2, "system": "s", "load": [0.5, 1.0]}


def record(fields, **key):
    return {"key": key, "made": "0", "machine": MACHINE, **fields}


def recorded():
    """Two repetitions of one program, found in run 1 and in run 3; 20 runs of its robust version."""
    rows = [[1, 10_000, 20_000, 20_480], [3, 30_000, 60_000, 21_504]]
    silent = {"runs": 20, "reports": 0, "failed": 0, "evidence": ""}
    ones = [
        record({"limit": 30, "wrong": 0, "failed": [], "repetitions": rows},
               program="dekker", version="weakened", tool="rsan", threads=2, count=2),
        record(dict(silent), program="dekker", version="robust", tool="rsan", threads=2, count=20),
        record(dict(silent), program="dekker", version="weakened", tool="tsan", threads=2, count=20),
    ]  # fmt: skip
    return {raw.name(one["key"]): one for one in ones}


def by_key(records, **wanted):
    return next(one for one in records.values() if wanted.items() <= one["key"].items())


def cells(lines, first):
    return next([cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith(f"| {first} "))


class Tables(unittest.TestCase):
    def test_weakened(self):
        """Median of 1 and 3 runs is 2, quartiles 1.5 and 2.5; 10 and 30 ms; 21,504 KB are 21 MB."""
        row = cells(synthetic_tables.weakened(recorded(), scheduled()), "Dekker's lock")
        self.assertEqual(row[1:], ["2", "2 (1.5..2.5)", "3", "2 of 2", "20 (15..25)", "21", "1 of 4", ""])

    def test_weakened_twin(self):
        records = recorded()
        by_key(records, tool="rsan", version="weakened")["repetitions"][1][0] = 0
        row = cells(synthetic_tables.weakened(records, {}), "Dekker's lock")
        self.assertEqual(row[2:5], ["1 (1..1)", "1", "1 of 2"])

    def test_newest(self):
        """A later record of the same with another count replaces the earlier one."""
        records = recorded()
        newer = copy.deepcopy(by_key(records, version="robust"))
        newer["key"]["count"], newer["runs"] = 1000, 1000
        records[raw.name(newer["key"])] = newer
        self.assertEqual(cells(synthetic_tables.verdicts(records), "Dekker's lock")[1:4], ["1000", "0", "0"])

    def test_verdicts(self):
        row = cells(synthetic_tables.verdicts(recorded()), "Dekker's lock")
        self.assertEqual(row[1:6], ["20", "0", "0", "3 runs", "0 of 20"])


def by_gcc():
    """The sequence lock: found in one of three tries as the system schedules it, in each by seeds of mix."""
    ones = []
    for policy, repetitions in (("", [0, 4, 12]), (gcc.POLICY, [1, 2, 10])):
        more = {"schedule": policy} if policy else {}
        key = {"program": "seqlock", "tool": "gcc", **more}
        ones.append(record({"runs": 5, "reports": 0, "failed": 0, "evidence": ""}, version="robust", **key))
        ones.append(record({"repetitions": repetitions}, version="weakened", **key))
    return {raw.name(one["key"]): one for one in ones}


class Gcc(unittest.TestCase):
    def test_table(self):
        row = cells(gcc.table(by_gcc()), "sequence lock")
        self.assertEqual(row[1:], ["5", "0", "5", "0", "1 of 3", "more than 30", "3 of 3", "10"])

    def test_faults(self):
        """What the system's schedule misses is none for a program that shows in some runs; what seeds miss is one."""
        self.assertEqual(gcc.faults(by_gcc()), [])
        for missed in (0, 11):
            records = by_gcc()
            by_key(records, version="weakened", schedule=gcc.POLICY)["repetitions"][1] = missed
            self.assertIn("seqlock by GCC, schedule=mix: weakened", gcc.faults(records)[0])
        for field in ("reports", "failed"):
            records = by_gcc()
            by_key(records, version="robust", schedule=gcc.POLICY)[field] = 1
            self.assertEqual(len(gcc.faults(records)), 1)

    def test_seeds(self):
        """No two tries have a seed in common, and a try ends with what it finds."""
        asked, once = [], gcc.once
        gcc.once = lambda binary, arguments, policy, seed: asked.append(seed) or (programs.REPORT if seed % gcc.TRIES == 3 else 0, "")
        try:
            self.assertEqual(gcc.until_found("", (), 4, gcc.POLICY), {"repetitions": [3] * 4})
        finally:
            gcc.once = once
        self.assertEqual(sorted(asked), [gcc.TRIES * one + seed for one in range(4) for seed in (1, 2, 3)])


RUST_NOTES = [{"subjects": "ring-*", "kind": "violation", "object": "head", "access": ["ring.rs:7 pop"], "missed": ["*"],
               "verdict": "delay", "why": "It\nwaits."}]  # fmt: skip


def accesses(*lines):
    """Accesses of functions `pop` of a crate `ring`, the first inside a closure of it."""
    names = ("<ring::Ring<(u8, &'a str)>>::pop::{closure#0}", "ring::pop::<usize>")
    return [{"place": {"file": "/w/vendor/ring-1.2/src/ring.rs", "line": line, "function": name}} for line, name in zip(lines, names)]


def by_rust():
    """A crate with a violation that was seen twice, one that nobody has judged, and a race."""
    made = [{"type": "robustness violation", "accesses": accesses(7, 9), "targets": {"c11": "yes", "x86": answer}} for answer in ("no", "may")]
    made += [{"type": "robustness violation", "accesses": accesses(8, 9)}, {"type": "data race", "accesses": accesses(8, 9)}]
    one = record({"version": "1.2", "status": 0, "passed": 4, "failed": 0, "ignored": 0, **rust.condense(made)}, crate="ring-x")
    race = RACE.format(site="/usr/lib/rustlib/src/rust/library/core/src/ptr/mod.rs:1:2 core::ptr::read<u8>")
    two = {"version": "1.2", "status": 0, "passed": 3, "failed": 0, "ignored": 0, **rust.condense_tsan(race, ["*ring*/src/wrap.rs"])}
    two = record(two, crate="ring-x", tool="tsan")
    return {raw.name(one["key"]): one, raw.name(two["key"]): two}


RACE = """WARNING: ThreadSanitizer: data race (pid=1)
  Write of size 8 at 0x1 by thread T2:
    #0 {site}
    #1 w/vendor/ring-1.2/src/wrap.rs:3:4 ring::wrap::put
    #2 w/vendor/ring-1.2/src/ring.rs:9:4 <ring::Ring<u8>>::push
    #3 w/vendor/ring-1.2/src/ring.rs:1:4 ring::other

  Previous read of size 8 at 0x1 by main thread:
    #0 w/vendor/ring-1.2/src/ring.rs:7:4 <ring::Ring<u8>>::pop::{{closure#0}}

SUMMARY: ThreadSanitizer: data race
WARNING: ThreadSanitizer: thread leak (pid=1)
SUMMARY: ThreadSanitizer: thread leak
"""


class Rust(unittest.TestCase):
    def test_tables(self):
        found = rust.crates_table(by_rust(), RUST_NOTES)
        self.assertEqual(cells(found, "ring-x 1.2")[1:], ["4", "2", "1", "1 delay, 1 not judged", "1", "3", "1, 1 thread leak"])
        self.assertEqual(by_key(by_rust(), crate="ring-x", tool="tsan")["races"], [["ring/src/ring.rs:7 pop", "ring/src/ring.rs:9 push"]])
        self.assertEqual(cells(rust.judgements(by_rust(), RUST_NOTES), "delay")[1:], ["head (ring-x)", "1", "It waits."])
        self.assertEqual(rust.unjudged(by_rust(), RUST_NOTES), ["", "- ring-x: `ring/src/ring.rs:8 pop` <- `ring/src/ring.rs:9 pop`"])
        self.assertEqual(cells(rust.crates_table(by_rust(), []), "ring-x 1.2")[4], "2 not judged")
        records = by_rust()
        by_key(records, crate="ring-x")["failed"] = 3
        self.assertEqual(cells(rust.crates_table(records, RUST_NOTES), "ring-x 1.2")[1], "4 (3 failed)")

    def test_faults(self):
        self.assertEqual(rust.faults(by_rust()), [])
        for field, value in (("status", 101), ("failed", 1), ("passed", 0)):
            records = by_rust()
            by_key(records, crate="ring-x")[field] = value
            self.assertEqual(len(rust.faults(records)), 1)

    def test_movable(self):
        """A folder named src does not become a crate, and what is elsewhere keeps its name."""
        frame = {"file": rust.movable("/me/src/w/crates/ring/src/ring.rs", "/me/src/w"), "line": 7, "function": "ring::pop"}
        self.assertEqual(rust.site({"place": frame}), "ring/src/ring.rs:7 pop")
        self.assertEqual(rust.movable("at /w/x and /usr/y", "/w"), "at x and /usr/y")

    def test_notes(self):
        """Each is well formed; one that says nothing is refused."""
        self.assertTrue(rust.load_notes())
        with self.assertRaises(ValueError):
            rust.compare.check({**RUST_NOTES[0], "why": " "})


def scheduled():
    """Dekker's lock: found by one of four seeds of mix, by each of the other policies; twice the time with all of them."""
    of = {"program": "dekker", "threads": 2}
    ones = [
        record({"found": [3] if policy == "mix" else [1, 2, 3, 4], "failed": []},
               kind="rate", rounds=20, policy=policy, seeds=4, **of)
        for policy in schedules.POLICIES
    ]  # fmt: skip
    turns = [{"off": 1000, **dict.fromkeys(schedules.COSTS, 2000)}, {"off": 1000, **dict.fromkeys(schedules.COSTS, 2000)}]
    ones += [
        record({"turns": turns}, kind="cost", rounds=200, seeds=2, **of),
        record({"schedules": 0, "replays": 0, "taken": 0}, kind="same", rounds=20, seeds=4, **of),
        record({"runs": 4, "reports": 0, "failed": 0}, kind="robust", rounds=20, seeds=4, **of),
    ]
    return {raw.name(one["key"]): one for one in ones}


class Schedules(unittest.TestCase):
    def test_rates(self):
        row = cells(schedules.rates_table(scheduled()), "Dekker's lock")
        self.assertEqual(row[1:], ["2", "20", "4 of 4", "4 of 4", "4 of 4", "4 of 4", "1 of 4", "3", ""])

    def test_costs(self):
        lines = schedules.cost_table(scheduled())
        self.assertEqual(cells(lines, "Dekker's lock")[1:], ["2", "200", "1", "2.00", "2.00", "2.00", "2.00"])
        records = scheduled()
        for turn in by_key(records, kind="cost")["turns"]:
            turn["pct"] = 8000
        self.assertEqual(cells(schedules.cost_table(records), "geometric mean")[4:], ["2.00", "8.00", "2.00", "2.00"])

    def test_faults(self):
        self.assertEqual(list(schedules.faults(scheduled())), [])
        for kind, field in (("same", "replays"), ("robust", "reports"), ("robust", "failed")):
            records = scheduled()
            by_key(records, kind=kind)[field] = 1
            self.assertEqual(len(list(schedules.faults(records))), 1)
        records = scheduled()
        by_key(records, kind="rate", policy="mix")["found"] = []
        self.assertIn("not found", next(schedules.faults(records)))

    def test_hold(self):
        """Two programs of a suite; the second crashes in one seed."""
        one = {"plain": {"0": 5}, "scheduled": {"0": 2}, "reports": 0, "changed": []}
        two = {"plain": {"0": 5}, "scheduled": {"0": 1, "-11": 1}, "reports": 0, "changed": [[2, -11]]}
        records = {name: record(fields, suite="s", program=name, runs=2) for name, fields in (("a", one), ("b", two))}
        self.assertEqual(cells(schedules.hold_table(records), "s")[1:], ["2", "4", "0", "1"])


class Many(unittest.TestCase):
    """What counts as a change."""

    def test_is_changed(self):
        self.assertFalse(many.is_changed(66, [0, 0], 66, []))
        self.assertFalse(many.is_changed(0, [66], 66, [0]))
        self.assertFalse(many.is_changed(1, [66], 66, [1]))
        self.assertTrue(many.is_changed(1, [66], 66, [2]))
        self.assertTrue(many.is_changed(0, [1], 66, [0]))
        for status in (-11, 1, "hangs"):
            self.assertTrue(many.is_changed(status, [0, 66], 66, [0]))

    def test_measure(self):
        found = many.measure(["/bin/sh", "-c", "case $RSAN_OPTIONS in *seed=2) exit 3;; *) exit 0;; esac"], 3)
        self.assertEqual(found, {"plain": {"0": 5}, "scheduled": {"0": 2, "3": 1}, "reports": 0, "changed": [[2, 3]]})


REPAIRED = """10 violations in 17 runs:
repair: 3 fences
  fence-before stack.hpp:524:42
    to be written by hand: the access is inside the macro PUSH
fences executed in a run: 36007
making all accesses seq_cst would change 19 accesses
slowdown natively, by CPU time, medians and quartiles of 11 runs in turns:
  as it is             0.0031 s (0.0026 to 0.0037)
  with the repair      0.0042 s (0.0037 to 0.0044), +37.7 %
  every access seq_cst 0.0034 s (0.0027 to 0.0035), +10.6 %
with the repair simulated: no violation in 30 runs""".splitlines()


class Repairs(unittest.TestCase):
    def row(self, **fields):
        one = record({"status": 0, "seconds": 9, "said": REPAIRED, **fields}, driver="boost-stack", count=30)
        return cells(repairs.table({"": one}), "boost-stack")[1:]

    def test_driver(self):
        row = self.row(under_rsan={"as_is": [0.1, 0.3, 0.2], "repaired": [0.2, 0.5, 0.3]})
        self.assertEqual(row[:5], ["10", "17", "3 fences", "36007", "19 accesses"])
        self.assertEqual(row[5:], ["+37.7 %", "+10.6 %", "+50 %", "no violation in 30 runs; 1 by hand"])

    def test_not_measured(self):
        """A run under RSan that failed is no time, a repair that was not measured natively has none."""
        row = self.row(said=REPAIRED[:2], under_rsan={"as_is": [0.1, None], "repaired": [0.2, 0.2]})
        self.assertEqual(row[5:8], ["-", "-", "-"])
        self.assertEqual(self.row(said=[], status="timeout", seconds=300)[-1], "not within 300 s")


def driver(name, *runs):
    """A driver's raw record of runs (way, {(site, site): (x86, ARM)}), as eval/races/libraries leaves them."""
    every, counts = [], {}
    for way, pairs in runs:
        number = counts[way] = counts.get(way, -1) + 1
        found = [{"kind": "robustness violation", "sites": list(sites), "count": 1} for sites in pairs]
        for report, answers in zip(found, pairs.values()):
            if way == "rsan-targets":
                report["targets"] = {"C11": "yes", "x86-64": answers[0], "ARMv8": answers[1]}
        every.append({"way": way, "run": number, "status": 0, "seconds": 1.0, "reports": found})
    result = {"packages": {}, "options": "", "machine": {}, "runs": every}
    return record(main.libraries.condense(result), subject=name, count=len(runs))


class Targets(unittest.TestCase):
    """Three places: x86 shows the first in the second run only; ARM shows the second, and may show the third."""

    NOTES = [{"subjects": "d*", "kind": "violation", "access": ["a.h:1 f"], "missed": ["*"], "verdict": "delay", "why": "w"}]
    ONE, TWO, THREE = (("a.h:1 f", "a.h:2 f"), ("a.h:3 f", "a.h:2 f"), ("a.h:4 f", "a.h:2 f"))

    def records(self, *more):
        first = {self.ONE: ("no", "no"), self.TWO: ("no", "yes"), self.THREE: ("no", "may")}
        runs = [("rsan-targets", one) for one in (first, {self.ONE: ("yes", "no")}, {self.ONE: ("no", "no")})]
        others = [("rsan", {self.ONE: None, self.TWO: None}), ("rsan-x86", {self.ONE: None})]
        every = [driver("d", *runs, *others), *more]
        return {raw.name(one["key"]): one for one in every}

    def test_table(self):
        lines = main.targets.table(self.records(), self.NOTES)
        self.assertEqual(cells(lines, "d")[1:], ["3", "3", "1", "1", "1", "1", "0", "1", "delay 1"])
        self.assertEqual(cells(lines, "all")[1:], ["", "3", "1", "1", "1", "1", "0", "1", "delay 1"])

    def test_twin(self):
        """Without the stronger answer it is for neither; without a note it is not judged."""
        records = self.records(driver("e", ("rsan-targets", {self.ONE: ("no", "no")}), ("rsan-x86", {})))
        lines = main.targets.table(records, [])
        self.assertEqual(cells(lines, "e")[1:], ["1", "1", "0", "0", "0", "1", "1", "0", "-"])
        self.assertEqual(cells(lines, "all")[1:], ["", "4", "1", "1", "1", "2", "1", "1", "not judged 1"])
        self.assertIn("of 4 violations (pairs of places) of 2 drivers", main.targets.total(records))

    def test_older(self):
        """Raw results from before these ways: a dash, and no sentence."""
        older = driver("o", ("rsan", {self.ONE: None}))
        del older["targets"]
        lines = main.targets.table(self.records(older), self.NOTES)
        self.assertEqual(set(cells(lines, "o")[1:]), {"-"})
        self.assertEqual(cells(lines, "all")[2], "3")
        self.assertIsNone(main.targets.total({"o": older}))
        self.assertEqual(len(main.targets.table({"o": older}, self.NOTES)), 3)


def checked():
    """Of M&S queue both versions, of the litmus program SB one."""
    of = {"group": "cdschecker", "program": "ms_queue", "target": "", "options": "--loop 3 --executions 9", "arguments": ""}
    proved = {"status": 0, "said": [], "made": 1500, "whole": 1200, "steps": 9, "exhausted": True, "findings": [],
              "gaps": {}, "given_up": {"ASLEEP": 300}, "cpu_us": 1_500_000, "wall_us": 1, "memory_kb": 1}  # fmt: skip
    said = ["1 robustness violation, 0 data races; 1 report in 1 run"]
    found = {**proved, "status": 66, "said": said, "made": 7, "findings": [["report", 7], ["signal-6", 7]]}
    ones = [
        record(dict(proved), version="robust", **of),
        record(found, version="weakened", **of),
        record(dict(proved), group="litmus", program="SB", version="robust", target="armv8"),
    ]
    return {raw.name(one["key"]): one for one in ones}


class Checks(unittest.TestCase):
    def test_verdicts(self):
        lines = checks.cdschecker_table(checked())
        rows = [[cell.strip() for cell in line.strip("|").split("|")][2:] for line in lines if line.startswith("| M&S queue")]
        self.assertEqual(rows[0], ["robust", "--loop 3", "proved", "1,200", "1,500", "1.50 s"])
        self.assertEqual(rows[1], ["weakened", "--loop 3", "found: signal-6, violation", "-", "7", "1.50 s"])
        self.assertEqual(cells(checks.litmus_table(checked()), "ARMv8")[1:5], ["1", "1", "0", "0"])
        self.assertIn("1000 (median)", checks.rate_line(checked())[0])

    def test_proved_within_a_bound(self):
        one = by_key(checked(), group="cdschecker", version="robust")
        one["given_up"]["LOOP"] = 7
        self.assertEqual(checks.measured(one)[:3], ["proved within --loop 3", "1,207", "1,500"])
        one["key"]["options"] = "--executions 9"
        self.assertEqual(checks.verdict(one), "proved within --loop 25")
        one["gaps"]["SPURIOUS"] = 3
        self.assertEqual(checks.verdict(one), "proved within --loop 25 and --spurious 0")

    def test_not_proved(self):
        records = checked()
        one = by_key(records, group="cdschecker", version="robust")
        one |= {"status": 3, "given_up": {"LOOP": 2, "ASLEEP": 1}, "exhausted": False}
        self.assertEqual(checks.verdict(one), "nothing found; not proved: --executions")
        self.assertEqual(checks.verdict({**one, "exhausted": True}), "nothing found within the bounds")
        self.assertEqual(list(checks.faults(records)), [])

    def test_faults(self):
        self.assertEqual(list(checks.faults(checked())), [])
        for version, status in (("robust", 66), ("weakened", 0), ("robust", -11)):
            records = checked()
            by_key(records, group="cdschecker", version=version)["status"] = status
            self.assertEqual(len(list(checks.faults(records))), 1)

    def test_exploration(self):
        path = WORK / "execution"
        path.write_text(
            "progress bound=0 executions=1\nfinding what=deadlock execution=4 steps=2 preemptions=1 schedule=a b\n"
            "given-up why=LOOP executions=2\ngap why=CALLS executions=1\n"
            "result bound=-1 loop=25 unroll=0 exhausted=1 cut=0 whole=5 executions=9 steps=30 ns=7\n", encoding="utf-8")  # fmt: skip
        found = checks.read_exploration(path)
        self.assertEqual((found["made"], found["whole"], found["exhausted"]), (9, 5, True))
        self.assertEqual((found["findings"], found["given_up"], found["gaps"]), ([["deadlock", 4]], {"LOOP": 2}, {"CALLS": 1}))
        self.assertFalse(checks.read_exploration(WORK / "nothing")["exhausted"])

    def test_levels(self):
        path, level = WORK / "levels", "given-up why=LOOP executions=2\nlevel bound=-1 loop=2 unroll=0 exhausted=1 cut=0 whole=5 executions=9 steps=30 ns=7\n"  # fmt: skip
        result = "given-up why=LOOP executions=7\nresult bound=-1 loop=4 unroll=0 exhausted=%d cut=0 whole=6 executions=20 steps=70 ns=9\n"  # fmt: skip
        for exhausted, loop, whole, bounded in ((1, 4, 6, 7), (0, 2, 5, 2)):
            path.write_text(level + result % exhausted, encoding="utf-8")
            found = checks.read_exploration(path)
            self.assertEqual((found["loop"], found["whole"], found["given_up"]), (loop, whole, {"LOOP": bounded}))
            self.assertEqual((found["made"], found["exhausted"]), (20, True))

    def test_all_are_listed(self):
        listed = {one.source.stem for one in checks.load_own()} | {"graphs", "units"}
        self.assertEqual({path.stem for path in checks.HERE.glob("*.c")}, listed)


class Faults(unittest.TestCase):
    def faults(self, records):
        path = WORK / "faults/synthetic.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(raw.json.dumps(one) + "\n" for one in records.values()), encoding="utf-8")
        return list(main.faults(path.parent))

    def test_none(self):
        self.assertEqual(self.faults(recorded()), [])

    def test_report(self):
        records = recorded()
        by_key(records, version="robust")["reports"] = 1
        self.assertEqual(len(self.faults(records)), 1)

    def test_failed(self):
        records = recorded()
        by_key(records, version="robust")["failed"] = 1
        by_key(records, tool="rsan", version="weakened")["failed"] = [-6]
        self.assertEqual(len(self.faults(records)), 2)

    def test_missed(self):
        records = recorded()
        by_key(records, tool="rsan", version="weakened")["repetitions"][0][0] = 0
        self.assertIn("not found", self.faults(records)[0])


class Files(unittest.TestCase):
    def setUp(self):
        self.path = WORK / "raw/one.jsonl"
        self.path.unlink(missing_ok=True)
        self.calls = 0

    def work(self):
        self.calls += 1
        return {"figure": self.calls}

    def test_resumes(self):
        """Done once; again for another program; a half-written line does not count."""
        for made in ("a", "a", "b"):
            raw.File(self.path).unit({"x": 1}, made, self.work)
        self.assertEqual(self.calls, 2)
        self.assertEqual([one["figure"] for one in raw.read(self.path).values()], [2])
        self.path.write_text(self.path.read_text(encoding="utf-8")[:-9], encoding="utf-8")
        raw.File(self.path).unit({"x": 1}, "b", self.work)
        self.assertEqual(self.calls, 3)


class Pages(unittest.TestCase):
    TEXT = "a\n<!-- begin one -->\nold\n<!-- end one -->\nb\n"

    def test_fill(self):
        filled = pages.fill(self.TEXT, {"one": ["| new |"], "two": []})
        self.assertEqual(filled, "a\n<!-- begin one -->\n| new |\n<!-- end one -->\nb\n")
        self.assertEqual(pages.fill(filled, {"one": ["| new |"]}), filled)

    def test_refused(self):
        for text in self.TEXT, self.TEXT.replace("end one", "end two"):
            with self.assertRaises(pages.BadPage):
                pages.fill(text, {"two": []} if "end one" in text else {"one": []})


class Sources(unittest.TestCase):
    def test_all_are_listed(self):
        listed = {one.name for one in programs.load_all()} | {"message"}
        self.assertEqual({path.stem for path in programs.SYNTHETIC.glob("*.c")}, listed)

    def test_heads(self):
        for program in programs.load_all():
            self.assertGreater(len(program.head("Robust")), 20)
            self.assertGreater(len(program.head("Weakened")), 20)


class Programs(unittest.TestCase):
    """From nothing: a launcher is made, once, and measures a program."""

    def setUp(self):
        shutil.rmtree(WORK / "work", ignore_errors=True)
        self.builder = programs.Builder(BUILD, WORK / "work")

    def test_run(self):
        launcher = self.builder.launcher()
        made = launcher.stat().st_mtime_ns
        self.assertEqual(self.builder.launcher().stat().st_mtime_ns, made)
        one = programs.run(launcher, "/bin/sh", ("-c", "echo out; exit 3"), WORK / "work")
        self.assertEqual((one["status"], one["output"]), (3, "out\n"))
        self.assertGreater(one["memory_kb"], 100)


if __name__ == "__main__":
    BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
    WORK = pathlib.Path(sys.argv.pop(1)).resolve()
    WORK.mkdir(parents=True, exist_ok=True)
    unittest.main()
