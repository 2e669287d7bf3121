# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the tests of crates report (eval/rust/crates), and what it is worth: eval/rust/notes, in the form of eval/races/notes.

The raw record, one a crate, and one with `tool` in its key, which is ThreadSanitizer's, without violations:

    version, status          of the crate; of `cargo rsan test`, with `evidence` if it is not 0
    passed, failed, ignored  tests
    violations               [[access, write that it may miss, {target: answer}], ...], each pair of sites once
    races                    [[site, site], ...]
    others                   kinds of ThreadSanitizer's other reports

A site is `FILE:LINE FUNCTION`, FILE from the folder of the crate on, without its version; the line is 0 where the compiler has merged
several.
"""
import collections
import fnmatch
import pathlib
import re

import compare
import reports
from tables import row

NOTES = pathlib.Path(__file__).resolve().parents[1] / "rust/notes"
CRATE = re.compile(r"(?:.*?/)?([a-z_-]+?)(?:-\d[^/]*)?/((?:src|tests)/.*)")
LIBRARY = "/rustlib/"  # part of the names of the standard library's files
TSAN_FORMAT = "stack_trace_format='    #%n %S %f'"  # as `reports` reads it
ORDER = {"defect": 0, "delay": 1, "harmless": 2}


def load_notes():
    return compare.load_notes(NOTES)


def movable(text, folder):
    """Without the name of the folder in which all of this was done: no result depends on it."""
    return text.replace(f"{folder}/", "")


def own_name(function):
    """`steal` of `<crossbeam_deque::deque::Stealer<usize>>::steal` and of closures in it."""
    kept, depth = [], 0
    for char in function:
        depth += char in "<{("
        if depth == 0:
            kept.append(char)
        depth -= char in ">})"
    parts = [part for part in "".join(kept).split("::") if part]
    return parts[-1] if parts else "?"


def site(access):
    frame = access.get("place") or (access.get("stack") or [{}])[0]
    found = CRATE.match(frame.get("file", ""))
    file = f"{found[1]}/{found[2]}" if found else frame.get("file", "?")
    return f"{file}:{frame.get('line', 0)} {own_name(frame.get('function', '?'))}"


def condense(records):
    violations, races = {}, set()
    for record in records:
        sites = tuple(site(access) for access in record.get("accesses", [])[:2])
        if record["type"] == compare.VIOLATION:
            violations[sites] = reports.stronger(violations.get(sites, {}), record.get("targets", {}))
        else:
            races.add(tuple(sorted(sites)))
    return {"violations": [[*sites, targets] for sites, targets in sorted(violations.items())], "races": sorted(map(list, races))}


def wrapper_files(path):
    """The patterns of files whose functions are passed over, of a file for wrappers=."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return [line.removeprefix("src:") for line in lines if line.startswith("src:")]


def tsan_site(stack, wrappers):
    """The innermost function that is neither the standard library's nor a wrapper, as RSan names a place."""
    frames = []
    for place, function in stack:
        file, line = re.fullmatch(r"(.*?)(?::(\d+))?(?::\d+)?", place).groups()
        if CRATE.match(file) and LIBRARY not in file and not any(fnmatch.fnmatch(file, one) for one in wrappers):
            frames.append({"file": file, "line": int(line or 0), "function": function})
    return site({"stack": frames})


def condense_tsan(text, wrappers):
    races, others = set(), []
    for kind, stacks, _ in reports.split(text):
        if kind == "data race":
            races.add(tuple(sorted(tsan_site(stack, wrappers) for stack in stacks[:2])))
        else:
            others.append(kind)
    return {"races": sorted(map(list, races)), "others": sorted(others)}


def by_tool(records, tool=""):
    return {record["key"]["crate"]: record for record in records.values() if record["key"].get("tool", "") == tool}


def judged(record, notes):
    """(access, write, targets, note or None) of each violation."""
    for access, missed, targets in record["violations"]:
        yield access, missed, targets, compare.find(notes, record["key"]["crate"], "violation", (access, missed))


def passed(record):
    return f"{record['passed']} ({record['failed']} failed)" if record["failed"] else str(record["passed"])


def tsan_cells(record):
    """Tests passed, data races and other reports."""
    if not record:
        return ["", ""]
    kinds = collections.Counter(record["others"])
    return [passed(record), ", ".join([str(len(record["races"])), *(f"{count} {kind}" for kind, count in sorted(kinds.items()))])]


def crates_table(records, notes):
    heads = ["crate", "tests passed", "violations", "x86-64 shows", "verdicts", "data races", "TSan: tests passed", "TSan: data races"]
    lines = [row(heads), "|---|---:|---:|---:|---|---:|---:|---:|"]
    tsan = by_tool(records, "tsan")
    for crate, record in by_tool(records).items():
        verdicts = collections.Counter(note["verdict"] if note else "not judged" for *_, note in judged(record, notes))
        on_x86 = sum(targets.get("x86", "no") != "no" for _, _, targets in record["violations"])
        said = ", ".join(f"{count} {name}" for name, count in sorted(verdicts.items(), key=lambda one: ORDER.get(one[0], 3)))
        lines.append(row([f"{crate} {record['version']}", passed(record), str(len(record["violations"])), str(on_x86), said,
                          str(len(record["races"])), *tsan_cells(tsan.get(crate))]))  # fmt: skip
    return lines


def judgements(records, notes):
    """Each judgement, with how many pairs it is about."""
    covered = {}
    for record in by_tool(records).values():
        for *_, note in judged(record, notes):
            if note:
                entry = covered.setdefault(id(note), [note, set(), 0])
                entry[1].add(record["key"]["crate"])
                entry[2] += 1
    lines = [row(["verdict", "of what", "pairs", "why"]), "|---|---|---:|---|"]
    for note, names, pairs in sorted(covered.values(), key=lambda one: (ORDER[one[0]["verdict"]], one[0]["object"])):
        what = f"{note['object']} ({', '.join(sorted(names))})"
        lines.append(row([note["verdict"], what, str(pairs), " ".join(note["why"].split())]))
    return lines


def unjudged(records, notes):
    lines = []
    for record in by_tool(records).values():
        missing = [(access, missed) for access, missed, _, note in judged(record, notes) if not note]
        lines += [f"- {record['key']['crate']}: `{access}` <- `{missed}`" for access, missed in missing]
    return ["", *lines] if lines else []


def faults(records):
    """What must not be: a crate that was not built, a test that failed."""
    found = []
    for record in records.values():
        if record["status"] or record["failed"] or not record["passed"]:
            found.append(f"{' '.join(record['key'].values())}: {record['failed']} tests failed, {record['passed']} passed, status {record['status']}: "
                         f"{record.get('evidence', '')}")  # fmt: skip
    return found
