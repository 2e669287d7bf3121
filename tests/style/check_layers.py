# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Do the folders of a part of the tree need each other in one direction? One line for each breach.

usage: check_layers.py LAYERS ROOT   checks the parts that LAYERS names; exit status 1 if there is a breach

LAYERS is a text: `part FOLDER` begins a part, and each line after it is one of its folders, the
highest first. `.` is the part's own folder. A folder
that is not in the list belongs to the nearest one above it that is.

1. Each folder that has sources is in the list, and each that is listed has some.
2. Includes and calls go to the folder itself or to one that is listed after it.
3. `only PATTERN in FOLDER`: no other folder of the part includes a header of that pattern.

A call is the name of another folder's function in a function's body. What a folder has to call in
a higher one is a member of a table of functions, which the highest one fills in.
"""

import collections
import fnmatch
import os
import re
import subprocess
import sys

SOURCES = (".c", ".cpp", ".h", ".inc")
COMMENT_OR_STRING = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include "(.*)"', re.M)
MACRO_CALL = re.compile(r"[A-Z_0-9]+\(")


def read_layers(text):
    """[(folder of the part, [folders], [(pattern, folder)])]"""
    parts = []
    for line in text.splitlines():
        words = line.partition("#")[0].split()
        if not words:
            continue
        if words[0] == "part":
            parts.append((words[1], [], []))
        elif words[0] == "only":
            parts[-1][2].append((words[1], words[3]))
        else:
            parts[-1][1].append(words[0])
    return parts


def read_sources(root):
    texts = {}
    for folder, _, names in os.walk(root):
        for name in names:
            if name.endswith(SOURCES):
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    texts[os.path.relpath(file.name, root)] = file.read()
    return dict(sorted(texts.items()))


def blank(match):
    return re.sub(r"[^\n]", " ", match.group())


def folder_of(path, folders):
    """The folder in the list that is nearest above the file, or the file's own."""
    folder = os.path.dirname(path) or "."
    while folder not in folders and os.path.dirname(folder):
        folder = os.path.dirname(folder)
    return folder if folder in folders else os.path.dirname(path) or "."


def includes(part, texts):
    """(including file, included file of the part)"""
    for path, text in texts.items():
        for name in INCLUDE.findall(text):
            folders = [os.path.dirname(path)]
            while folders[-1]:
                folders.append(os.path.dirname(folders[-1]))
            near = [os.path.normpath(os.path.join(folder, name)) for folder in folders]
            found = next((one for one in (*near, os.path.relpath(name, part)) if one in texts), None)
            if found:
                yield path, found


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


def breaches(root, part, folders, only):
    texts = read_sources(os.path.join(root, part))
    found = {folder_of(path, folders) for path in texts}
    for folder in sorted(found - set(folders)):
        yield f"{part}/{folder}: no layer has it"
    for folder in sorted(set(folders) - found):
        yield f"{part}/{folder}: a layer without sources"
    level = {folder: i for i, folder in enumerate(folders)}

    def is_upwards(a, b):
        a, b = folder_of(a, folders), folder_of(b, folders)
        return a in level and b in level and level[a] > level[b]

    for a, b in includes(part, texts):
        if is_upwards(a, b):
            yield f"{part}/{a}: includes {b}, which is in a higher layer"
    for a, b, name in sorted(set(calls(os.path.join(root, part), texts))):
        if is_upwards(a, b):
            yield f"{part}/{a}: calls {name} of {b}, which is in a higher layer"
    for pattern, folder in only:
        for path, text in texts.items():
            for name in INCLUDE.findall(text):
                if fnmatch.fnmatch(os.path.basename(name), pattern) and folder_of(path, folders) != folder:
                    yield f"{part}/{path}: includes {name}, which only {folder} may"


def main(arguments):
    if len(arguments) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    with open(arguments[0], encoding="utf-8") as file:
        parts = read_layers(file.read())
    wrong = [line for part in parts for line in breaches(arguments[1], *part)]
    print(*wrong, f"{len(wrong)} breaches" + (": see the head of check_layers.py" if wrong else ""), sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
