# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_edit.py RSAN-EDIT CLANG APPLY FOLDER CASES: does rsan-edit make of each case what it should?

CASES has a head, which goes before every source, and cases:

    == NAME: RULE          such as fence-after, or `order acq_rel'; more with `; '
    source, with an @ before the access (@1, @2 ... for the rules in turn)
    --                     then the source as it must be, with FENCE for a fence;
    -- refused: TEXT       or, the source staying as it is, a part of the reason

f( is another function in each. The diff must make the same of it as --write, which writes
nothing while a rule is refused; what comes out must compile without warnings, and the
replacements, by clang-apply-replacements (APPLY), the same as the diff.
"""

import difflib
import os
import re
import subprocess
import sys

FENCE = {
    "c": "atomic_thread_fence(memory_order_seq_cst)",
    "cpp": "std::atomic_thread_fence(std::memory_order_seq_cst)",
    "builtin": "__atomic_thread_fence(__ATOMIC_SEQ_CST)",
}


class Case:
    def __init__(self, text, number, language):
        title, body = text.split("\n", 1)
        self.name, rules = title.split(": ", 1)
        self.rules = rules.split("; ")
        source, refused, expected = re.split(r"^--( refused: .*)?\n", body, flags=re.M)
        self.refused = refused and refused[10:]
        # All cases are in one file.
        source, expected = (re.sub(r"\bf\(", f"f{number}(", part) for part in (source, expected))
        if language == "builtin":
            source, expected = (part.replace("  ", "\t") for part in (source, expected))
        self.source, self.places = take_marks(source)
        self.expected = self.source if self.refused else expected.replace("FENCE", FENCE[language])


def read_cases(path, language):
    """The head, and lists of cases that make a file; one that must not disturb others is `alone'."""
    with open(path, encoding="utf-8") as file:
        head, *cases = re.split(r"^== ", file.read(), flags=re.M)
    head = "".join(line for line in head.splitlines(True) if not line.startswith("#!"))
    cases = [Case(text, number, language) for number, text in enumerate(cases)]
    files = [[case] for case in cases if case.name.startswith("alone ")]
    return head, [[case for case in cases if [case] not in files], *files]


def take_marks(text):
    """The text without marks, and where they were: {number: (line, column)}."""
    places, lines = {}, []
    for number, line in enumerate(text.split("\n"), 1):
        while mark := re.search(r"@(\d?)", line):
            places[int(mark[1] or 1)] = (number, mark.start() + 1)
            line = line[: mark.start()] + line[mark.end() :]
        lines.append(line)
    return "\n".join(lines), places


def run(command, **more):
    return subprocess.run(command, capture_output=True, text=True, **more)


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def check_refused(case, rules, errors):
    for rule in rules:
        found = re.search(re.escape(rule.split(" ")[-1]) + ": .*: not edited: (.*)", errors)
        if case.refused and not (found and case.refused in found[1]):
            return f"{case.name}: refused for `{case.refused}', it says: {found and found[1]}"
        if found and not case.refused:
            return f"{case.name}: {found[0]}"
    return None


def check(edit, clang, apply, folder, language, head, cases):
    kind = "c" if language == "builtin" else language
    name = os.path.join(folder, "source." + kind)
    text, wanted, rules, asked = head, head, [], []
    for case in cases:
        line = text.count("\n")
        own = [
            f"{rule} {name}:{line + case.places[number][0]}:{case.places[number][1]}"
            for number, rule in enumerate(case.rules, 1)
        ]
        text, wanted, rules = text + case.source, wanted + case.expected, rules + own
        asked.append((case, own))
    write(name, text)
    write(os.path.join(folder, "rules"), "\n".join(rules) + "\n")
    flags = ["-std=c++20"] if kind == "cpp" else []
    os.makedirs(os.path.join(folder, "replacements"), exist_ok=True)
    done = run([edit, "--yaml", "replacements/all.yaml", "--write", "rules", "--", *flags], cwd=folder)
    refused = any(case.refused for case in cases)
    partly = refused and read(name) != text
    if refused:  # then nothing was written, and it is for the others
        written_rules = [rule for case, own in asked for rule in own if not case.refused]
        write(os.path.join(folder, "others"), "".join(f"{rule}\n" for rule in written_rules))
        others = run([edit, "--write", "others", "--", *flags], cwd=folder)
        if others.returncode != 0 or others.stdout != done.stdout:
            done.stderr += f"without the refused rules: {others.returncode}, {others.stderr}"
            partly = True
    failures = [check_refused(case, own, done.stderr) for case, own in asked]
    failures = [failure for failure in failures if failure]
    if done.returncode != refused or partly:
        failures.append(f"exit status {done.returncode}: {done.stderr}")
    if read(name) != wanted:
        lines = difflib.unified_diff(wanted.split("\n"), read(name).split("\n"), "wanted", "found", n=9, lineterm="")
        failures.append("\n".join(lines))
    written = read(name)
    write(name, text)
    applied = run([apply, "replacements"], cwd=folder)
    if applied.returncode != 0 or read(name) != written:
        failures.append(f"the replacements differ from what was written: {applied.stderr}")
    compiled = run([clang, *flags, "-fsyntax-only", "-Wall", "-Wextra", "-Werror", name])
    if compiled.returncode != 0:
        failures.append(compiled.stderr)
    write(name, text)
    run(["patch", "-p1", "--no-backup-if-mismatch"], cwd=folder, input=done.stdout)
    if read(name) != wanted:
        failures.append("the diff differs from what was expected")
    return failures


def main():
    edit, clang, apply, folder, path = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    language = re.split("[-.]", os.path.basename(path))[0]
    head, files = read_cases(path, language)
    failures = []
    for cases in files:
        failures += check(edit, clang, apply, folder, language, head, cases)
    print(*failures, f"{sum(map(len, files))} cases, {len(failures)} failures", sep="\n")
    return bool(failures) or not files[0]


if __name__ == "__main__":
    sys.exit(main())
