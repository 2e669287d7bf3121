# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tables of the synthetic programs, from synthetic.jsonl, cost.jsonl and length.jsonl alone."""
import functools
import math
import statistics

import programs
import raw
from tables import row, spread

NOT_RUN = "-"


def head(*names, left=1):
    return [row(names), row(["---"] * left + ["---:"] * (len(names) - left))]


def number(value):
    return f"{value:.0f}" if value >= 100 or value == int(value) else f"{value:.3g}"


def three(values, scale=1.0):
    low, middle, high = spread([value / scale for value in values])
    return f"{number(middle)} ({number(low)}..{number(high)})"


def select(records, **wanted):
    """Records whose key has these fields, the newest of a key that differs in `count` alone."""
    found = {}
    for record in records.values():
        key = record["key"]
        if all(key.get(field) == value for field, value in wanted.items()):
            found[raw.name({name: value for name, value in key.items() if name != "count"})] = record
    return list(found.values())


def described():
    """What the heads of the sources say."""
    lines = head("program", "robust", "weakened", left=3)
    for program in programs.load_all():
        lines.append(row([f"[{program.title}](../../eval/synthetic/{program.name}.c)", program.head("Robust"), program.head("Weakened")]))
    return lines


def found_row(program, records, scheduled):
    """A row for all numbers of threads that the program was run with: quartiles of all repetitions together."""
    rows = [one for record in records for one in record["repetitions"]]
    hits = [one for one in rows if one[0]]
    threads = [record["key"]["threads"] for record in records]
    shown = [program.title, " to ".join(map(str, sorted({min(threads), max(threads)})))]
    if not hits:
        return row([*shown, f"none in {max(record['limit'] for record in records)}", "-", "-", "-", "-", "", ""])
    return row(
        [
            *shown,
            three([one[0] for one in hits]),
            str(max(one[0] for one in hits)),
            f"{len(hits)} of {len(rows)}",
            three([one[1] for one in hits], 1000),
            number(max(one[3] for one in rows) / 1024),
            by_policy(scheduled, program, threads, "mix"),
            ", ".join(filter(None, map(functools.partial(rocker, program), records))),
        ]
    )


def by_policy(scheduled, program, threads, policy):
    """In how many seeds of the policy it is found, of the most rounds that were made with so many threads."""
    found = made = 0
    for number_of in threads:
        ones = select(scheduled, kind="rate", program=program.name, threads=number_of, policy=policy)
        if ones:
            one = max(ones, key=lambda record: record["key"]["rounds"])
            found += len(one["found"])
            made += one["key"]["seeds"]
    return f"{found} of {made}" if made else ""


def rocker(program, record):
    """What the paper's text says of Rocker, at the number of threads that it speaks of."""
    threads = str(record["key"]["threads"])
    return f"{program.rocker[threads]} ({threads} threads)" if threads in program.rocker else ""


def weakened(records, scheduled):
    """Runs, CPU time and memory until the first report."""
    lines = head(
        "weakened program", "threads", "runs", "most", "found", "CPU time, ms", "memory, MB", "seeds of mix", "Rocker (quoted)"
    )
    for program in programs.load_all():
        if program.rate:
            continue
        found = select(records, program=program.name, version="weakened", tool="rsan")
        if found:
            lines.append(found_row(program, found, scheduled))
    return lines


def total_runs(record):
    return sum(one[0] or record["limit"] for one in record["repetitions"])


def rates(records, scheduled):
    """The table of programs whose violation shows in some runs only. Scheduled runs make fewer rounds."""
    lines = head("weakened program", "threads", "runs", "with a report", "share", "seeds of random", "seeds of mix")
    for program in programs.load_all():
        if not program.rate:
            continue
        for record in select(records, program=program.name, version="weakened", tool="rsan"):
            hits, runs = sum(1 for one in record["repetitions"] if one[0]), total_runs(record)
            threads = record["key"]["threads"]
            cells = [program.title, str(threads), str(runs), str(hits), f"{100 * hits / runs:.1f} %"]
            lines.append(row([*cells, *(by_policy(scheduled, program, [threads], policy) for policy in ("random", "mix"))]))
    return lines


def verdicts(records):
    """Robust programs, and what stock TSan says of both versions."""
    lines = head("program", "robust: runs", "reports", "failed", "weakened: found in at most", "by TSan", "robust, by TSan")
    for program in programs.load_all():
        mine = select(records, program=program.name, version="robust", tool="rsan")
        weak = select(records, program=program.name, version="weakened", tool="rsan")
        theirs = {
            version: select(records, program=program.name, version=version, tool="tsan") for version in programs.VERSIONS
        }
        if not mine:
            continue
        most = [max((one[0] for one in record["repetitions"]), default=0) for record in weak]
        missed = any(not one[0] for record in weak for one in record["repetitions"])
        lines.append(
            row(
                [
                    program.title,
                    *(str(sum(record[field] for record in mine)) for field in ("runs", "reports", "failed")),
                    "some runs" if program.rate else "not always" if missed else f"{max(most, default=0)} run{'' if max(most, default=0) == 1 else 's'}",
                    *(reports_of(theirs[version]) for version in ("weakened", "robust")),
                ]
            )
        )
    return lines


def reports_of(records):
    if not records:
        return "-"
    text = f"{sum(one['reports'] for one in records)} of {sum(one['runs'] for one in records)}"
    failed = sum(one["failed"] for one in records)
    return text + (f", {failed} failed" if failed else "")


def ratio(turns, kind, field):
    return [turn[kind][field] / max(1, turn["tsan"][field]) for turn in turns]


def cost(records):
    """Ratios of each round to TSan in the same round."""
    lines = head("robust program", "threads", "native", "TSan, CPU", "RSan / TSan", "TSan, memory", "RSan / TSan ")
    means = []
    for program in programs.load_all():
        for record in select(records, program=program.name):
            turns = record["turns"]
            cells = [program.title, str(record["key"]["threads"])]
            if not turns:
                lines.append(row([*cells, "failed", "-", "-", "-", "-"]))
                continue
            medians = [statistics.median(ratio(turns, "rsan", field)) for field in (0, 2)]
            means.append(medians)
            lines.append(
                row(
                    [
                        *cells,
                        f"{statistics.median(ratio(turns, 'native', 0)):.2f}",
                        f"{number(statistics.median(turn['tsan'][0] for turn in turns) / 1000)} ms",
                        "{1:.2f} ({0:.2f}..{2:.2f})".format(*spread(ratio(turns, "rsan", 0))),
                        f"{number(statistics.median(turn['tsan'][2] for turn in turns) / 1024)} MB",
                        f"{medians[1]:.2f}",
                    ]
                )
            )
    if means:
        time, memory = (math.exp(statistics.fmean(math.log(one[field]) for one in means)) for field in (0, 1))
        lines.append(row(["geometric mean", "", "", "", f"{time:.2f}", "", f"{memory:.2f}"]))
    return lines


def length(records):
    """Peak memory over the number of writes; and is the weakened one found at the end?"""
    exponents = sorted({record["key"]["exponent"] for record in records.values()})
    lines = head("way", "version", *(f"10^{one} writes" for one in exponents), left=2)
    ways = list(dict.fromkeys((record["key"]["version"], record["key"]["way"]) for record in records.values()))
    for version, way in ways:
        cells = [way, version]
        for exponent in exponents:
            one = select(records, version=version, way=way, exponent=exponent)
            if not one:
                cells.append(NOT_RUN)
                continue
            runs = one[0]["runs"]
            hits = sum(run[0] == programs.REPORT for run in runs)
            memory = f"{number(statistics.median(run[2] for run in runs) / 1024)} MB"
            told = f", {hits} of {len(runs)} report" if version == "weakened" else ""
            bad = sum(run[0] not in (0, programs.REPORT) for run in runs)
            cells.append(memory + told + (f", {bad} failed" if bad else ""))
        lines.append(row(cells))
    return lines
