# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""test_mutate.py CC: what mutate.py says of mutations that fit, and of each kind that does not."""

import os
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
COMPILER = sys.argv.pop()
CORE = {
    "a.h": "struct pair {\n  int a; // the first\n  int b;\n};\nint sum(struct pair *pair);\n",
    "sub/a.c": '#include "../a.h"\n'
    "// sum(pair) { is not here.\n"
    "int sum(struct pair *pair) {\n"
    "  if (pair)\n"
    "    return pair->a + /* and */ 2 * pair->b;\n"
    "  return 0 + 0;\n"
    "}\n"
    "int (*choose(void))[2] {\n  return 0;\n}\n",
}
# Notices any other sum than 5.
MAIN = '#include "a.h"\n#include <stdio.h>\nint main(void) {\n  struct pair pair = {1, 2};\n' + (
    '  return sum(&pair) == 5 ? 0 : (puts("difference: the sum"), 1);\n}\n'
)
SUM = "wrong: The sum is wrong.\nin sum\n"


class Mutate(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        for path, text in CORE.items():
            self.write("core/" + path, text)
        self.write("main.c", MAIN)

    def write(self, path, text):
        whole = os.path.join(self.folder, path)
        os.makedirs(os.path.dirname(whole), exist_ok=True)
        with open(whole, "w", encoding="utf-8") as file:
            file.write(text)
        return whole

    def mutate(self, text, name="wrong"):
        """The exit status, and the last line of what is said."""
        table = self.write("table.txt", "# A table\nruns all\n\n" + text)
        core, work, main = (os.path.join(self.folder, path) for path in ("core", "work", "main.c"))
        command = [sys.executable, os.path.join(HERE, "mutate.py"), table, name, core, work, COMPILER]
        linked = ["-I", core, main] + ([core + "/sub/a.c"] if name == "none" else [])
        run = subprocess.run([*command, "-O1", "--", *linked], capture_output=True, text=True, check=False)
        return run.returncode, run.stdout.splitlines()[-1].replace(table, "TABLE")

    def test_noticed(self):
        for edit in (
            "- pair->a + 2\n+ pair->a - 2",
            "- pair -> a\n-   + 2 * pair->b;\n+ pair->a;",  # over lines and a comment
            "- + 2 * pair->b",  # goes without another
            "- return pair->a\n+ pair->b = 7;\n+ return pair->a\n- 0 + 0\n+ 1",
        ):
            self.assertEqual(self.mutate(SUM + edit)[0], 0, edit)
        self.assertEqual(self.mutate("wrong: A header.\n  More.\nin pair\n- int a;\n- int b;\n+ int b, a;")[0], 0)

    def test_not_noticed(self):
        self.misfit("wrong: Right.\nin choose\n- 0\n+ 0 + 0\nin sum\n- 0 + 0\n+ 0", "wrong in TABLE: not noticed: choose")

    def test_none(self):
        self.assertEqual(self.mutate("", "none")[0], 0)
        self.write("main.c", MAIN.replace("== 5", "== 4"))
        self.assertEqual(self.mutate("", "none"), (1, "none in TABLE: a difference without a mutation"))

    def test_fit(self):
        table = self.write("table.txt", "runs all\n\n" + SUM + "- pair->a\n\nother: Gone.\nin sum\n- pair->c")
        command = [sys.executable, os.path.join(HERE, "mutate.py"), "--fit", self.folder + "/core", table]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        self.assertEqual((run.returncode, run.stdout.count("\n")), (1, 1))
        self.assertIn("other in " + table + ": sum (sub/a.c) has the text 'pair->c' 0 times", run.stdout)
        self.write("table.txt", "runs all\n\n" + SUM + "- pair->a")
        self.assertEqual(subprocess.run(command, check=False).returncode, 0)

    def misfit(self, text, expected):
        status, said = self.mutate(text)
        self.assertEqual(status, 1)
        self.assertIn(expected, said)

    def test_misfits(self):
        self.misfit(
            "wrong: Gone.\nin product\n- pair->a",
            "wrong in TABLE: nothing in the core is called product: name what has the text now",
        )
        once = "times, not once: write it as it stands there now"
        self.misfit(SUM + "- pair->c", "sum (sub/a.c) has the text 'pair->c' 0 " + once)
        self.misfit(SUM + "- pair->\n+ pair->", "sum (sub/a.c) has the text 'pair->' 2 " + once)
        self.misfit(SUM + "- and", "has the text 'and' 0 " + once)  # a comment
        self.misfit("wrong: Elsewhere.\nin choose\n- pair->a", "choose (sub/a.c) has the text 'pair->a' 0 " + once)
        self.misfit(SUM + "- pair->a\n+ pair->", "sub/a.c does not compile with the mutation")

    def test_status(self):
        self.write("main.c", MAIN.replace("difference", "else"))
        self.misfit(SUM + "- + 2 * pair->b", "the random tests ended with status 1, without a difference")


if __name__ == "__main__":
    unittest.main()
