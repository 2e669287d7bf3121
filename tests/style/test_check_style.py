# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each check of check_style.py finds what it is for, and leaves its twin alone."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
# REUSE-IgnoreStart
LICENCE = "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"
# REUSE-IgnoreEnd
C = f"// {LICENCE}\n"
SCRIPT = f"#!/bin/sh\n# {LICENCE}\n"
HASH = f"# {LICENCE}\n"
CLANG_FORMAT = HASH + "BasedOnStyle: LLVM\nColumnLimit: 100\n"


def c_function(lines):
    return "void f(void) {\n" + "  g();\n" * (lines - 2) + "}\n"

# For each line of english.txt a sentence that it matches, with ~ in it so that this file has none,
# and a good one that says the same.
ENGLISH = (
    ("O~f a write: its epoch.", "The epoch of a write."),
    ("The~ same of a clock.", "Joins a clock as well."),
    ("Who~ waits is woken.", "A waiting thread is woken. Who waits?"),
    ("Al~l that a thread reads.", "Everything that a thread reads. All threads read."),
    ("It counts as~ one that waits.", "It counts as a waiting thread, as one does."),
    ("Compare it with those~ of others.", "Compare it with the clocks of others, with those of the thread."),
    ("It joins the~ one that all share.", "It joins the shared one, the one that a thread has."),
    ("One access in~ place of that.", "One access in place of two."),
    ("The file is~ to be freed.", "The caller frees the file, which is to begin with."),
    ("It says what~ it is to say.", "It says what it is."),
    ("It cannot be go~ne on with.", "It cannot be resumed: it has gone on."),
    ("Leave~ the option away.", "Drop the option. Leave the option as it is."),
    ("It cannot~ be had.", "It cannot be combined."),
    ("It is~ no error to tell.", "It is no error to pass null."),
    ("May be null~ nowhere.", "Must not be null."),
)


class CheckStyle(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        self.write(".clang-format", CLANG_FORMAT)

    def write(self, path, text):
        whole = os.path.join(self.folder, path)
        os.makedirs(os.path.dirname(whole), exist_ok=True)
        with open(whole, "wb") as file:
            file.write(text if isinstance(text, bytes) else text.encode())

    def run_check(self, *arguments, env=None):
        command = [sys.executable, os.path.join(HERE, "check_style.py"), *arguments]
        return subprocess.run(command, capture_output=True, text=True, env=env, check=False)

    def breaches(self, path, text):
        """Writes one file more and returns what is said of all files."""
        self.write(path, text)
        run = self.run_check(self.folder)
        *lines, count = run.stdout.splitlines()
        self.assertEqual(run.stderr, "")
        self.assertTrue(count.endswith(f" {len(lines)} breaches"), count)
        self.assertEqual(run.returncode, 1 if lines else 0)
        return lines

    def good(self, path, text):
        self.assertEqual(self.breaches(path, text), [])

    def bad(self, path, text, *expected):
        self.assertEqual(self.breaches(path, text), [f"{path}:{what}" for what in expected])

    def test_licence(self):
        self.good("a.c", C + "int a;\n")
        self.bad("a.c", "int a;\n", "1: no SPDX line among the first five")

    def test_licence_among_the_first_five_lines(self):
        self.good("a.txt", "\n" * 4 + HASH)
        self.bad("a.txt", "\n" * 5 + HASH, "1: no SPDX line among the first five")

    def test_licence_in_every_kind_of_file(self):
        for path in ("README.md", "a.patch", "a.check", "CMakeLists.txt", "script"):
            self.bad(path, "x\n", "1: no SPDX line among the first five")
            self.good(path, HASH)

    def test_licence_where_no_comment_can_be(self):
        self.good("a.json", "{}\n")
        self.good("sub/a.jsonl", "{}\n")
        self.good("LICENSE", "text\n")

    def test_length_of_files(self):
        self.good("a.txt", HASH + "x\n" * 599)
        self.bad("a.txt", HASH + "x\n" * 600, "601: 601 lines; a file has at most 600")

    def test_length_of_data(self):
        self.good("a.jsonl", "{}\n" * 1000)
        self.good("LICENSE", "x\n" * 1000)

    def test_length_of_c_functions(self):
        for path in ("a.c", "a.h", "a.cpp", "a.inc"):
            self.good(path, C + c_function(60))
            self.bad(path, C + c_function(61), "2: f has 61 lines; a function has at most 60")
            self.good(path, C)

    def test_length_of_methods(self):
        self.good("a.cpp", C + self.method(60))
        self.bad("a.cpp", C + self.method(61), "3: f has 61 lines; a function has at most 60")

    @staticmethod
    def method(lines):
        return "struct S {\n  void f() {\n" + "    g();\n" * (lines - 2) + "  }\n};\n"

    def test_length_of_shell_functions(self):
        for head, tail in (("f() {\n", "}\n"), ("function f() (\n", ")\n")):
            self.good("a", SCRIPT + head + "  g\n" * 58 + tail)
            self.bad(
                "a", SCRIPT + head + "  g\n" * 59 + tail, "3: f has 61 lines; a function has at most 60"
            )
        self.good("a", SCRIPT + "f() { g; }\n" + "g\n" * 100)

    def test_length_of_cmake_functions(self):
        for path in ("CMakeLists.txt", "a.cmake"):
            self.good(path, HASH + "function(f a)\n" + "  g()\n" * 58 + "endfunction()\n")
            self.bad(
                path,
                HASH + "macro(f a)\n" + "  g()\n" * 59 + "endmacro()\n",
                "2: f has 61 lines; a function has at most 60",
            )
            self.good(path, HASH)

    def test_length_of_python_functions(self):
        self.good("a.py", HASH + "def f():\n" + "    g()\n" * 59)
        self.bad(
            "a.py", HASH + "def f():\n" + "    g()\n" * 60, "2: f has 61 lines; a function has at most 60"
        )

    def test_trailing_blanks(self):
        self.good("a.txt", HASH + "a b\n")
        self.bad("a.txt", HASH + "a b \nc\n", "2: trailing blanks")
        self.good("a.txt", HASH)
        self.good("a.patch", HASH + " \n-\n+a\n")

    def test_carriage_returns(self):
        self.bad("a.txt", HASH + "a\r\nb\n", "2: carriage return")

    def test_last_newline(self):
        self.bad("a.txt", HASH + "a", "2: no newline at the end")

    def test_tabs(self):
        self.good("a.c", C + "int a;  // b\n".replace("  ", " "))
        self.bad("a.c", C + "int a; //\tb\n", "2: tab")
        self.good("a.c", C)
        self.bad("script", SCRIPT + "\tf\n", "3: tab")
        self.good("script", SCRIPT)
        self.good("Makefile.in", HASH + "all:\n\tcc\n")
        self.good("a.patch", HASH + "+\ta\n")

    def test_hosts(self):
        for host in ("registry.some-where." + "org", "https://files.elsewhere." + "io/a", "x." + "com"):
            self.bad("a.txt", HASH + f"see {host} b\n", f"2: host name {host.split('//')[-1]}")
        upstream = "github." + "com"
        self.good("a.txt", HASH + f"https://{upstream}/llvm/llvm-project/x clang.llvm.org, a.c io dev\n")
        self.bad("a.txt", HASH + f"{upstream}/somebody\n", f"2: host name {upstream}/somebody")
        self.good("a.txt", HASH)
        self.good("LICENSE", "anything." + "org\n")

    def test_words(self):
        for word in (
            "/wo" + "rk/a",
            "cd /ro" + "ot/",
            "/ho" + "me/somebody",
            "a ses" + "sion",
            "The Hel" + "pers do",
            "as is" + "sue #7 says",
            "// TO" + "DO",
        ):
            lines = self.breaches("a.txt", HASH + f"{word}\n")
            self.assertEqual(len(lines), 1, (word, lines))
            self.assertRegex(lines[0], r"^a\.txt:2: matches .*, which does not belong in the product$")
        for word in ("$dir/ho" + "me/a", "network", "a/wo" + "rk/b", "obses" + "sion", "an is" + "sue", "XXXXXX"):
            self.good("a.txt", HASH + f"{word}\n")
        self.good("a.txt", HASH)
        self.good("tests/style/words.txt", HASH + "ses" + "sion\n")

    def find_phrases(self, **files):
        """All (file, line, phrase) that are found; a dot in a file's name is written __."""
        for path, text in files.items():
            self.write(path.replace("__", "."), text)
        found = re.findall(
            r"^(.*):(\d+): matches (.*): write subject, verb, object, reason \(.*english\.txt\)$",
            self.run_check(self.folder).stdout,
            re.M,
        )
        return [(path.replace(".", "__"), int(line), phrase) for path, line, phrase in found]

    def test_english_has_examples_of_each_phrase(self):
        with open(os.path.join(HERE, "english.txt"), encoding="utf-8") as file:
            phrases = [line.strip() for line in file if not line.startswith("#")]
        bad = "".join(f"# {bad}\n" for bad, _ in ENGLISH).replace("~", "")
        good = "".join(f"# {good}\n" for _, good in ENGLISH)
        found = self.find_phrases(a__py=HASH + bad, b__py=HASH + good)
        self.assertEqual(found, [("a__py", line, phrase) for line, phrase in enumerate(phrases, 2)])

    def test_english_in_every_kind_of_source(self):
        bad = ENGLISH[0][0].replace("~", "") + "\n"
        sources = {
            "a__c": "// " + bad,
            "a__h": "/* x\n * " + bad + " */\n",
            "a__rs": "/// " + bad,
            "a__cmake": "# " + bad,
            "a__py": "# " + bad,
            "cases": "#!/bin/sh\necho " + bad,
            "docs/guide/a__md": bad,
            "man/a__1": ".\\\" x\n" + bad,
            "script": "#!/usr/bin/env python3\n# " + bad,
        }
        others = {"docs/results/a__md": bad, "a__txt": bad, "b__md": f"<!-- begin a -->\n{bad}<!-- end a -->\n"}
        found = self.find_phrases(**sources, **others)
        self.assertEqual([path for path, _, _ in found], sorted(sources))

    def test_english_across_lines(self):
        found = self.find_phrases(
            a__c="// It is\n// to be\n",
            b__c="/* It is\n * to be */\n",
            c__c='const char *a = "It is "\n                "to be";\n',
            d__c="// It is;\n// to be\n",
        )
        self.assertEqual([(path, line) for path, line, _ in found], [("a__c", 1), ("b__c", 1), ("c__c", 1)])

    def test_format(self):
        self.good("a.c", C + "int a;\n")
        self.bad("a.c", C + "int b;\nint  a;\nint  c;\n", "3: clang-format-19 would change this (-i does)")
        self.good("a.c", C)
        self.good("a.txt", HASH + "int  a;\n")

    def test_format_follows_the_nearest_clang_format(self):
        wide = C + "int a = 1" + " + 1" * 30 + ";\n"
        self.assertNotEqual(self.breaches("sub/a.c", wide), [])
        self.good("sub/.clang-format", HASH + "BasedOnStyle: LLVM\nColumnLimit: 200\n")

    def test_encoding(self):
        self.good("a.txt", HASH + "Größe\n")
        self.bad("a.txt", HASH.encode() + b"\xff\n", "1: not UTF-8")

    def test_build_folders(self):
        self.good("build/a.c", "int  a;\n")
        self.good("build-verify/a.c", "int  a;\n")
        self.assertNotEqual(self.breaches("builds/a.c", "int  a;\n"), [])

    def test_git_decides_what_is_a_file(self):
        if not shutil.which("git"):
            self.skipTest("no git")
        subprocess.run(["git", "init", "-q", self.folder], check=True)
        self.write(".gitignore", HASH + "*.log\n")
        self.good("a.log", "x \n")
        self.bad("a.txt", "x\n", "1: no SPDX line among the first five")

    def test_missing_tools(self):
        empty = os.path.join(self.folder, "bin")
        os.mkdir(empty)
        run = self.run_check(self.folder, env={"PATH": empty})
        self.assertEqual(run.returncode, 2)
        self.assertIn("ctags is missing: install the package universal-ctags", run.stderr)

    def test_usage(self):
        self.assertEqual(self.run_check().returncode, 2)
        self.assertEqual(self.run_check(os.path.join(self.folder, "none")).returncode, 2)

    def test_nothing_to_check_is_no_success(self):
        os.remove(os.path.join(self.folder, ".clang-format"))
        self.assertEqual(self.run_check(self.folder).returncode, 1)


if __name__ == "__main__":
    unittest.main()
