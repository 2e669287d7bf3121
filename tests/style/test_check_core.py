# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_core.py finds each kind of breach in a small core, and nothing in the same core without it."""

import os
import subprocess
import sys
import tempfile
import unittest

import check_core

CORE = {
    "engine.h": '#include "event.h"\nvoid rsan_access(void);\n',
    "event.h": "struct rsan_access;\n",
    "engine/access.c": '#include "../engine.h"\n#include "../lc/sc.h"\n#include "../race/hb.h"\n'
    "void rsan_access(void) {\n  rsan_sc();\n  rsan_hb();\n  rsan_sync();\n}\n",
    "engine/sync.c": "void rsan_sync(void) {}\n",
    "engine/up.c": "void rsan_up(void) {}\n",
    "race/hb.h": "void rsan_hb(void);\n",
    "race/hb.c": '#include "hb.h"\nvoid rsan_hb(void) {}\n',
    "race/cell.c": "",
    "lc/sc.h": "void rsan_sc(void);\n",
    "lc/sc.c": '#include "sc.h"\n#include "../race/hb.h"\n#include "../base/stamp.h"\n#include "../engine.h"\n'
    "static void own(void) {}\nvoid rsan_sc(void) {\n  own();\n  rsan_hb(); // rsan_access()\n}\n",
    "lc/explicit.h": "void rsan_explicit(void);\n",
    "base/fast.h": "struct rsan_fast_w {\n  int acquired, read[2]; // by others\n};\n",
    "fast/again.c": '#include "../base/fast.h"\nint f(struct rsan_fast_w *w) { return w->acquired; }\n',
    "base/lock.h": "",
    "base/clock.c": "",
    "base/stamp.h": '#include "lock.h"\nvoid rsan_stamp(void);\n',
    "base/stamp.c": '#include "stamp.h"\nstatic void own(void) {}\nvoid rsan_stamp(void) {\n  own();\n}\n',
    }


class CheckCore(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = folder.name

    def check(self, changes, exceptions=""):
        for path, text in {**CORE, **changes}.items():
            whole = os.path.join(self.root, path)
            os.makedirs(os.path.dirname(whole), exist_ok=True)
            with open(whole, "w", encoding="utf-8") as file:
                file.write(text)
        return list(check_core.compare(check_core.breaches(self.root), check_core.read_exceptions(exceptions)))

    def bad(self, path, more, expected, *needed):
        """A breach that comes with more text in a file, and the exceptions that it needs, if others."""
        needed = needed or (expected,)
        self.assertEqual(self.check({}), [])
        changes = {path: CORE.get(path, "") + more}
        self.assertEqual(self.check(changes), [expected])
        self.assertEqual(check_core.list_all(check_core.breaches(self.root)), list(needed))
        self.assertEqual(self.check(changes, "\n".join(needed)), [])
        self.assertEqual(self.check(changes, "\n".join(needed[1:])), [expected])
        not_needed = [f"an exception that is not needed: {line}" for line in needed]
        self.assertEqual(self.check({path: CORE.get(path, "")}, "\n".join(needed)), not_needed)

    def test_circle_of_includes(self):
        self.bad(
            "base/lock.h",
            '#include "stamp.h"\n',
            "circle of includes: base/lock -> base/stamp -> base/lock",
            "circle of includes: base/lock -> base/stamp",
            "circle of includes: base/stamp -> base/lock",
        )

    def test_circle_of_calls(self):
        for name in ("rsan_access();", "void (*f)(void) = rsan_access;"):
            self.bad(
                "engine/sync.c",
                f"void rsan_more(void) {{\n  {name}\n}}\n",
                "circle of calls: engine/access -> engine/sync -> engine/access",
                "circle of calls: engine/access -> engine/sync",
                "circle of calls: engine/sync -> engine/access",
            )

    def test_include_upwards(self):
        self.bad("base/clock.c", '#include "../race/hb.h"\n', "include upwards: base/clock -> race/hb")

    def test_call_upwards(self):
        self.bad("race/cell.c", "void f(void) {\n  rsan_up();\n}\n", "call upwards: race/cell -> engine/up")

    def test_circle_of_folders(self):
        self.bad(
            "race/cell.c",
            '#include "../lc/sc.h"\n',
            "circle of folders: lc -> race -> lc",
            "circle of folders: lc -> race",
            "circle of folders: race -> lc",
        )

    def test_explicit(self):
        self.bad("race/cell.c", "int is_explicit, of_explicit;\n", "explicit: race/cell.c -> 2")
        self.bad("engine/up.c", '#include "../lc/explicit.h"\n', "explicit: engine/up.c -> 1")
        self.assertEqual(self.check({"race/cell.c": "// explicit\nint a = atomic_load_explicit;\n"}), [])

    def test_fast(self):
        self.bad("race/cell.c", "int g(struct rsan_w *w) { return w->fast.acquired; }\n", "fast: race/cell.c -> acquired")
        self.bad("engine/up.c", "int g(void *w) { return w->\n  read[0]; }\n", "fast: engine/up.c -> read")
        self.assertEqual(self.check({"race/cell.c": "// w->acquired\nint acquired(int read);\n", "engine/up.c": ""}), [])

    def test_no_layer(self):
        self.assertEqual(self.check({"util/list.c": ""}), ["no layer: util/list -> LAYERS"])

    def test_way(self):
        self.check({})
        for text, expected in (
            ("1. `engine/access.c`: a\n2. `engine/sync.c`, b\n3. `race/hb.c`\n", []),
            ("1. `engine/access.c`\n2. `race/cell.c`\n", ["the way: no file before race/cell.c needs it"]),
            ("1. `engine/sync.c`\n2. `engine/access.c`\n", ["the way: no file before engine/access.c needs it"]),
            ("1. `race/hb.h`\n2. `race/hb.c`\n", ["the way: race/hb.c is there twice"]),
            ("1. `engine/none.c`\n", ["the way: there is no engine/none.c"]),
            ("`engine/access.c`\n", ["no list of files"]),
        ):
            self.assertEqual(list(check_core.way_breaches(self.root, text)), expected)

    def test_program(self):
        for changes, status in (({}, 0), ({"race/cell.c": "int is_explicit;\n"}, 1)):
            self.check(changes)
            script = os.path.join(os.path.dirname(check_core.__file__), "check_core.py")
            run = subprocess.run([sys.executable, script, self.root], capture_output=True, text=True, check=False)
            self.assertEqual(run.returncode, status)
            self.assertEqual("explicit: race/cell.c -> 1" in run.stdout.splitlines(), bool(changes))

    def test_calls_alone(self):
        for name, expected in (("own", []), ("rsan_access", ["circle of calls: engine/access -> engine/sync -> engine/access",
                                                             "circle of calls: engine/sync -> engine/access -> engine/sync"])):  # fmt: skip
            self.check({"engine/sync.c": f"void rsan_sync(void) {{\n  {name}();\n}}\n"})
            self.assertEqual(check_core.circles_of_calls(self.root), expected)


if __name__ == "__main__":
    unittest.main()
