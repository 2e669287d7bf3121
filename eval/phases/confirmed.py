# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What stale values did to the libraries' drivers (eval/weak/confirm), beside what their source says (eval/races/notes).

The raw record: `runs`, `time` as they were asked for, and `violations`, each with its `sites` (the access, the missed write), the
numbers of runs `injected` (with a departure), `tries` and `controls`, and if it failed `kind`, `text`, `failed` (runs), and of the
run that shows it best the number of `departures` and the pairs of sites that `departed`.

rsan confirm gives an access several of its older values, so a run may miss another write than that of the report. What failed is
therefore held against the notes about the pairs that departed: a defect if one of these was read as one.
"""
import collections

import compare
from tables import row

# The strongest evidence first, as rsan confirm has it.
KINDS = ("use-after-free", "crash", "assertion", "own check", "exit status", "hang", "report")


def note_of(notes, subject, pair):
    return compare.find(notes, subject, "violation", pair)


def is_defect(note):
    return bool(note) and note["verdict"] == "defect"


class Failure:
    """One violation of one program, which failed."""

    def __init__(self, record, violation, notes):
        self.subject, self.driver = record["key"]["subject"], record["key"]["driver"]
        self.violation = violation
        judged = [note_of(notes, self.subject, pair) for pair in violation["departed"]]
        self.defects = self.one_of([note for note in judged if is_defect(note)], note_of(notes, self.subject, violation["sites"]))
        self.notes = self.defects or [note for note in judged if note]
        self.unread = sum(note is None for note in judged) if not self.defects else 0

    @staticmethod
    def one_of(defects, own):
        """If several departed in one run, only one is shown: the report's, if it is among them."""
        return [own] if any(own is note for note in defects) else defects[:1]

    def rank(self):
        one = self.violation
        share = one["failed"] / one["injected"]
        return KINDS.index(one["kind"]), one["departures"] > 1, self.driver == "driver", -share, -one["failed"]

    def program(self):
        return self.subject if self.driver == "driver" else f"{self.subject}, {self.driver}"

    def text(self):
        one = self.violation
        return f"{one['text']} ({one['failed']} of {one['injected']} runs with a departure, 0 of {one['controls']} without)"


def failures(records, notes):
    for _, record in sorted(records.items()):
        for violation in record["violations"]:
            if "kind" in violation:
                yield Failure(record, violation, notes)


def best(records, notes):
    """{id of a note: the failure that shows it best}"""
    found = {}
    for failure in failures(records, notes):
        for note in failure.notes:
            if id(note) not in found or failure.rank() < found[id(note)].rank():
                found[id(note)] = failure
    return found


def injected(records, notes):
    """{id of a note: in how many runs its pairs' accesses departed}"""
    count = collections.Counter()
    for record in records.values():
        for violation in record["violations"]:
            note = note_of(notes, record["key"]["subject"], violation["sites"])
            if note:
                count[id(note)] += violation["injected"]
    return count


def said(note, shown, tried):
    if id(note) in shown:
        failure = shown[id(note)]
        return f"{failure.text()}; {failure.program()}"
    count = tried[id(note)]
    return f"no, in {count} run{'' if count == 1 else 's'} with a departure" if count else "not tried"


def judgements(pairs, records, notes):
    """Each verdict with its reason, and what stale values did; `pairs` is {id of a note: (names of drivers, number of pairs)}, of
    the libraries' results."""
    shown, tried = best(records, notes), injected(records, notes)
    order = {"defect": 0, "delay": 1, "harmless": 2}
    known = [note for note in notes if note["kind"] == "violation" and (id(note) in pairs or id(note) in shown or tried[id(note)])]
    for note in sorted(known, key=lambda note: (order[note["verdict"]], note["object"], note["subjects"])):
        names, count = pairs.get(id(note), ([note["subjects"]], 0))
        why = " ".join(note["why"].split())
        head = f"- **{note['verdict']}**, `{note['object']}` ({count} in {', '.join(sorted(names))}): {why}"
        yield f"{head} **Failed**: {said(note, shown, tried)}."


def defects_table(records, notes):
    """Each defect that was read, and how it fails."""
    shown, tried = best(records, notes), injected(records, notes)
    lines = [row(["library", "defect", "fails by", "in"]), row(["---", "---", "---", "---"])]
    for note in notes:
        if note["kind"] != "violation" or note["verdict"] != "defect":
            continue
        failure = shown.get(id(note))
        how = failure.text() if failure else said(note, shown, tried)
        lines.append(row([note["subjects"], note["object"], how.replace("|", "\\|"), failure.driver if failure else "-"]))
    return lines


def unexplained(records, notes):
    """Failures of pairs that were not read as a defect: the reading is wrong, or there is none."""
    for failure in failures(records, notes):
        if failure.defects:
            continue
        for pair in failure.violation["departed"]:
            note = note_of(notes, failure.subject, pair)
            verdict = note["verdict"] if note else "not judged"
            yield f"{failure.program()}: {failure.violation['text']}, though {pair[0]} <- {pair[1]} was read as {verdict}"

