# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The parts of eval/races/libraries that judge, on recorded results: reading reports, explaining differences, tables.

usage: test_compare.py WORK
"""
import copy
import json
import pathlib
import shutil
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parents[1] / "harness")]

import compare  # noqa: E402
import reports  # noqa: E402

NOTES = HERE.parent / "notes"
WORK = None


def recorded():
    return [json.loads(path.read_text(encoding="utf-8")) for path in sorted((HERE / "results").glob("*.json"))]


def one(name):
    return next(raw for raw in recorded() if raw["subject"] == name)


class Reports(unittest.TestCase):
    def test_sites(self):
        sites = reports.Sites(["/src/include", "/src/drivers"], ["::wrapper$"])
        found = reports.read((HERE / "reports.txt").read_text(encoding="utf-8"), sites)
        self.assertEqual(
            [(report["kind"], report["sites"], report["count"]) for report in found],
            [
                ("data race", ["driver.cpp:57 produce", "queue.h:12 ns::queue::pop"], 2),
                ("robustness violation", ["queue.h:30 ns::queue::push", "queue.h:12 ns::queue::pop"], 1),
                ("robustness violation", ["queue.h:31 ns::queue::push", "queue.h:12 ns::queue::pop"], 2),
            ],
        )
        self.assertEqual([report.get("targets") for report in found], [None, None, {"C11": "yes", "x86-64": "yes", "ARMv8": "may"}])

    def test_stronger(self):
        for answers, others, both in (
            ({"a": "no", "b": "yes"}, {"a": "may", "b": "may"}, {"a": "may", "b": "yes"}),
            ({}, {"a": "no"}, {"a": "no"}),
            ({"a": "yes"}, {"b": "no"}, {"a": "yes", "b": "no"}),
        ):
            self.assertEqual(reports.stronger(answers, others), both)
            self.assertEqual(reports.stronger(others, answers), both)

    def test_cut_off(self):
        """A killed run's last line: half an answer is none."""
        text = (HERE / "reports.txt").read_text(encoding="utf-8")
        for length, targets in (("x86-64 yes, ARMv8 n", {"C11": "yes", "x86-64": "yes"}), ("x86-6", {"C11": "yes"})):
            head = text[: text.index("x86-64 yes, ARMv8") + len(length)]
            found = reports.read(head, reports.Sites(["/src/include", "/src/drivers"]))
            self.assertEqual(found[-1]["targets"], targets)

    def test_names(self):
        for name, plain in {
            "void ns::f<int, std::less<int>>(int)": "ns::f",
            "ns::list<(anonymous namespace)::a>::insert<int&>(int&)": "ns::list::insert",
            "ns::weak<ns::q<int>::block*>::operator ns::q<int>::block*() const": "ns::weak::operator",
            "ns::p<int>::operator<(ns::p<int> const&)": "ns::p::operator",
            "main::$_0::operator()(int) const": "main::$_0::operator",
            "_ZZ4mainENK3": "?",
        }.items():
            self.assertEqual(reports.plain_name(name), plain)


class Differences(unittest.TestCase):
    def faults(self, results, notes=None):
        return sum(compare.tables(results, compare.load_notes(NOTES) if notes is None else notes)[1:], [])

    def test_explained(self):
        text, unexplained, failures = compare.tables(recorded(), compare.load_notes(NOTES))
        self.assertEqual((unexplained, failures), ([], []))
        row = next(line for line in text.splitlines() if line.startswith("| concurrentqueue-tokens "))
        self.assertIn("| 3 | 0 | 3 | 0 | acquire-fence 3 | 4 | harmless 4 |", row)

    def test_unexplained(self):
        notes = [note for note in compare.load_notes(NOTES) if note["subjects"] != "concurrentqueue-tokens"]
        faults = self.faults(recorded(), notes)
        self.assertEqual(len(faults), 3)
        self.assertTrue(all(fault.startswith("unexplained: concurrentqueue-tokens: data race") for fault in faults))

    def test_other_line(self):
        raw = one("concurrentqueue-tokens")
        race = raw["runs"][0]["reports"][0]
        race["sites"][1] = race["sites"][1].replace("::dequeue", "::dequeue_bulk")
        self.assertEqual(len(self.faults([raw])), 1)

    def test_no_difference(self):
        raw = one("concurrentqueue-tokens")
        raw["runs"][1]["reports"] = raw["runs"][0]["reports"]
        self.assertEqual(self.faults([raw], []), [])

    def test_chance(self):
        """A race that RSan alone reported is chance where TSan has shown the same kind, and not elsewhere."""
        raw = one("boost-spsc-queue")
        raw["subject"] = "boost-stack"
        link, read = "stack.hpp:257 stack::link_nodes_atomic", "stack.hpp:531 stack::consume_one"
        raw["runs"][2]["reports"] = [{"kind": "data race", "sites": [link, read], "count": 1}]
        self.assertEqual(len(self.faults([raw])), 1)
        self.assertIn("not confirmed", self.faults([raw])[0])
        notes = compare.load_notes(NOTES)
        confirmed = [{**note, "confirmed": "how"} for note in notes if note["kind"] == "race"]
        self.assertEqual(self.faults([raw], confirmed), [])
        other = copy.deepcopy(raw)
        other["runs"][0]["reports"] = [{"kind": "data race", "sites": ["freelist.hpp:193 allocate_impl", read], "count": 1}]
        self.assertEqual(self.faults([raw, other]), [])

    def test_failed_run(self):
        raw = one("boost-spsc-queue")
        raw["runs"][0]["status"] = 1
        self.assertEqual(compare.tables([raw], compare.load_notes(NOTES))[2], ["failed: boost-spsc-queue: 1 of 1 runs (tsan)"])

    def test_cut_off(self):
        raw = one("boost-spsc-queue")
        known = raw["runs"][2]["reports"][0]["sites"][0]
        for sites, verdict in ((["?", "?"], "cut off 1"), ([known, "?"], "not judged 1")):
            raw["runs"][2]["reports"] = [{"kind": "robustness violation", "sites": sites, "count": 1}]
            self.assertIn(verdict, compare.tables([raw], [])[0])

    def test_malformed_note(self):
        note = {"subjects": "a", "kind": "race", "one": ["*"], "other": ["*"], "rule": "chance", "why": "because"}
        compare.check(note)
        for field, value in ("rule", "luck"), ("why", " "), ("extra", ""):
            with self.assertRaises(ValueError):
                compare.check({**note, field: value})

    def test_sites(self):
        site = "dir/queue.h:12 ns::queue::pop"
        for pattern in "queue.h:12 pop", "dir/queue.h:* queue::pop", site, "*":
            self.assertTrue(compare.is_site(site, pattern))
        for pattern in "ueue.h:12 pop", "queue.h:1 pop", "queue.h:12 op", "queue.h:12 push", "?":
            self.assertFalse(compare.is_site(site, pattern))


class Command(unittest.TestCase):
    def table(self, notes, fails=None):
        out = WORK / "out"
        shutil.rmtree(out, ignore_errors=True)
        shutil.copytree(HERE / "results", out / "results")
        if fails:
            raw = one(fails)
            raw["runs"][0]["status"] = 1
            (out / f"results/{fails}.json").write_text(json.dumps(raw), encoding="utf-8")
        return subprocess.run(
            [HERE.parent / "libraries", "--table", "--out", out, "--notes", notes], capture_output=True, text=True, check=False
        )

    def test_status(self):
        done = self.table(NOTES)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout, (WORK / "out/libraries.md").read_text(encoding="utf-8") + "\n")

    def test_status_without_notes(self):
        empty = WORK / "no-notes"
        empty.mkdir(exist_ok=True)
        done = self.table(empty)
        self.assertEqual(done.returncode, 3)
        self.assertIn("unexplained: readerwriterqueue", done.stderr)
        self.assertIn("**unexplained**", done.stdout)

    def test_status_of_a_failure(self):
        empty = WORK / "no-notes"
        empty.mkdir(exist_ok=True)
        for notes in NOTES, empty:
            done = self.table(notes, "boost-spsc-queue")
            self.assertEqual(done.returncode, 1)
            self.assertIn("failed: boost-spsc-queue", done.stderr)


if __name__ == "__main__":
    WORK = pathlib.Path(sys.argv.pop(1))
    WORK.mkdir(parents=True, exist_ok=True)
    unittest.main()
