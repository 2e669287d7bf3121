#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""test_confirmed.py: what the tables make of failures of the libraries' drivers. Each check has a twin with one fact changed."""
import pathlib
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path[:0] = [str(HERE), *(str(HERE.parent / one) for one in ("bench", "harness", "races"))]

import confirmed  # noqa: E402
import reports  # noqa: E402
import subject  # noqa: E402

READ, PUSH, POP = "q.h:1 read", "q.h:2 push", "q.h:3 pop"


def note(name, missed, verdict):
    return {"subjects": "lib-*", "kind": "violation", "object": name, "access": [READ], "missed": [missed], "verdict": verdict, "why": "w"}


def notes():
    return [note("lost", POP, "defect"), note("late", PUSH, "harmless")]


def violation(missed, departed=None, **fields):
    one = {"sites": [READ, missed], "injected": 4, "tries": 5, "controls": 60}
    if departed:
        one |= {"kind": "assertion", "text": 'assertion "x"', "failed": 3, "departures": 1, "departed": [[READ, departed]]}
    return {**one, **fields}


def records(*violations, driver="driver"):
    return {driver: {"key": {"subject": "lib-q", "driver": driver}, "runs": 40, "time": 60, "violations": list(violations)}}


def cells(lines, second):
    return next([cell.strip() for cell in line.strip("|").split("|")] for line in lines if f"| {second} " in line)


class Tables(unittest.TestCase):
    def test_failed(self):
        found, read = records(violation(POP, POP), violation(PUSH)), notes()
        self.assertEqual(
            cells(confirmed.defects_table(found, read), "lost")[2:],
            ['assertion "x" (3 of 4 runs with a departure, 0 of 60 without)', "driver"],
        )
        lines = list(confirmed.judgements({id(read[1]): ({"lib-q"}, 2)}, found, read))
        self.assertRegex(lines[1], r"^- \*\*harmless\*\*, `late` \(2 in lib-q\): .* \*\*Failed\*\*: no, in 4 runs with a departure\.$")
        self.assertEqual(list(confirmed.unexplained(found, read)), [])

    def test_not_failed(self):
        for injected, said in ((4, "no, in 4 runs with a departure"), (0, "not tried")):
            lines = confirmed.defects_table(records(violation(POP, injected=injected)), notes())
            self.assertEqual(cells(lines, "lost")[2:], [said, "-"])

    def test_other_write(self):
        """A report that was read as harmless, whose failing run missed the write of a defect: that is what failed."""
        found, read = records(violation(PUSH, POP)), notes()
        self.assertIn("assertion", cells(confirmed.defects_table(found, read), "lost")[2])
        late = next(line for line in confirmed.judgements({}, found, read) if "`late` (0 in lib-*)" in line)
        self.assertIn("no, in 4", late)
        self.assertEqual(list(confirmed.unexplained(found, read)), [])

    def test_unexplained(self):
        """One that failed by what was read as harmless, or not at all: the reading is wrong."""
        for missed, verdict in ((PUSH, "harmless"), ("q.h:9 new", "not judged")):
            (said,) = confirmed.unexplained(records(violation(POP, missed)), notes())
            self.assertIn(f"{READ} <- {missed} was read as {verdict}", said)

    def test_best(self):
        """The stronger evidence is shown: here the short test's."""
        weak = violation(POP, POP, kind="hang", text="hangs")
        found = {**records(weak), **records(violation(POP, POP), driver="window-x")}
        self.assertEqual(cells(confirmed.defects_table(found, notes()), "lost")[3], "window-x")
        found["driver"]["violations"][0] |= {"kind": "crash", "text": "SEGV"}
        self.assertEqual(cells(confirmed.defects_table(found, notes()), "lost")[3], "driver")


class Harness(unittest.TestCase):
    def test_windows(self):
        one = subject.load(subject.SUBJECTS / "xenium-chase-lev")
        (window,) = one.windows()
        self.assertEqual((one.program, window.program), ("xenium-chase-lev", "xenium-chase-lev-window-bottom"))
        self.assertTrue(all(each.all_sources(pathlib.Path("."))[0].exists() for each in (one, window)))

    def test_stack_of_a_record(self):
        sites = reports.Sites(["/lib"], ["wrap"])
        stack = [{"file": "/usr/a.h", "line": 1, "function": "f"}, {"file": "/lib/q.h", "line": 2, "function": "q::wrap<int>()"}]
        self.assertEqual(sites.of_record(stack), reports.UNKNOWN)
        self.assertEqual(sites.of_record([*stack, {"file": "/lib/q.h", "line": 3, "function": "q::pop(int)"}]), "q.h:3 q::pop")


if __name__ == "__main__":
    unittest.main()
