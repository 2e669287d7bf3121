# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sources of C and C++, their includes, and the calls between files, for check_core.py and check_layers.py."""

import collections
import os
import re
import subprocess

COMMENT_OR_STRING = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include "(.*)"', re.M)
MACRO_CALL = re.compile(r"[A-Z_0-9]+\(")


def read_sources(root, endings=(".c", ".cpp", ".h", ".inc")):
    """{path below the root: text}"""
    texts = {}
    for folder, _, names in os.walk(root):
        for name in names:
            if name.endswith(endings):
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    texts[os.path.relpath(file.name, root)] = file.read()
    return dict(sorted(texts.items()))


def blank(match):
    return re.sub(r"[^\n]", " ", match.group())


def functions(root, texts):
    """By ctags: [(file, first line, last line, name, is it seen in its own file alone)]"""
    command = ["ctags", "-f", "-", "--fields=+ne", "--sort=no", "--languages=C++", "--langmap=C++:.c.cpp.h.inc",
               "--kinds-C++=f", "-L", "-"]  # fmt: skip
    run = subprocess.run(command, cwd=root, input="\n".join(texts), capture_output=True, text=True, check=True)
    lines = {path: text.split("\n") for path, text in texts.items()}
    for line in run.stdout.splitlines():
        name, path, *rest = line.split("\t")
        fields = dict(field.split(":", 1) for field in rest if ":" in field)
        if "end" not in fields:
            continue
        begin = int(fields["line"])
        text = lines[path][begin - 1]
        member = "class" in fields or "struct" in fields
        alone = member or MACRO_CALL.match(text) or (re.match(r".*\bstatic\b", text) and not path.endswith(".h"))
        yield path, begin, int(fields["end"]), name, alone


def calls(root, texts):
    """(calling file, file with the function, its name)"""
    found = list(functions(root, texts))
    defined = collections.defaultdict(set)
    own = {(path, name) for path, _, _, name, _ in found}
    for path, _, _, name, alone in found:
        if not alone and name != "main":
            defined[name].add(path)
    code = {path: COMMENT_OR_STRING.sub(blank, text).split("\n") for path, text in texts.items()}
    for path, first, last, _, _ in found:
        for word in sorted(set(re.findall(r"(?<![.>])\b\w+", "\n".join(code[path][first - 1 : last])))):
            for target in defined.get(word, ()):
                if (path, word) not in own:
                    yield path, target, word
