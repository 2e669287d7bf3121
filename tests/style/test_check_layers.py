# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_layers.py finds each kind of breach in a small part, and nothing in the same part without it."""

import os
import tempfile
import unittest

import check_layers

LAYERS = "part src # the program\nstart # first\nop\nbase\nport\nonly tsan_*.h in port\nwhere LLVM in port\n"
TREE = {
    "start/main.cpp": '#include "op/op.h"\nvoid Start() {\n  Run();\n}\n',
    "op/op.h": '#include "base/base.h"\nvoid Run();\n',
    "op/op.cpp": '#include "op.h"\nstatic void Own() {\n}\nvoid Run() {\n  Own();\n  Note();\n  table.start();\n}\n',
    "op/deep/more.inc": "static void Inner() {\n  Run();\n}\n",
    "base/base.h": '#include "port/port.h"\nvoid Note();\n',
    "base/base.cpp": "static void Own() {\n}\nvoid Note() {\n  Own();\n}\n",
    "port/port.h": '#include "tsan_rtl.h"\n#if LLVM >= 22\nusing Id = ThreadID;\n#else\nusing Id = tid_t;\n#endif\n'
    "inline int Ask() {\n#if LLVM >= 22\n  return Tell(1);\n#else\n  return Tell();\n#endif\n}\nint Same();\n",
}


class CheckLayers(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = folder.name

    def check(self, changes, layers=LAYERS):
        for path, text in {**TREE, **changes}.items():
            whole = os.path.join(self.root, "src", path)
            os.makedirs(os.path.dirname(whole), exist_ok=True)
            with open(whole, "w", encoding="utf-8") as file:
                file.write(text)
        return [line for part in check_layers.read_layers(layers) for line in check_layers.breaches(self.root, *part)]

    def bad(self, path, more, expected):
        self.assertEqual(self.check({}), [])
        self.assertEqual(self.check({path: TREE.get(path, "") + more}), [expected])

    def test_include_upwards(self):
        for name in ("op/op.h", "../op/op.h", "src/op/op.h"):
            self.bad("base/base.h", f'#include "{name}"\n', "src/base/base.h: includes op/op.h, which is in a higher layer")

    def test_call_upwards(self):
        expected = "src/base/base.cpp: calls Run of op/op.cpp, which is in a higher layer"
        for name in ("Run();", "void (*f)() = Run;"):
            self.bad("base/base.cpp", f"void More() {{\n  {name}\n}}\n", expected)

    def test_call_from_below_a_layer(self):
        self.bad(
            "op/deep/more.inc",
            "static void Begin() {\n  Start();\n}\n",
            "src/op/deep/more.inc: calls Start of start/main.cpp, which is in a higher layer",
        )

    def test_no_call(self):
        for text in ("// Run()\n", "void More() {\n  table.Run();\n  Puts(\"Run\");\n}\n", "static void Inner() {\n  Inner();\n}\n"):
            self.assertEqual(self.check({"base/more.cpp": text}), [])

    def test_where(self):
        for name in ("Tell", "ThreadID", "tid_t"):
            self.bad("base/base.h", f"int i = {name}();\n", f"src/base/base.h: uses {name}, which differs by LLVM: port has a name for it")

    def test_not_where(self):
        for text in ("// Tell()\n", 'char c[] = "Tell";\n', "int i = Ask();\n", "int i = Same();\n", "int i = Teller();\n"):
            self.assertEqual(self.check({"base/more.h": text}), [])

    def test_only(self):
        self.bad("op/op.h", '#include "tsan_mman.h"\n', "src/op/op.h: includes tsan_mman.h, which only port may")

    def test_no_layer(self):
        self.assertEqual(self.check({"more/more.cpp": ""}), ["src/more: no layer has it"])

    def test_no_sources(self):
        self.assertEqual(self.check({}, LAYERS.replace("base\n", "base\nrace\n")), ["src/race: a layer without sources"])

    def test_program(self):
        self.check({})
        file = os.path.join(self.root, "layers")
        for layers, status in ((LAYERS, 0), (LAYERS.replace("op\nbase", "base\nop"), 1)):
            with open(file, "w", encoding="utf-8") as text:
                text.write(layers)
            self.assertEqual(check_layers.main([file, self.root]), status)


if __name__ == "__main__":
    unittest.main()
