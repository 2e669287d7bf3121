# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plots of the raw results, by gnuplot, as SVG: bars of ratios, and curves of growth."""
import shutil
import subprocess

import tables

HEAD = """set terminal svg size {width},{height} dynamic noenhanced font "sans,11" background "white"
set output "{output}"
set grid
set key outside top center horizontal maxcols 3
"""
COLOURS = ("#666666", "#000000", "#d62728", "#1f77b4", "#2ca02c", "#9467bd")


def block(name, rows):
    return f"${name} << END\n" + "\n".join(" ".join(map(str, row)) for row in rows) + "\nEND\n"


def bars(results, part, metric, output):
    """One panel: each benchmark's ratios to the base, with their quartiles."""
    colours = dict(zip(results["variants"], COLOURS))
    variants = [name for name in results["variants"] if name != tables.base_of(results)]
    ones = [one for one in results["benchmarks"] if one["part"] == part]
    summaries = [(one["name"], tables.summarize(one, results, metric)) for one in ones]
    summaries = [(name, summary) for name, summary in reversed(summaries) if summary]
    if not summaries:
        return None
    script = HEAD.format(width=900, height=170 + 34 * len(summaries), output=output)
    for number, variant in enumerate(variants):
        rows = [(*(summary[variant][i] for i in (1, 0, 2)), row + 0.3 - 0.15 * number)
                for row, (_, summary) in enumerate(summaries)]  # fmt: skip
        script += block(f"v{number}", rows)
    labels = ", ".join(f'"{name}" {row}' for row, (name, _) in enumerate(summaries))
    script += f"set ytics ({labels})\nset yrange [-0.7:{len(summaries) - 0.3}]\nset logscale x\n"
    script += f'set xlabel "{tables.METRICS[metric]}, ratio to {tables.base_of(results)} (median and quartiles)"\n'
    script += "set arrow from 1, graph 0 to 1, graph 1 nohead lw 1.5\n"
    return script + "plot " + ", ".join(
        f'$v{number} using 1:4:2:3 with xerrorbars pt 7 ps 0.5 lc "{colours[variant]}" title "{variant}"'
        for number, variant in enumerate(variants)
    ) + "\n"


def curves(results, metric, output):
    """One panel a group: what an operation costs, or memory, against what grows."""
    variants = results["variants"]
    groups = {}
    for one in results["benchmarks"]:
        if one["part"] == "growth" and not any("failed" in record for records in one["rounds"] for record in records):
            groups.setdefault(one["group"], []).append(one)
    groups = {name: ones for name, ones in groups.items() if len(ones) > 1}
    if not groups:
        return None
    script = HEAD.format(width=900, height=420 * len(groups), output=output)
    script += f"set multiplot layout {len(groups)},1\nset logscale xy\n"
    for number, (group, ones) in enumerate(groups.items()):
        rows = []
        for one in ones:
            row = [one["x"]]
            for variant in variants:
                found = [tables.value(r, metric) for records in one["rounds"] for r in records if r["variant"] == variant]
                row += tables.spread(found)
            rows.append(row)
        unit = "peak memory, KB" if metric == "memory" else f"{tables.METRICS[metric]} of an operation, ns"
        script += block(f"g{number}", rows) + f'set xlabel "{group}"\nset ylabel "{unit}"\nplot '
        script += ", ".join(
            f"$g{number} using 1:{3 + 3 * i} with linespoints pt 7 ps 0.4 lc \"{COLOURS[i]}\" title \"{variant}\", "
            f"$g{number} using 1:{3 + 3 * i}:{2 + 3 * i}:{4 + 3 * i} with yerrorbars pt 0 lc \"{COLOURS[i]}\" notitle"
            for i, variant in enumerate(variants)
        ) + "\n"
    return script + "unset multiplot\n"


def scripts(results, folder):
    """{file: gnuplot script}"""
    parts = {one["part"] for one in results["benchmarks"]}
    made = {}
    for part in sorted(parts - {"growth"}):
        for metric in ("cpu", "memory") if part == "real" else ("cpu",):
            path = folder / f"{part}-{metric}.svg"
            made[path] = bars(results, part, metric, path)
    if "growth" in parts:
        for metric in ("cpu", "memory"):
            path = folder / f"growth-{metric}.svg"
            made[path] = curves(results, metric, path)
    return {path: script for path, script in made.items() if script}


def draw(results, folder):
    """The files drawn; None if there is no gnuplot."""
    gnuplot = shutil.which("gnuplot")
    if not gnuplot:
        return None
    folder.mkdir(parents=True, exist_ok=True)
    made = scripts(results, folder)
    for script in made.values():
        subprocess.run([gnuplot], input=script, text=True, check=True)
    return sorted(made)
