#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls of the emulated machine without the machine: make-calls runs here. What is made when, what comes back, and what is
not made again."""

import contextlib
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import machine  # noqa: E402
from progress import Progress  # noqa: E402


class Here(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.work, self.system = self.folder / "work", self.folder / "system"
        for name in (self.work, self.system):
            name.mkdir()
        (self.system / "made-of").write_text("first")
        self.calls_made, self.stop_after, self.booted = self.folder / "made", None, []

    def program(self, name, text):
        """A call of a shell script, which adds its name to the list of what was called."""
        file = self.folder / f"{name}.program"
        file.write_text(f"#!/bin/sh\necho {name} >>{self.calls_made}\n{text}\n")
        file.chmod(0o755)
        return machine.Call(name, file, self.folder / "there" / name, folder=str(self.folder), seconds=5)

    @contextlib.contextmanager
    def boot(self, calls, files, processor, system, work):
        self.booted.append((calls[0].cpus, [call.key for call in calls]))
        root = work / "root"
        machine.write_files(calls, files, root)
        (self.folder / "there").mkdir(exist_ok=True)
        done = subprocess.run(["sh", root / "make-calls", root], stdout=subprocess.PIPE, check=True)
        lines = [b"@@ processor fp atomics\n", *done.stdout.splitlines(keepends=True)]
        if self.stop_after is not None:
            ends = [number for number, line in enumerate(lines) if line.startswith(b"@@ end")]
            lines = lines[: ends[self.stop_after]]
        yield lines

    def run_calls(self, calls):
        """The outcomes, and the names of the calls that were made for them."""
        self.calls_made.write_text("")
        with mock.patch.object(machine, "boot", self.boot), mock.patch.object(machine, "CPUS", 2):
            result = machine.run(calls, [], "max", self.system, self.work, lambda *_: None)
        self.assertEqual(result.features, "fp atomics")
        return result.outcomes, sorted(self.calls_made.read_text().split())


class Calls(Here):
    def test_what_came_of_a_call(self):
        call = self.program("one", r"printf '\001@@ end 0 0 1 2\n'; echo wrong >&2; exit 3")
        call.merged = False
        outcomes, _ = self.run_calls([call])
        self.assertEqual(outcomes["one"].status, 3)
        self.assertEqual(outcomes["one"].out, b"\x01@@ end 0 0 1 2\n")
        self.assertEqual(outcomes["one"].err, b"wrong\n")

    def test_merged_output(self):
        outcomes, _ = self.run_calls([self.program("one", "echo a; echo b >&2; echo c")])
        self.assertEqual((outcomes["one"].out, outcomes["one"].err), (b"a\nb\nc\n", b""))

    def test_arguments_and_environment(self):
        call = self.program("one", 'echo "$0 $2 $NAME $PWD $HOME"; ls /proc/self/fd | tr "\\n" " "')
        call.arguments, call.environment = ["a b", "c'd"], {"NAME": "x y"}
        outcomes, _ = self.run_calls([call])
        said, descriptors = outcomes["one"].out.decode().splitlines()
        self.assertEqual(said, f"{self.folder}/there/one c'd x y {self.folder} /root")
        self.assertEqual(descriptors, "0 1 2 3 ")  # the last one is ls' own

    def test_machines(self):
        calls = [self.program(name, "") for name in ("a", "b1", "c", "b2", "d", "e")]
        for call, weight, group, cpus in zip(calls, (1, 2, 4, 3, 2, 1), ("a", "b", "c", "b", "d", "e"), (1, 1, 1, 1, 1, 2)):
            call.weight, call.group, call.cpus = weight, group, cpus
        outcomes, made = self.run_calls(calls)
        self.assertEqual((len(outcomes), made), (6, ["a", "b1", "b2", "c", "d", "e"]))
        # Runs of similar length: the longest first, groups in their order, and last what needs two processors.
        self.assertEqual(self.booted, [(1, ["b1", "b2", "a"]), (1, ["c", "d"]), (2, ["e"])])


class Again(Here):
    def calls(self):
        return [self.program("good", "echo fine"), self.program("bad", "exit 1")]

    def test_known_outcomes(self):
        first, made = self.run_calls(self.calls())
        self.assertEqual(made, ["bad", "good"])
        again, made = self.run_calls(self.calls())
        self.assertEqual(made, [])
        self.assertEqual([vars(again[key]) for key in ("good", "bad")], [vars(first[key]) for key in ("good", "bad")])

    def test_another_program(self):
        self.run_calls(self.calls())
        _, bad = self.calls()
        _, made = self.run_calls([self.program("good", "echo better"), bad])
        self.assertEqual(made, ["good"])

    def test_other_arguments_or_environment(self):
        self.run_calls(self.calls())
        calls = self.calls()
        calls[0].arguments = ["a"]
        self.assertEqual(self.run_calls(calls)[1], ["good"])
        calls[1].environment = {"RSAN_OPTIONS": "clocks=explicit"}
        self.assertEqual(self.run_calls(calls)[1], ["bad"])

    def test_another_machine(self):
        self.run_calls(self.calls())
        (self.system / "made-of").write_text("second")
        self.assertEqual(self.run_calls(self.calls())[1], ["bad", "good"])

    def test_interrupted(self):
        calls = self.calls()
        for call in calls:
            call.group = "one machine"
        self.stop_after = 1
        outcomes, _ = self.run_calls(calls)
        self.assertEqual(list(outcomes), ["good"])
        self.stop_after = None
        outcomes, made = self.run_calls(calls)
        self.assertEqual((len(outcomes), made), (2, ["bad"]))

    def test_killed_for_its_time(self):
        call = self.program("slow", f"[ -e {self.folder}/fast ] || exec sleep 60")
        call.seconds = 1
        outcomes, made = self.run_calls([call])
        self.assertEqual((outcomes["slow"].status, made), (128 + 9, ["slow"]))
        (self.folder / "fast").touch()
        outcomes, made = self.run_calls([call])
        self.assertEqual((outcomes["slow"].status, made), (0, ["slow"]))


class Estimates(Here):
    def test_from_weights_and_from_known_seconds(self):
        calls = [self.program(name, "") for name in ("a", "b", "c")]
        for call, weight in zip(calls, (1, 2, 3)):
            call.weight, call.cpus = weight, 1 + (weight == 3)
        progress = Progress(calls, lambda _: None, 2)
        self.assertIsNone(progress.seconds_left())
        progress.ended(calls[0], 10)
        self.assertEqual(progress.seconds_left(), (2 / 2 + 3) * 10)
        progress = Progress(calls, {"a": 4, "b": 8, "c": 20}.get, 1)
        progress.ended(calls[1], 16)
        self.assertEqual(progress.seconds_left(), (4 + 20) * 2)
        self.assertIsNone(progress.line())
        progress.ended(calls[0], 0)
        progress.ended(calls[2], 0)
        self.assertRegex(progress.line(), "^0 s$")


if __name__ == "__main__":
    os.umask(0o022)
    unittest.main()
