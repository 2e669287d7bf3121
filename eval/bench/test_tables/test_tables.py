#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""test_tables.py FOLDER: the tables and plots of eval/bench, made from the recorded results.json.

Expected numbers are computed by hand in the comments, not by the code under test. Each check has a
twin: one number of the raw results changed, and the table must differ there and nowhere else, or be
refused. The program itself is called, too: it must fail when a run has failed.
"""
import copy
import json
import pathlib
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE.parent))

import benchmarks  # noqa: E402
import blocks  # noqa: E402
import measure  # noqa: E402
import plots  # noqa: E402
import tables  # noqa: E402

RECORDED = HERE / "results.json"
WORK = pathlib.Path(".")


def recorded():
    return json.loads(RECORDED.read_text(encoding="utf-8"))


def record(results, name, round_number, variant):
    one = next(one for one in results["benchmarks"] if one["name"] == name)
    return next(record for record in one["rounds"][round_number] if record["variant"] == variant)


def rows(lines):
    """{first cell: {column: cell}}"""
    split = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return {cells[0]: dict(zip(split[0][1:], cells[1:])) for cells in split[2:]}


class Tables(unittest.TestCase):
    def test_operation(self):
        """RSan: 30/10, 24/12, 50/20 ns in the three rounds; the median is of ratios, not 30/12."""
        cells = rows(tables.table(recorded(), "micro", "cpu"))["load"]
        self.assertEqual(cells["RSan"], "2.50 (2.25..2.75)")
        self.assertEqual(cells["TSan"], "12 ns")
        self.assertEqual(cells["native"], "0.05 (0.04..0.07)")

    def test_operation_twin(self):
        """TSan took 40 ns in the first round: 30/40 in place of 30/10."""
        results = recorded()
        record(results, "load", 0, "TSan")["loop_cpu_ns"] = 40_000
        before, after = (rows(tables.table(one, "micro", "cpu")) for one in (recorded(), results))
        self.assertEqual(after["load"]["RSan"], "2.00 (1.38..2.25)")
        self.assertEqual(after["store"], before["store"])

    def test_process(self):
        """User and system time count: 300 + 100 beside 150 + 50."""
        cells = rows(tables.table(recorded(), "real", "cpu"))["sort"]
        self.assertEqual((cells["TSan"], cells["RSan"]), ("200 us", "2.00 (2.00..2.00)"))

    def test_process_twin(self):
        results = recorded()
        for number in range(3):
            record(results, "sort", number, "RSan")["system_us"] = 0
        self.assertEqual(rows(tables.table(results, "real", "cpu"))["sort"]["RSan"], "1.50 (1.50..1.50)")

    def test_wall_and_memory(self):
        self.assertEqual(rows(tables.table(recorded(), "real", "wall"))["sort"]["RSan"], "3.00 (3.00..3.00)")
        cells = rows(tables.table(recorded(), "real", "memory"))["sort"]
        self.assertEqual((cells["TSan"], cells["RSan"]), ("2.5 MB", "1.50 (1.50..1.50)"))

    def test_overall(self):
        """Medians 2.5 and 10: the geometric mean is 5."""
        cells = rows(tables.table(recorded(), "micro", "cpu"))
        self.assertEqual((cells["geometric mean"]["RSan"], cells["worst"]["RSan"]), ("5.00", "10.00"))
        self.assertEqual(cells["worst"]["TSan"], "")

    def test_overall_twin(self):
        """One benchmark has no mean, nor has a growth curve."""
        self.assertNotIn("geometric mean", rows(tables.table(recorded(), "real", "cpu")))
        self.assertNotIn("geometric mean", rows(tables.table(recorded(), "growth", "cpu")))

    def test_base(self):
        """By 0.4, 1.2, 1 ns natively: TSan 10, 12, 20 ns, RSan 30, 24, 50."""
        cells = rows(tables.table({**recorded(), "base": "native"}, "micro", "cpu"))["load"]
        self.assertEqual(cells, {"native": "1 ns", "TSan": "20.00 (15.00..22.50)", "RSan": "50.00 (35.00..62.50)"})
        with self.assertRaises(KeyError):
            tables.table({**recorded(), "base": "none"}, "micro", "cpu")

    def test_one_round(self):
        results = recorded()
        for one in results["benchmarks"]:
            del one["rounds"][1:]
        self.assertEqual(rows(tables.table(results, "micro", "cpu"))["load"]["RSan"], "3.00 (3.00..3.00)")


class Refusals(unittest.TestCase):
    def test_failed_run(self):
        """A benchmark with a failed run has no figures, and no part in the mean."""
        results = recorded()
        record(results, "store", 1, "RSan")["failed"] = "status 66"
        cells = rows(tables.table(results, "micro", "cpu"))
        self.assertEqual(set(cells["store"].values()), {"failed"})
        self.assertNotIn("geometric mean", cells)
        self.assertEqual(tables.failures(results), ["micro: store: RSan: status 66"])
        self.assertEqual(tables.failures(recorded()), [])

    def test_incomplete_round(self):
        """A variant is missing, twice there, there in place of another, or there is no round at all."""
        missing, twice, other, none = (recorded() for _ in range(4))
        missing["benchmarks"][0]["rounds"][1].pop()
        twice["benchmarks"][0]["rounds"][1].append(copy.deepcopy(twice["benchmarks"][0]["rounds"][1][0]))
        other["benchmarks"][0]["rounds"][1][0]["variant"] = "RSan"
        none["benchmarks"][0]["rounds"].clear()
        for results in (missing, twice, other, none):
            with self.assertRaises(tables.BadResults):
                tables.table(results, "micro", "cpu")

    def test_program(self):
        """Exit status 0 on the record, 1 and the run's name on its twin with a failed run."""
        twin = recorded()
        record(twin, "sort", 2, "native")["failed"] = "status 1"
        for results, status in ((recorded(), 0), (twin, 1)):
            WORK.mkdir(parents=True, exist_ok=True)
            raw = WORK / "raw.json"
            raw.write_text(json.dumps(results), encoding="utf-8")
            command = [sys.executable, HERE.parent / "run", "--from", raw, "--out", WORK]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, status, done.stderr)
            self.assertEqual("real: sort: native: status 1" in done.stderr, status == 1)
            self.assertIn(results["machine"]["processor"], done.stdout)
            self.assertEqual((WORK / "results.md").read_text(encoding="utf-8") in done.stdout, True)


class Blocks(unittest.TestCase):
    """The document's own tables: of what is aimed at, of growth, of budgets."""

    def aims(self, results):
        results["benchmarks"][0]["group"] = "load.acquire"  # medians 2.5
        return rows(blocks.goals({"micro": results}).splitlines())["load, any order"]

    def test_goals(self):
        """2.5 where 1.3 is aimed at; parts that were not measured are left out."""
        cells = self.aims(recorded())
        self.assertEqual((cells["at most"], cells["worst"], cells["which"], cells[""]), ("1.3", "2.50", "load", "**missed**"))
        self.assertNotIn("real programs", blocks.goals({"micro": recorded()}))
        self.assertEqual(blocks.make("real-cpu", {}, None), "Not measured.")

    def test_goals_twin(self):
        """As fast as TSan in two rounds of three: reached."""
        results = recorded()
        for number in range(2):
            mine, base = (record(results, "load", number, variant) for variant in ("RSan", "TSan"))
            mine["loop_cpu_ns"] = base["loop_cpu_ns"]
        self.assertEqual(self.aims(results)[""], "")

    def seq_cst_aim(self, name, ratio):
        ns = {"TSan": 1000, "acq_rel": 1000, "exact": int(1000 * ratio), "fence": 9000}
        turn = [{"variant": variant, "loop_cpu_ns": cpu, "operations": 100} for variant, cpu in ns.items()]
        one = {"name": name, "part": "seq_cst", "group": "add.seq_cst", "rounds": [turn]}
        return rows(blocks.goals({"seq_cst": {"variants": list(ns), "benchmarks": [one]}}).splitlines())

    def test_seq_cst_goal(self):
        """The goal is for the default and 8 threads only."""
        row = "seq_cst accesses, exactly, 8 threads"
        self.assertEqual(self.seq_cst_aim("add.seq_cst shared, 8 threads", 1.2)[row][""], "")
        self.assertEqual(self.seq_cst_aim("add.seq_cst shared, 8 threads", 1.3)[row][""], "**missed**")
        self.assertEqual(self.seq_cst_aim("add.seq_cst shared, 32 threads", 1.3), {})

    def test_growth(self):
        results = recorded()
        grow = next(one for one in results["benchmarks"] if one["part"] == "growth")
        grow["group"] = "threads (relaxed)"
        results["benchmarks"] = [grow]
        cells = rows(blocks.growth(results).splitlines())["1"]
        self.assertEqual((cells["TSan"], cells["RSan"], cells["ratio"]), ("10 ns", "20 ns", "2.00"))
        record(results, "grow 1", 0, "RSan")["failed"] = "status 66"
        self.assertEqual(rows(blocks.growth(results).splitlines())["1"]["TSan"], "failed")

    def test_instructions(self):
        """A budget's line is name, two numbers of no interest here, the limit, the reason."""
        WORK.mkdir(parents=True, exist_ok=True)
        budget = WORK / "budget.txt"
        budget.write_text("# nothing\nadd 10 20 30  a reason\n", encoding="utf-8")
        self.assertEqual(blocks.instructions(budget).splitlines()[2:], ["| add | 30 | a reason |"])


class Plots(unittest.TestCase):
    def test_scripts(self):
        made = {path.name: script for path, script in plots.scripts(recorded(), WORK).items()}
        self.assertEqual(
            set(made), {"micro-cpu.svg", "real-cpu.svg", "real-memory.svg", "growth-cpu.svg", "growth-memory.svg"}
        )
        # Two points, x then lower quartile, median, upper quartile of each variant.
        self.assertIn("\n1 1.0 1.0 1.0 10.0 10.0 10.0 20.0 20.0 20.0\n2 ", made["growth-cpu.svg"])
        self.assertIn("\n2.5 2.25 2.75 ", made["micro-cpu.svg"])

    def test_scripts_twin(self):
        """A curve is not drawn through a failed run."""
        results = recorded()
        record(results, "grow 1", 0, "RSan")["failed"] = "status 66"
        self.assertNotIn("growth-cpu.svg", {path.name for path in plots.scripts(results, WORK)})


class Runs(unittest.TestCase):
    """What is taken over from one run: wait status, user, system, wall time, memory; and its output."""

    def read(self, usage, output):
        WORK.mkdir(parents=True, exist_ok=True)
        (WORK / "usage").write_text(usage, encoding="ascii")
        one = next(benchmarks.micro())
        return measure.read(WORK / "usage", output, b"WARNING: ThreadSanitizer", one)

    def test_good(self):
        found = self.read("0 10 20 30 40", b"7 8 9\n")
        self.assertEqual((found["user_us"], found["system_us"], found["wall_us"], found["memory_kb"]), (10, 20, 30, 40))
        self.assertEqual((found["loop_cpu_ns"], found["loop_wall_ns"], found["operations"]), (7, 8, 9))

    def test_good_twin(self):
        """Exit code 66, what a report ends with, and a signal: no figures."""
        for status, why in ((66 << 8, "status 66"), (11, "status -11")):
            found = self.read(f"{status} 10 20 30 40", b"7 8 9\n")
            self.assertEqual(found, {"failed": why, "output": "WARNING: ThreadSanitizer"})


class Entries(unittest.TestCase):
    def test_names(self):
        """Names tell benchmarks apart within a part; every program of programs/ is one."""
        found = [(one.part, one.name) for one in [*benchmarks.all_benchmarks(), *benchmarks.seq_cst()]]
        self.assertEqual(len(found), len(set(found)))
        real = {name for part, name in found if part in ("real", "layers")}
        self.assertEqual(real, {path.stem for path in benchmarks.PROGRAMS.glob("*.toml")})

    def test_seq_cst(self):
        """Each access, private and shared, with 2, 8, 32 threads; the quick ones are those with 8."""
        ones = list(benchmarks.seq_cst())
        self.assertEqual(len({one.arguments for one in ones}), 5 * 2 * 3)
        self.assertTrue(all(one.arguments[0].endswith(".seq_cst") for one in ones))
        self.assertEqual({one.arguments[1] for one in ones}, {"2", "8", "32"})
        for one in ones:
            self.assertEqual(one.quick is not None, "8 threads" in one.name)
        self.assertEqual([one.name for one in measure.SEQ_CST if one.build == "tsan"], [tables.BASE])

    def test_seq_cst_is_alone(self):
        for more in (["micro"], ["--targets"], ["--variants", "native"]):
            command = [sys.executable, HERE.parent / "run", "--seq_cst", "--list", *more]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, "--seq_cst" in done.stderr.splitlines()[-1]), (2, True), more)

    def test_quick(self):
        for one in [*benchmarks.all_benchmarks(), *benchmarks.seq_cst()]:
            if one.quick is not None:
                self.assertEqual(len(one.quick), len(one.arguments), one.name)


if __name__ == "__main__":
    WORK = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main(verbosity=2)
