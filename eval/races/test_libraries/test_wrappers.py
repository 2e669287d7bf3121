# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What eval/races/wrappers counts, on logs written here.

usage: test_wrappers.py WORK
"""
import importlib.machinery
import importlib.util
import json
import pathlib
import shutil
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
WORK = None


def load():
    loader = importlib.machinery.SourceFileLoader("wrappers", str(HERE.parent / "wrappers"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("wrappers", loader))
    loader.exec_module(module)
    return module


wrappers = load()


def stack(line, foreign="/usr/include/c++/12/bits/atomic_base.h"):
    """An access in a wrapper at that line, called from line 100, through a function of the C++ library."""
    frames = ((foreign, 1), ("ring.h", line), ("ring.c", 100))
    return [{"pc": "0x1", "function": "f", "file": file, "line": at} for file, at in frames]


def record(token, line, kind="robustness violation"):
    return {"rsan_report": 1, "type": kind, "token": token, "accesses": [{"stack": stack(line)}, {"stack": stack(9)}]}


class Lost(unittest.TestCase):
    def setUp(self):
        self.logs = WORK / "logs"
        shutil.rmtree(self.logs, ignore_errors=True)
        self.logs.mkdir(parents=True)

    def process(self, pid, *records):
        lines = ["RSan statistics", *(json.dumps(one, separators=(",", ":")) for one in records)]
        (self.logs / f"report.{pid}").write_text("\n".join(lines) + "\n", encoding="utf-8")

    def test_none_is_lost(self):
        """Each pair of accesses has a token, or is the first with it in some process."""
        self.process(1, record("a", 1), record("b", 2), record("a", 1))
        self.assertEqual(wrappers.lost(self.logs), (2, 0))
        self.process(1, record("a", 1), record("a", 2))
        self.process(2, record("a", 2))
        self.assertEqual(wrappers.lost(self.logs), (2, 0))

    def test_one_is_lost(self):
        self.process(1, record("a", 1), record("a", 2))
        self.assertEqual(wrappers.lost(self.logs), (2, 1))

    def test_accesses(self):
        """A place is not in the runtime, in the C++ library, or where nothing is known."""
        for foreign in ("/usr/include/c++/12/atomic", "compiler-rt/lib/tsan/rtl/tsan_interface_atomic.cpp", None):
            access = {"stack": stack(7, foreign)}
            if not foreign:
                del access["stack"][0]["file"]
            self.assertEqual(wrappers.access_of({"accesses": [access]}), (("ring.h", 7),))

    def test_violations_only(self):
        self.process(1, record("a", 1), record("b", 2, "data race"))
        self.assertEqual(wrappers.lost(self.logs), (1, 0))


if __name__ == "__main__":
    WORK = pathlib.Path(sys.argv.pop(1))
    unittest.main()
