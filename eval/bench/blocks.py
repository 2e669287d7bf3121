# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tables of docs/results/PERFORMANCE.md, made from raw results alone."""
import math
import re
import statistics

import tables

RELAXED_UPDATE = ("add.relaxed", "exchange.relaxed", "cas.relaxed")
ORDERED = re.compile(r"(store|add|exchange|cas)\.(acquire|release|acq_rel)$")


def named(text):
    return lambda one: text in one["name"]


def grouped(*groups):
    return lambda one: one["group"] in groups


def fenced(one):
    return one["group"] == "fence" and "8 threads" in one["name"]


def scattered(order):
    return lambda one: one["name"] == f"add.{order} at random, 60000 locations, 25 threads"


# What is aimed at: title, part, which benchmarks, metric, variant, limit of the mean or the worst.
GOALS = (
    ("load, any order", "micro", lambda one: one["group"].startswith("load."), "cpu", "RSan", "worst", 1.3),
    ("store, RMW, CAS: release or acquire", "micro", lambda one: ORDERED.match(one["group"]), "cpu", "RSan", "worst", 1.2),
    ("store relaxed", "micro", grouped("store.relaxed"), "cpu", "RSan", "worst", 3.0),
    ("RMW, CAS relaxed", "micro", grouped(*RELAXED_UPDATE), "cpu", "RSan", "worst", 2.5),
    ("SC fence loop, 8 threads", "micro", fenced, "cpu", "RSan", "worst", 1.3),
    ("seq_cst accesses, exactly, 8 threads", "seq_cst", lambda one: "8 threads" in one["name"], "cpu", "exact", "worst", 1.2),
    ("mutex, rwlock, plain memory", "micro", grouped("mutex", "rwlock", "plain"), "cpu", "RSan", "worst", 1.03),
    ("60,000 locations, 25 threads, acq_rel", "micro", scattered("acq_rel"), "cpu", "RSan", "worst", 1.5),
    ("60,000 locations, 25 threads, relaxed", "micro", scattered("relaxed"), "cpu", "RSan", "worst", 8.0),
    ("mimalloc, as shipped and with fences", "real", named("mimalloc"), "cpu", "RSan", "worst", 1.15),
    ("the same, memory", "real", named("mimalloc"), "memory", "RSan", "worst", 1.10),
    ("real programs", "real", named(""), "cpu", "RSan", "mean", 1.05),
    ("the worst of them", "real", named(""), "cpu", "RSan", "worst", 1.3),
    ("real programs, memory", "real", named(""), "memory", "RSan", "mean", 1.05),
    ("real programs, atomics only", "real", named(""), "cpu", "atomics only", "mean", 0.5),
    ("real programs with x86, by those without", "targets", named(""), "cpu", "c11+x86", "mean", 1.15),
    ("`target=x86` alone, the same", "targets", named(""), "cpu", "x86", "mean", 1.15),
    ("with ARMv8, the same", "targets", named(""), "cpu", "armv8", "mean", 1.4),
)


def medians(results, chosen, metric, variant):
    """{name: median of the ratios to stock TSan}"""
    found = {}
    for one in results["benchmarks"]:
        if chosen(one):
            summary = tables.summarize(one, results, metric)
            if summary:
                found[one["name"]] = summary[variant][1]
    return found


def goals(results):
    lines = [tables.row(["workload", "at most", "geometric mean", "worst", "which", ""]), "|---|---:|---:|---:|---|---|"]
    for title, part, chosen, metric, variant, kind, limit in GOALS:
        found = medians(results[part], chosen, metric, variant) if part in results else {}
        if not found:
            continue
        name, worst = max(found.items(), key=lambda item: item[1])
        mean = math.exp(statistics.fmean(map(math.log, found.values())))
        reached = (worst if kind == "worst" else mean) <= limit
        of = f"{limit:g}" + (" (mean)" if kind == "mean" else "")
        lines.append(tables.row([title, of, f"{mean:.2f}", f"{worst:.2f}", name, "" if reached else "**missed**"]))
    return "\n".join(lines)


def machine(results):
    measured = {name: one for name, one in results.items() if name != "profile"}
    if not measured:
        return "Not measured."
    described = next(iter(measured.values()))["machine"]
    lines = [
        f"{described['processor']}, {described['processors']} processors; {described['system']}, "
        f"Linux {described['kernel']}.",
        "",
        tables.row(["part", "date", "RSan", "rounds", "load average before"]),
        "|---|---|---|---:|---:|",
    ]
    for name, one in measured.items():
        of = one["machine"]
        lines.append(tables.row([name, of["date"], one["revision"], str(one["rounds"]), of["load"]]))
    return "\n".join(lines)


def growth(results):
    """One table an axis: nanoseconds of CPU time an operation, and peak memory."""
    groups = {}
    for one in results["benchmarks"]:
        groups.setdefault(one["group"], []).append(one)
    text = []
    for group, ones in groups.items():
        axis, order = group.rstrip(")").split(" (")
        lines = [
            tables.row([f"{axis}, add.{order}", "TSan", "RSan", "ratio", "TSan, memory", "RSan, memory", "ratio of memory"]),
            "|---:|" + "---:|" * 6,
        ]
        for one in ones:
            cells = [f"{one['x']:,}"]
            for metric in ("cpu", "memory"):
                both = {name: median(one, name, metric) for name in ("TSan", "RSan")}
                if None in both.values():
                    cells += ["failed"] * 3
                    continue
                cells += [tables.absolute(both[name], metric) for name in both] + [f"{both['RSan'] / both['TSan']:.2f}"]
            lines.append(tables.row(cells))
        text.append("\n".join(lines))
    return "\n\n".join(text)


def median(one, variant, metric):
    records = [record for records in one["rounds"] for record in records if record["variant"] == variant]
    if not records or any("failed" in record for record in records):
        return None
    return statistics.median(tables.value(record, metric) for record in records)


def instructions(budget):
    lines = [tables.row(["operation", "instructions at most", "what they are spent on"]), "|---|---:|---|"]
    for line in budget.read_text(encoding="utf-8").splitlines():
        if match := re.fullmatch(r"([^#\s]\S*)\s+\d+\s+\d+\s+(\d+)\s+(\S.*)", line):
            lines.append(tables.row(match.groups()))
    return "\n".join(lines)


def profile(loops):
    text = []
    for one in loops:
        lines = [tables.row([one["loop"], "share", "ns"]), "|---|---:|---:|"]
        for function, share in one["functions"]:
            lines.append(tables.row([f"`{function}`", f"{share:.0f} %", f"{share * one['ns'] / 100:.1f}"]))
        text.append("\n".join(lines))
    return "\n\n".join(text)


def make(name, results, budget):
    """The block `name`: PART-METRIC is a table of eval/bench/run."""
    if name == "instructions":
        return instructions(budget)
    if name in ("goals", "machine"):
        return {"goals": goals, "machine": machine}[name](results)
    part, _, metric = name.partition("-")
    if part not in results:
        return "Not measured."
    if name in ("growth", "profile"):
        return {"growth": growth, "profile": profile}[name](results[part])
    return "\n".join(tables.table(results[part], part, metric))
