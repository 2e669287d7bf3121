# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Do the folders of a part of the tree need each other in one direction? One line for each breach.

usage: check_layers.py LAYERS ROOT   checks the parts that LAYERS names; exit status 1 if there is a breach

LAYERS is a text: `part FOLDER` begins a part, and each line after it is one of its folders, the
highest first. `.` is the part's own folder. A folder
that is not in the list belongs to the nearest one above it that is.

1. Each folder that has sources is in the list, and each that is listed has some.
2. Includes and calls go to the folder itself or to one that is listed after it.
3. `only PATTERN in FOLDER`: no other folder of the part includes a header of that pattern.
4. `where MACRO in FOLDER`: what differs by MACRO is hidden there. A function that a header of that folder calls between
   `#if MACRO` and `#endif`, or a type that it gives a name there, is used in no other folder.

A call is the name of another folder's function in a function's body. What a folder has to call in
a higher one is a member of a table of functions, which the highest one fills in.
"""

import fnmatch
import os
import re
import sys

from sources import COMMENT_OR_STRING, INCLUDE, blank, calls, read_sources


def read_layers(text):
    """[(folder of the part, [folders], [(pattern, folder)], [(macro, folder)])]"""
    parts = []
    for line in text.splitlines():
        words = line.partition("#")[0].split()
        if not words:
            continue
        if words[0] == "part":
            parts.append((words[1], [], [], []))
        elif words[0] in ("only", "where"):
            parts[-1][2 if words[0] == "only" else 3].append((words[1], words[3]))
        else:
            parts[-1][1].append(words[0])
    return parts


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


def hidden(macro, text):
    """the functions that are called, and the types that are named, where the text depends on the macro"""
    names = set()
    for body in re.findall(rf"^#if {macro}\b.*?^#endif", text, re.MULTILINE | re.DOTALL):
        names |= set(re.findall(r"return (\w+)\(|^using \w+ = (\w+);", body, re.MULTILINE))
    return {one for pair in names for one in pair if one}


def uses(texts, folders, macro, folder):
    """(file, name)"""
    inside = {path for path in texts if folder_of(path, folders) == folder}
    names = {name for path in inside if path.endswith(".h") for name in hidden(macro, texts[path])}
    for path in sorted(texts.keys() - inside):
        words = set(re.findall(r"\w+", COMMENT_OR_STRING.sub(blank, texts[path])))
        yield from ((path, name) for name in sorted(words & names))


def breaches(root, part, folders, only, where):
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
    for macro, folder in where:
        for path, name in uses(texts, folders, macro, folder):
            yield f"{part}/{path}: uses {name}, which differs by {macro}: {folder} has a name for it"


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
