# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plots of the raw results, by gnuplot, as SVG."""
import shutil
import subprocess

import plots
import programs
import raw
import synthetic_tables

HEAD = plots.HEAD


def curve(output, names, values, xlabel, ylabel, scales):
    """`values`: {name: [(x, low, middle, high)]}"""
    script = HEAD.format(width=900, height=480, output=output)
    script += f'set logscale {scales}\nset xlabel "{xlabel}"\nset ylabel "{ylabel}"\n'
    for number, name in enumerate(names):
        script += plots.block(f"v{number}", values[name])
    parts = []
    for number, name in enumerate(names):
        parts.append(f'$v{number} using 1:3:2:4 with yerrorbars pt 7 ps 0.4 lc {number + 1} notitle')
        parts.append(f'$v{number} using 1:3 with lines lc {number + 1} title "{name}"')
    return script + "plot " + ", ".join(parts) + "\n"


def found(records, output):
    """CPU time until the first report, against the number of threads."""
    values = {}
    for program in programs.load_all():
        for record in synthetic_tables.select(records, program=program.name, version="weakened", tool="rsan"):
            times = [one[1] / 1000 for one in record["repetitions"] if one[0]]
            if times:
                row = (record["key"]["threads"], *synthetic_tables.spread(times))
                values.setdefault(program.title, []).append(row)
    return curve(output, list(values), values, "threads", "CPU time until the first report, ms", "xy 2") if values else None


def length(records, output):
    values = {}
    for record in records.values():
        if record["key"]["version"] == "robust":
            low, middle, high = synthetic_tables.spread([run[2] / 1024 for run in record["runs"]])
            values.setdefault(record["key"]["way"], []).append((10 ** record["key"]["exponent"], low, middle, high))
    values = {name: sorted(rows) for name, rows in values.items()}
    return curve(output, list(values), values, "writes", "peak memory, MB", "x 10") if values else None


def draw(results, folder):
    """The files drawn; None if there is no gnuplot."""
    gnuplot = shutil.which("gnuplot")
    if not gnuplot:
        return None
    made = []
    for name, maker in (("synthetic", found), ("length", length)):
        records = raw.read(results / f"{name}.jsonl")
        path = folder / f"{name}.svg"
        script = maker(records, path) if records else None
        if script:
            subprocess.run([gnuplot], input=script, text=True, check=True)
            made.append(path)
    return made
