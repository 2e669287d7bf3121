# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Do check_docs.py and check_commands.py find what is wrong, and nothing else?"""

import pathlib
import re
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import check_commands  # noqa: E402
import check_docs  # noqa: E402

PAGES = {
    "README.md": "# Name\n\nWhat it is: [docs](docs/README.md), [part](docs/guide/A.md#a-part).\n",
    "docs/README.md": "# Pages\n\nThis page says which.\n\n| [A](guide/A.md) | [R](guide/RUN.md) [S](guide/EXIT-STATUS.md) |\n",
    "docs/guide/A.md": "# A\n\nThis page is for a test. [Above](#a-part) is `[no](link)`.\n\n## A part\n\n    [no](link) of code\n",
    "docs/guide/RUN.md": "# Run\n\nThis page is for a test.\n\n## Exit status\n\n| status | meaning |\n|---:|---|\n| 0, 3 | well |\n| other | its own |\n",
    "docs/guide/EXIT-STATUS.md": "# Statuses\n\nThis page has all.\n\n| outcome | run |\n| --- | ---: |\n| nothing | 0 |\n| ends with 7 | 7 |\n| unchecked | 3 |\n| no | - |\n",
    "docs/README.txt": "see docs/guide/A.md\n",
}
BROKEN = (  # page, what is replaced, by what, what is said
    ("README.md", "What it is", "word " * 900, "words; it has at most 900"),
    ("README.md", "docs/README.md", "docs/GONE.md", "the link leads to nothing: docs/GONE.md"),
    ("README.md", "#a-part", "#b-part", "there is no heading for docs/guide/A.md#b-part"),
    ("docs/guide/A.md", "(#a-part)", "(#c-part)", "there is no heading for #c-part"),
    ("docs/guide/A.md", "This page is for", "For", "does not open with a heading and what it is for"),
    ("docs/README.md", "[A](guide/A.md)", "A", "no row for guide/A.md"),
    ("docs/guide/RUN.md", "| 0, 3 |", "| 0 |", "EXIT-STATUS.md has 3 too"),
    ("docs/guide/RUN.md", "| other |", "| other, 9 |", "EXIT-STATUS.md has no 9"),
    ("docs/README.txt", "docs/guide/A.md", "docs/A.md", "there is no docs/A.md"),
)


class Documents(unittest.TestCase):
    def faults(self, changes=()):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for path, text in PAGES.items():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                for page, old, new in changes:
                    text = text.replace(old, new) if page == path else text
                (root / path).write_text(text, encoding="utf-8")
            return [what for _, _, what in check_docs.faults(root)]

    def test_whole(self):
        self.assertEqual(self.faults(), [])

    def test_broken(self):
        for page, old, new, said in BROKEN:
            with self.subTest(said=said):
                self.assertIn(old, PAGES[page])
                self.assertTrue(any(said in what for what in self.faults([(page, old, new)])), said)

    def test_anchors(self):
        text = "# `rsan fix`: a [link](x.md)\n## Twice\n## Twice\n```\n# none\n```\n"
        self.assertEqual(check_docs.anchors(text), {"rsan-fix-a-link", "twice", "twice-1"})


PAGE = """# A

This page is for a test.

    $ echo one two
    one two
    $ printf 'pid=%s\\n' $$ a b
    pid=1
    ...
    pid=b
    $ exit 3
    $ echo $?
    3

```
$ echo three
three
```
"""


class Commands(unittest.TestCase):
    def faults(self, text):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "examples").mkdir()
            (root / "eval/synthetic").mkdir(parents=True)
            (root / "A.md").write_text(text, encoding="utf-8")
            page = check_commands.Page(root, "A.md", root / "bin", root / "work")
            return list(check_commands.faults("A.md", page.transcripts()))

    def test_right(self):
        self.assertEqual(self.faults(PAGE), [])
        self.assertEqual(sum(len(check_commands.steps(block)) for block in check_commands.blocks(PAGE)), 5)

    def test_wrong(self):
        for old, new in (("    one two\n", "    one\n"), ("    pid=b\n", "    pid=c\n"), ("    3\n", "    4\n"), ("three\n```", "four\n```"),
                         ("    one two\n", ""), ("    ...\n", ""), ("    pid=b\n", "    pid=b\n    more\n")):  # fmt: skip
            with self.subTest(old=old, new=new):
                self.assertEqual(len(self.faults(PAGE.replace(old, new, 1))), 1)

    def test_rest_of_a_line(self):
        self.assertTrue(check_commands.matches(["one ..."], ["one two"]))
        self.assertFalse(check_commands.matches(["two ..."], ["one two"]))

    def test_records(self):
        page = check_commands.Page.__new__(check_commands.Page)
        page.path, page.text = "A.md", "# A\n\n    $ slow\n    done\n"
        note = {"page": "A.md", "command": "slow", "status": 0, "output": ["done"]}
        for records, wrong in (([note], 0), ([], 1), ([note | {"command": "other"}], 1), ([note | {"output": ["failed"]}], 1)):
            self.assertEqual(len(list(check_commands.faults("A.md", page.recorded(records)))), wrong, records)

    def test_options(self):
        known = {("rsan", "run"): {"--jobs", "-n", "--time"}}
        for line, wrong in (("rsan run -n 3 --jobs=2 -- ./x --no", 0), ("$ rsan run --jbos 2", 1), ("make && rsan run -q", 1), ("rsan dance --jbos", 0)):
            text = f"# A\n\n    {line}\n"
            self.assertEqual(len(list(check_commands.check_usage("A.md", text, None, known))), wrong, line)

    def test_pages_of_the_lists(self):
        """The pages whose commands are recorded are there, and have commands."""
        root = HERE.parent.parent
        for path in (f"docs/guide/{name}.md" for name in check_commands.RECORDED):
            self.assertTrue(re.search(r"^ *\$ ", (root / path).read_text(encoding="utf-8"), re.M), path)


if __name__ == "__main__":
    unittest.main()
