# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which machines can show libraries' violations: by the ways rsan-targets and rsan-x86 of eval/races/libraries.

Raw results from before these ways have neither; their drivers have dashes.
"""
import collections

import compare
import libraries
from tables import row

X86, ARM = "x86-64", "ARMv8"
HEAD = ("driver", "of runs", "violations", "on x86-64", "on ARMv8", "may be", "not", "on neither", "`target=x86`", "on x86-64, verdicts")


def is_asked(record):
    return "rsan-targets" in record["ways"] and "rsan-x86" in record["ways"]


def is_on_neither(answers):
    return answers[X86] == answers[ARM] == "no"


def count(record):
    """What is summed up over drivers."""
    every = [answers for _, _, answers in record["targets"]]
    alone = [pair for pair in record["pairs"] if pair[0] == compare.VIOLATION and pair[3] == "rsan-x86"]
    return collections.Counter(
        {
            "all": len(every),
            "x86": sum(one[X86] == "yes" for one in every),
            **{answer: sum(one[ARM] == answer for one in every) for answer in ("yes", "may", "no")},
            "neither": sum(map(is_on_neither, every)),
            "alone": len(alone),
        }
    )


def verdicts(record, notes):
    """What x86's are worth."""
    for first, second, answers in record["targets"]:
        if answers[X86] == "yes":
            note = compare.find(notes, record["key"]["subject"], "violation", (first, second))
            yield note["verdict"] if note else "not judged"


def cells(name, runs, counts, names):
    figures = [counts[one] for one in ("all", "x86", "yes", "may", "no", "neither", "alone")]
    return row([name, runs, *map(str, figures), compare.tally(names)])


def table(records, notes):
    lines, silent = [row(HEAD), row(["---", *["---:"] * (len(HEAD) - 2), "---"])], []
    for _, record in sorted(records.items()):
        name = record["key"]["subject"]
        if is_asked(record) and not record["targets"]:
            silent.append(name)
        elif is_asked(record):
            runs = str(len(record["ways"]["rsan-targets"]))
            lines.append(cells(name, runs, count(record), verdicts(record, notes)))
        else:
            lines.append(row([name, *["-"] * (len(HEAD) - 1)]))
    asked = [record for record in records.values() if is_asked(record)]
    if asked:
        every = [name for record in asked for name in verdicts(record, notes)]
        lines.append(cells("all", "", sum(map(count, asked), collections.Counter()), every))
    return lines + libraries.none_in(silent)


def total(records):
    """One sentence; None if no driver has been asked."""
    asked = [record for record in records.values() if is_asked(record)]
    if not asked:
        return None
    sums = sum(map(count, asked), collections.Counter())
    return (
        f"of {sums['all']} violations (pairs of places) of {len(asked)} drivers over lock-free libraries, x86-64 can show {sums['x86']}, "
        f"ARMv8 {sums['yes']}, and {sums['may']} more where no dependency is in the way; {sums['neither']} are for neither; "
        f"with `target=x86` alone {sums['alone']} are reported"
    )
