# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From raw results to tables: medians of each round's own ratio to stock TSan, and their quartiles.

The raw results are what eval/bench/run writes: `benchmarks`, each with `part`, `group`, `name` and
`rounds`, a list of one record for each variant (see measure.read). Ratios are to the variant `base`,
or, if that is not there, to stock TSan.
"""
import json
import math
import statistics

BASE = "TSan"
METRICS = {"cpu": "CPU time", "wall": "wall time", "memory": "peak memory"}


class BadResults(Exception):
    """The results do not say what a table would have to."""


def pack(results, path):
    """The header, then a benchmark a line."""
    header = {name: value for name, value in results.items() if name != "benchmarks"}
    lines = [json.dumps(one, separators=(",", ":")) for one in (header, *results["benchmarks"])]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def unpack(path):
    header, *ones = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return {**header, "benchmarks": ones}


def value(record, metric):
    """Nanoseconds (an operation, where the program counts them itself) or kilobytes."""
    if metric == "memory":
        return record["memory_kb"]
    if "operations" in record:
        return record[f"loop_{metric}_ns"] / record["operations"]
    return 1000 * (record["wall_us"] if metric == "wall" else record["user_us"] + record["system_us"])


def failures(results):
    """One line for each run that failed."""
    return [
        f"{one['part']}: {one['name']}: {record['variant']}: {record['failed']}"
        for one in results["benchmarks"]
        for records in one["rounds"]
        for record in records
        if "failed" in record
    ]


def spread(values):
    """Lower quartile, median, upper quartile."""
    if len(values) == 1:
        return values[0], values[0], values[0]
    return tuple(statistics.quantiles(values, n=4, method="inclusive"))


def base_of(results):
    return results.get("base", BASE)


def summarize(one, results, metric):
    """{variant: (lower quartile, median, upper quartile) of the ratios}, with the base's own value
    instead of its ratio. None if a run failed."""
    variants, base = results["variants"], base_of(results)
    values = {variant: [] for variant in variants}
    for records in one["rounds"]:
        by_name = {record["variant"]: record for record in records}
        if set(by_name) != set(variants) or len(records) != len(variants):
            raise BadResults(f"{one['name']}: a round has {sorted(by_name)}, not {sorted(variants)}")
        if any("failed" in record for record in records):
            return None
        divisor = value(by_name[base], metric)
        for variant in variants:
            mine = value(by_name[variant], metric)
            values[variant].append(mine if variant == base else mine / divisor)
    if not one["rounds"]:
        raise BadResults(f"{one['name']}: no rounds")
    return {variant: spread(ratios) for variant, ratios in values.items()}


def absolute(number, metric):
    if metric == "memory":
        return f"{number / 1024:.1f} MB"
    for unit, size in (("s", 1e9), ("ms", 1e6), ("us", 1e3)):
        if number >= size:
            return f"{number / size:.3g} {unit}"
    return f"{number:.3g} ns"


def cell(three, is_base, metric, quartiles):
    low, middle, high = three
    if is_base:
        return absolute(middle, metric)
    return f"{middle:.2f} ({low:.2f}..{high:.2f})" if quartiles else f"{middle:.2f}"


def row(cells):
    return "| " + " | ".join(cells) + " |"


def overall(rows, variants, base):
    """The geometric mean and the worst of the medians."""
    means, worst = ["geometric mean"], ["worst"]
    for variant in variants:
        medians = [summary[variant][1] for summary in rows]
        blank = variant == base
        means.append("" if blank else f"{math.exp(statistics.fmean(map(math.log, medians))):.2f}")
        worst.append("" if blank else f"{max(medians):.2f}")
    return [row(means), row(worst)]


def table(results, part, metric, quartiles=True):
    """The Markdown table of one part."""
    variants, base = results["variants"], base_of(results)
    lines = [
        row(["benchmark", *variants]),
        "|---|" + "---:|" * len(variants),
    ]
    rows = []
    for one in results["benchmarks"]:
        if one["part"] != part:
            continue
        summary = summarize(one, results, metric)
        if summary is None:
            lines.append(row([one["name"], *["failed"] * len(variants)]))
            continue
        rows.append(summary)
        lines.append(row([one["name"], *(cell(summary[name], name == base, metric, quartiles) for name in variants)]))
    if len(rows) > 1 and part != "growth":
        lines += overall(rows, variants, base)
    return lines


def unit(part):
    return "an operation" if part not in ("real", "targets") else "a run"


def document(results, metrics=None):
    """All tables, with what they were measured on."""
    machine, packages = results["machine"], results["packages"]
    lines = [
        f"{machine['processor']}, {machine['processors']} processors; {machine['system']}, Linux {machine['kernel']}; "
        f"{machine['date']}; load {machine['load']}; RSan {results['revision']}; "
        + ", ".join(f"{name} {version}" for name, version in sorted(packages.items()))
        + ".",
        f"{results['rounds']} rounds, in each of which the variants took turns. {base_of(results)}: the median itself; others: the "
        f"median over the rounds of the ratio to {base_of(results)} in the same round (lower..upper quartile).",
    ]
    for part in dict.fromkeys(one["part"] for one in results["benchmarks"]):
        for metric, title in METRICS.items():
            if metric in (metrics or (METRICS if part not in ("micro", "seq_cst") else ["cpu"])):
                of = f", {unit(part)}" if metric != "memory" else ""
                lines += ["", f"### {part}: {title}{of}", "", *table(results, part, metric)]
    return "\n".join(lines) + "\n"
