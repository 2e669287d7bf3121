# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""test_output.py FOLDER: does output.write replace what it may, and nothing else?"""

import os
import pathlib
import shutil
import sys
import threading
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import output  # noqa: E402

FOLDER = None


class Output(unittest.TestCase):
    def setUp(self):
        shutil.rmtree(FOLDER, ignore_errors=True)
        FOLDER.mkdir(parents=True)
        self.path = FOLDER / "results"

    def test_replaced(self):
        output.write(self.path, "first")
        self.path.chmod(0o604)
        with open(self.path, encoding="utf-8") as old:
            output.write(self.path, "second")
            self.assertEqual(old.read(), "first")
        self.assertEqual(self.path.read_text(), "second")
        self.assertEqual(self.path.stat().st_mode & 0o7777, 0o604)
        self.assertEqual(os.listdir(FOLDER), ["results"])

    def test_link(self):
        self.path.symlink_to("target")
        for text in ("first", "second"):
            output.write(self.path, text)
            self.assertTrue(self.path.is_symlink())
            self.assertEqual((FOLDER / "target").read_text(), text)

    def test_fifo(self):
        os.mkfifo(self.path)
        read = []
        reader = threading.Thread(target=lambda: read.append(self.path.read_text()))
        reader.start()
        output.write(self.path, "text")
        reader.join()
        self.assertEqual(read, ["text"])
        self.assertTrue(self.path.is_fifo())

    def test_failure(self):
        self.path.write_text("old")
        with self.assertRaises(UnicodeError):
            output.write(self.path, "\ud800")
        with self.assertRaises(OSError):
            output.write(FOLDER / "none" / "results", "new")
        with self.assertRaises(OSError):
            output.write(FOLDER, "new")
        self.assertEqual(self.path.read_text(), "old")
        self.assertEqual(os.listdir(FOLDER), ["results"])


if __name__ == "__main__":
    FOLDER = pathlib.Path(sys.argv.pop(1))
    unittest.main()
