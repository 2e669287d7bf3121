# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The short list of docs/results/SUMMARY.md: one line a claim, its figures from raw results; and the README's sentence."""
import collections
import math
import statistics

import compare
import libraries
import programs
import synthetic_tables
import targets


def synthetic(records):
    rates = {one.name: one.rate for one in programs.load_all()}
    robust = [one for one in records.values() if one["key"]["version"] == "robust" and one["key"]["tool"] == "rsan"]
    weak = [one for one in records.values() if "repetitions" in one and not rates[one["key"]["program"]]]
    most = max(row[0] for one in weak for row in one["repetitions"])
    missed = sum(not row[0] for one in weak for row in one["repetitions"])
    reports = sum(one["reports"] for one in robust)
    names = {one["key"]["program"] for one in robust}
    theirs = [one for one in records.values() if one["key"]["version"] == "weakened" and one["key"]["tool"] == "tsan"]
    yield (
        f"- {len(names)} algorithms from Dekker's lock to read-copy-update, 2 to 16 threads: "
        f"{reports or 'no'} report{'' if reports == 1 else 's'} in {sum(one['runs'] for one in robust):,} runs of the robust versions; "
        f"of {len({one['key']['program'] for one in weak})} weakened ones, each found "
        + (f"within {most} run{'' if most == 1 else 's'}" if not missed else f"but in {missed} of the repetitions")
        + f" (stock TSan: {sum(one['reports'] for one in theirs)} reports in {sum(one['runs'] for one in theirs):,} runs)"
    )


def judged(records, notes):
    verdicts = collections.Counter()
    for one in libraries.comparisons(records, notes):
        verdicts.update(note["verdict"] if note else "not judged" for _, note in one.judged)
    return verdicts


def worth(records, notes):
    """What the violations of libraries are worth, as the README says it."""
    verdicts = judged(records, notes)
    sentence = (
        f"{len(records)} drivers over Debian's lock-free libraries showed {sum(verdicts.values())} violations: "
        f"{verdicts['defect']} belong to defects, {verdicts['delay']} only delay a thread, and {verdicts['harmless']} are harmless"
    )
    return [sentence + (f"; {verdicts['not judged']} are not judged." if verdicts["not judged"] else ".")]


def libraries_line(records, notes):
    verdicts = judged(records, notes)
    yield (
        f"- {len(records)} drivers over lock-free libraries of Debian: {sum(verdicts.values())} violations "
        f"(pairs of places): {compare.tally(verdicts.elements())}"
    )
    if sentence := targets.total(records):
        yield f"- by machine ([TARGETS.md](../guide/TARGETS.md)), {sentence}"


def cost(records):
    ratios = []
    for one in records.values():
        if one["turns"]:
            ratios.append([statistics.median(synthetic_tables.ratio(one["turns"], "rsan", field)) for field in (0, 2)])
    time, memory = (math.exp(statistics.fmean(math.log(one[field]) for one in ratios)) for field in (0, 1))
    yield f"- cost on those algorithms, beside stock TSan: {time:.2f} times the CPU time, {memory:.2f} times the memory"


def length(records):
    ones = [one for one in records.values() if one["key"]["way"] == "RSan" and one["key"]["version"] == "robust"]
    by = {one["key"]["exponent"]: statistics.median(run[2] for run in one["runs"]) / 1024 for one in ones}
    yield (
        f"- memory over the length of a run: {by[min(by)]:.0f} MB after 10^{min(by)} writes, "
        f"{by[max(by)]:.0f} MB after 10^{max(by)}"
    )


def lines(found, notes):
    made = []
    for name, maker in (
        ("synthetic", synthetic),
        ("libraries", lambda records: libraries_line(records, notes)),
        ("cost", cost),
        ("length", length),
    ):
        if name in found:
            made += maker(found[name])
    return made
