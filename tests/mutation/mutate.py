# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Do the random tests notice an error in the core? An error is an edit of a symbol's text.

mutate.py TABLE NAME CORE WORK CC FLAGS... -- LINKED...
mutate.py --fit CORE TABLE...

Builds the core in CORE with the mutation NAME of TABLE, in the folder WORK, links it before LINKED,
which has the core as it should be, and makes the random tests that TABLE names, until one ends with
a difference. Succeeds if one does: the mutation is noticed. NAME may be `none`, the core without an
error: then it succeeds if there is no difference. With --fit, nothing is built: it succeeds if each
mutation of the tables can be made in the core as it stands, and says of each other one why not.

A table is a text file. Empty lines and lines that begin with # do not count:

    runs MODE ARGUMENT...                      one run of the table's program; they may be several

    NAME: One sentence that says what is broken,
      which goes on in indented lines.
    runs MODE ARGUMENT...                      instead of the table's runs, for this mutation
    in SYMBOL                                  a function, or the tag of a struct, union or enum
    - the text that goes                       several lines are one text
    + the text that comes
    - another text of the same symbol          one without + lines only goes; then `in` stands again

A symbol is found wherever in the core it is defined. The text that goes has to be in it once;
neither blanks, line ends nor comments count.
"""

import collections
import functools
import os
import re
import shutil
import subprocess
import sys

COMMENT_OR_STRING = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
TOKEN = re.compile(r'"(?:\\.|[^"\\\n])*"|\w+|[^\w\s]')
PAIRS = {"(": ")", "{": "}"}


NOT_NOTICED = "not noticed: choose runs that notice it (more, another seed), or write a test that does"
Edit = collections.namedtuple("Edit", "symbol goes comes")


class Misfit(Exception):
    """A mutation that cannot be made or built; the text is one line that says what to do."""


class Mutation:
    def __init__(self, runs):
        self.runs, self.edits = runs, []


def read_table(path):
    """The table's mutations by name; `none` is one without an edit."""
    runs, mutations, mutation = [], {"none": Mutation([])}, None
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    for number, line in enumerate(lines, 1):
        head = re.match(r"([a-z][\w-]*): \S", line)
        if not line or line.startswith("#") or (line.startswith("  ") and mutation and not mutation.edits):
            pass
        elif line.startswith("runs "):
            (mutation.runs if mutation else runs).append(line.split()[1:])
        elif head and head.group(1) not in mutations:
            mutation = mutations[head.group(1)] = Mutation([])
        elif line.startswith("in ") and mutation:
            mutation.edits.append(Edit(line[3:], "", ""))
        elif line[:2] in ("- ", "+ ") and mutation and mutation.edits:
            add_line(mutation.edits, line)
        else:
            raise Misfit(f"{path}:{number}: no line of a table; the head of mutate.py says what is")
    for mutation in mutations.values():
        mutation.runs = mutation.runs or runs
    return mutations


def add_line(edits, line):
    edit = edits[-1]
    if line[0] == "+":
        edits[-1] = edit._replace(comes=edit.comes + line[2:] + "\n")
    elif edit.comes:
        edits.append(Edit(edit.symbol, line[2:] + "\n", ""))
    else:
        edits[-1] = edit._replace(goes=edit.goes + line[2:] + "\n")


@functools.lru_cache(maxsize=512)
def without_comments(text):
    """The same text with blanks for the characters of comments."""

    def blank(match):
        return match.group() if match.group()[0] in "\"'" else re.sub(r"[^\n]", " ", match.group())

    return COMMENT_OR_STRING.sub(blank, text)


def after_closing(text, start):
    """The end of the bracket that opens at `start`."""
    opening, depth = text[start], 0
    for at in range(start, len(text)):
        depth += (text[at] == opening) - (text[at] == PAIRS[opening])
        if not depth:
            return at + 1
    return len(text)


def definitions(text, symbol):
    """(start, end) of each definition of the symbol; `text` is without comments."""
    for match in re.finditer(rf"\b{re.escape(symbol)}\s*(?=\()", text):
        end = after_closing(text, match.end())
        body = re.compile(r"(?:\)\[\w+\])?[\w\s]*(?=\{)").match(text, end)
        if body:
            yield match.start(), after_closing(text, body.end())
    for match in re.finditer(rf"\b(?:struct|union|enum)\s+{re.escape(symbol)}\s*(?=\{{)", text):
        yield match.start(), after_closing(text, match.end())


def read_sources(core):
    """The texts of the core's files, by their paths in it."""
    texts = {}
    for folder, _, names in os.walk(core):
        for name in sorted(names):
            if name.endswith((".c", ".h")):
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    texts[os.path.relpath(file.name, core)] = file.read()
    return texts


def make_edit(texts, edit):
    """Changes one of `texts`."""
    goes = TOKEN.findall(without_comments(edit.goes))
    pattern = re.compile(r"\s*".join(re.escape(token) for token in goes))
    files, places = [], []
    for path, text in texts.items():
        bare = without_comments(text) if edit.symbol in text else ""
        for start, end in definitions(bare, edit.symbol):
            files.append(path)
            places += [(path, *match.span()) for match in pattern.finditer(bare, start, end)]
    if not files:
        raise Misfit(
            f"nothing in the core is called {edit.symbol}: name what has the text now, or delete the "
            "mutation if its rule is gone"
        )
    if not goes or len(places) != 1:
        raise Misfit(
            f"{edit.symbol} ({', '.join(files)}) has the text '{' '.join(edit.goes.split())}' "
            f"{len(places)} times, not once: write it as it stands there now, with what tells it apart"
        )
    path, start, end = places[0]
    texts[path] = texts[path][:start] + edit.comes + texts[path][end:]


def includes(texts, path):
    for name in re.findall(r'^#include "(.*)"', texts[path], re.M):
        for found in (os.path.normpath(os.path.join(os.path.dirname(path), name)), name):
            if found in texts:
                yield found
                break


def changed_sources(old, new):
    """The sources that differ, or include a file that does."""
    changed = {path for path in new if new[path] != old[path]}
    while more := {path for path in new if changed & set(includes(new, path))} - changed:
        changed |= more
    return sorted(path for path in changed if path.endswith(".c"))


def build(mutation, core, work, compiler, flags, linked):
    """The random tests with the mutated core."""
    old = read_sources(core)
    new = dict(old)
    for edit in mutation.edits:
        make_edit(new, edit)
    shutil.rmtree(work, ignore_errors=True)
    for path, text in new.items():
        os.makedirs(os.path.dirname(os.path.join(work, path)), exist_ok=True)
        with open(os.path.join(work, path), "w", encoding="utf-8") as file:
            file.write(text)
    objects = []
    for path in changed_sources(old, new):
        objects.append(os.path.join(work, path + ".o"))
        command = [compiler, *flags, "-ffreestanding", "-I", work, "-c", os.path.join(work, path)]
        if subprocess.run([*command, "-o", objects[-1]], check=False).returncode:
            raise Misfit(f"{path} does not compile with the mutation: write the `+` lines anew")
    # What has changed stands before the archive that has it unchanged.
    program = os.path.join(work, "random-tests")
    if subprocess.run([compiler, *flags, "-o", program, *objects, *linked], check=False).returncode:
        raise Misfit("the core does not link with the mutation: write the `+` lines anew")
    return program


def notices(program, run):
    """Does that run of the random tests end with a difference?"""
    # `output` may have what no program should print.
    ended = subprocess.run([program, *run], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    output = ended.stdout.decode(errors="replace")
    print(" ".join(run), output, sep="\n", flush=True)
    # A VERIFY build sees it by itself, and a crash is noticed as well.
    if re.search("^(difference|internal error of RSan): ", output, re.M) or ended.returncode < 0:
        return True
    if ended.returncode:
        raise Misfit(f"the random tests ended with status {ended.returncode}, without a difference")
    return False


def fit(core, *tables):
    """Can each mutation of the tables be made in the core?"""
    texts, status = read_sources(core), 0
    for table in tables:
        for name, mutation in read_table(table).items():
            try:
                changed = dict(texts)
                for edit in mutation.edits:
                    make_edit(changed, edit)
            except Misfit as misfit:
                print(f"{name} in {table}: {misfit}")
                status = 1
    return status


def main(arguments):
    if arguments[0] == "--fit":
        return fit(*arguments[1:])
    table, name, core, work, compiler = arguments[:5]
    flags, linked = arguments[5 : arguments.index("--")], arguments[arguments.index("--") + 1 :]
    mutation = read_table(table)[name]
    try:
        program = build(mutation, core, work, compiler, flags, linked)
        noticed = any(notices(program, run) for run in mutation.runs)
    except Misfit as misfit:
        print(f"{name} in {table}: {misfit}")
        return 1
    if noticed != bool(mutation.edits):
        print(f"{name} in {table}: " + ("a difference without a mutation" if noticed else NOT_NOTICED))
        return 1
    shutil.rmtree(work)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except Misfit as of_table:
        sys.exit(str(of_table))
