# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What compare.py objects to, on invented results; each objection beside the results that it must accept."""

import unittest

import compare

LISTED = {"a.c": (["rsan"], "why")}


def judge(stock, rsan, exceptions=None, least=1):
    results = {"rsan": {"a.c": rsan, "b.c": "PASS"}}
    if stock:
        results = {"stock": {"a.c": stock, "b.c": "PASS"}, **results}
    return compare.judge(results, exceptions or {}, least)


class Judge(unittest.TestCase):
    def accepts(self, *arguments, **named):
        self.assertEqual(judge(*arguments, **named), [])

    def objects(self, text, *arguments, **named):
        problems = judge(*arguments, **named)
        self.assertEqual(len(problems), 1, problems)
        self.assertIn(text, problems[0])

    def test_worse_than_stock(self):
        self.objects("rsan: a.c: FAIL", "PASS", "FAIL")
        self.objects("rsan: a.c: UNSUPPORTED", "PASS", "UNSUPPORTED")
        self.objects("rsan: a.c: XPASS", "XFAIL", "XPASS")
        self.accepts("PASS", "PASS")
        self.accepts("XFAIL", "XFAIL")

    def test_not_worse_than_stock(self):
        self.accepts("FAIL", "FAIL")
        self.accepts("FAIL", "PASS")
        self.accepts("UNSUPPORTED", "UNSUPPORTED")

    def test_explained(self):
        self.accepts("PASS", "FAIL", exceptions=LISTED)
        self.objects("rsan: a.c: FAIL", "PASS", "FAIL", exceptions={"a.c": (["races"], "why")})

    def test_out_of_date(self):
        self.objects("a.c is listed as an exception, but passes", "PASS", "PASS", exceptions=LISTED)
        self.objects("no such test", "PASS", "PASS", exceptions={"c.c": (["rsan"], "why")})

    def test_either(self):
        self.accepts("PASS", "PASS", exceptions={"a.c": (["rsan?"], "why")})
        self.accepts("PASS", "FAIL", exceptions={"a.c": (["rsan?"], "why")})
        self.objects("rsan: a.c: FAIL", "PASS", "FAIL", exceptions={"a.c": (["races?"], "why")})

    def test_without_stock(self):
        self.objects("rsan: a.c: FAIL", None, "FAIL")
        self.accepts(None, "PASS")
        self.accepts(None, "UNSUPPORTED")
        self.accepts(None, "FAIL", exceptions=LISTED)

    def test_too_few(self):
        self.objects("1 tests passed", None, "UNSUPPORTED", least=2)
        self.accepts(None, "PASS", least=2)


class Exceptions(unittest.TestCase):
    def test_read(self):
        lines = ["# comment", "", "a.c | rsan, races | why | or so"]
        self.assertEqual(compare.read_exceptions(lines), {"a.c": (["rsan", "races"], "why | or so")})

    def test_refused(self):
        for lines in (["a.c | rsan"], ["a.c | rsan |"], ["a.c | rsan | why", "a.c | races | why"]):
            with self.assertRaises(ValueError):
                compare.read_exceptions(lines)


if __name__ == "__main__":
    unittest.main()
