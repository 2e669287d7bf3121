# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The inputs that fuzzing begins with: what RSan's commands write about a small program."""

import gzip
import json
import os
import pathlib
import re
import shutil
import subprocess
import tarfile

PROGRAM = """
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
static atomic_int x, y;
static int seen, plain;
static void *other(void *none) {
  atomic_store_explicit(&y, 1, memory_order_relaxed);
  plain++;
  seen = atomic_load_explicit(&x, memory_order_relaxed);
  return none;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, other, NULL);
  atomic_store_explicit(&x, 1, memory_order_relaxed);
  plain++;
  int own = atomic_load_explicit(&y, memory_order_relaxed);
  pthread_join(thread, NULL);
  if (!own && !seen)
    abort();
  return 0;
}
"""
STARTED = """
#include <stdio.h>
int main(void) { return puts("started") < 0; }
"""
RULES = """# repair
fence-after /p/f.c:4:3
fence-before f.c:12
order acq_rel /p/a:b.c:7:1 # because
"""
OPTIONS = (
    "strip_path_prefix=/a/b:handle_abort=1",
    "a=\"b c:d\",strip_path_prefix='x y' handle_abort=0",
    'log_path="/tmp/x',
    "schedule=mix:seed=3:weak=flagged:weak_file='/a'",
)
# Inputs that have shown errors: they are a part of each run.
FOUND = {
    "line-table": (b'file_names[  1]:\n name: "a"\n name: "b"\n', b'file_names[  1]:\n name: "a\\'),
    "log": (
        b"==================\nWARNING: ThreadSanitizer: thread leak (pid=1)\nSUMMARY: x ==================\n",
        b"==================\nWARNING: ThreadSanitizer: data race (pid=1)\n  Location is global \n==================\n",
    ),
    "symbolize": (b"WARNING: ThreadSanitizer: SUMMARY: ThreadSanitizer: data race (/a+0x12)\nSUMMARY: ThreadSanitizer: data race (/a+0x)\n",),
}
CUT = ("text", "symbolize", "log", "rules", "symbolizer", "line-table")  # their readers take one line after the other
LINES = 400  # of a table that llvm-dwarfdump prints
LARGEST = 16000  # bytes of a text


class Seeds:
    def __init__(self, build, to, work):
        self.bin, self.to, self.work = build / "bin", to, work
        self.environment = dict(os.environ, XDG_STATE_HOME=str(work / "state"), TMPDIR=str(work))
        for name in ("RSAN_OPTIONS", "TSAN_OPTIONS"):
            self.environment.pop(name, None)

    def call(self, *command, **options):
        environment = dict(self.environment, **options)
        return subprocess.run(command, env=environment, capture_output=True, check=False, cwd=self.work, stdin=subprocess.DEVNULL)

    def add(self, target, *contents):
        folder = self.to / target
        folder.mkdir(parents=True, exist_ok=True)
        for content in contents:
            data = content.read_bytes() if isinstance(content, pathlib.Path) else content
            assert data, f"a seed of {target} is empty"
            (folder / str(len(list(folder.iterdir())))).write_bytes(data if isinstance(data, bytes) else data.encode())

    def add_cuts(self, target):
        """Each line of the target's seeds, cut at each of its bytes: readers take what follows a word to be there."""
        lines = {line: None for seed in sorted((self.to / target).iterdir()) for line in seed.read_bytes().split(b"\n") if len(line) < 200}
        cuts = [line[:length] + b"\n" for line in lines for length in range(len(line), 0, -1)]
        part = b""
        for cut in dict.fromkeys(cuts):
            if len(part) + len(cut) > LARGEST:
                self.add(target, part)
                part = b""
            part += cut
        self.add(target, part)

    def add_reports(self, program):
        records = self.call(program, RSAN_OPTIONS="report_format=json").stderr
        lines = records.splitlines(keepends=True)
        self.add("records", *lines, records[:LARGEST])
        text = self.call(program, RSAN_OPTIONS="atexit_sleep_ms=0").stderr
        raw = self.call(program, RSAN_OPTIONS="symbolize=0").stderr
        self.add("text", text, raw)
        self.add("symbolize", text, raw)
        self.add("log", text, *lines)

    def add_symbols(self, program, unlinked):
        questions = self.work / "questions"
        offsets = re.findall(rb"\+0x([0-9a-f]+)", self.call(program, RSAN_OPTIONS="symbolize=0").stderr)
        questions.write_text("".join(f'CODE "{program}" 0x{offset.decode()}\n' for offset in offsets[:4]) + f'DATA "{program}" 0x1000\n')
        with questions.open("rb") as lines:
            done = subprocess.run(["llvm-symbolizer-19", "--demangle", "--inlines"], stdin=lines, capture_output=True, check=True)
        self.add("symbolizer", done.stdout)
        table = self.call("llvm-dwarfdump-19", "--debug-line", unlinked).stdout
        self.add("line-table", b"".join(table.splitlines(keepends=True)[:LINES]))
        self.add("elf", unlinked)

    def add_runs(self, program):
        rsan = self.bin / "rsan"
        self.call(rsan, "check", "--departures", "0", "--output", "checked", "--", program)
        self.add("check", self.work / "checked/check.json")
        self.add("progress", self.work / "checked/execution")
        self.add("schedule", self.work / "checked/execution.1")
        self.call(rsan, "run", "-n", "2", "--schedule", "--keep", "--output", "runs", "--", program)
        self.add("schedule", next((self.work / "runs/run-0001").glob("schedule.*")))
        self.call(rsan, "confirm", "--output", "confirmed", "--", program)
        self.add("confirm", self.work / "confirmed/confirm.json")
        self.add("journal", b"".join((self.work / "confirmed/runs.jsonl").read_bytes().splitlines(keepends=True)[:8]))
        self.add("confirmed", self.work / "confirmed/reports.jsonl")
        self.add("records", self.work / "confirmed/reports.jsonl")
        self.add("departures", *list((self.work / "confirmed").glob("run-*/weak.*"))[:2])
        self.add("trusted", self.work / "state/rsan/trusted")

    def add_units(self, program):
        for number in range(1, 3):
            archive = self.work / f"unit-{number}.tgz"
            self.call(self.bin / "rsan", "unit", "--seeds", "1..2", "--output", archive, "--", program)
            plain = gzip.decompress(archive.read_bytes())
            self.add("archive", plain, archive)
        with tarfile.open(self.work / "unit-1.tgz") as archive:
            self.add("manifest", archive.extractfile("manifest.json").read())
            self.add("runs", archive.extractfile("runs.jsonl").read())

    def add_others(self, program):
        """What needs other machines to be written, and what people write."""
        campaign = json.loads((self.work / "checked/check.json").read_text(encoding="utf-8"))
        limits = {"timeout": 60, "iterations": 100, "until_clean": 0, "stop_on_first": False, "time": 0, "unit": 10}
        campaign |= {"on": "ssh:hosts", "schedule": "mix", "with": [str(program)], "units": [[1, 10], [11, 20]], **limits}
        self.add("campaign", json.dumps(campaign))
        tries = {"options": "seed=1:weak_file=@RUN@/places", "places": "/p/program+0x12 newest\n", "timeout": 10}
        self.add("tries", "".join(json.dumps(tries) + "\n" for _ in range(2)))
        self.add("rules", RULES)
        self.add("options", *OPTIONS)
        self.add("trace", *(pathlib.Path(__file__).parents[2] / "tests/golden/sample.jsonl").read_bytes().splitlines(keepends=True)[:4])

    def add_runtime(self, program, compiler, to):
        """Programs for runtime.py, and a schedule of the first one."""
        folder, source = self.to / "runtime", self.work / "started.c"
        folder.mkdir()
        shutil.copy(program, folder / "program")
        schedule = (self.to / "schedule/0").read_bytes().replace(bytes(program), bytes(to / "runtime/program"))
        (folder / "schedule").write_bytes(schedule)
        source.write_text(STARTED, encoding="utf-8")
        subprocess.run([*compiler, source, "-o", folder / "started"], check=True)


def make(build, to, work):
    shutil.rmtree(work, ignore_errors=True)
    shutil.rmtree(to, ignore_errors=True)
    work.mkdir(parents=True)
    seeds = Seeds(build, to.with_name(to.name + ".new"), work)
    shutil.rmtree(seeds.to, ignore_errors=True)
    source, program, unlinked = work / "program.c", work / "program", work / "program.o"
    source.write_text(PROGRAM, encoding="utf-8")
    compiler = [seeds.bin / "rsan-clang", "-fsanitize=robustness", "-g", "-O1", source]
    subprocess.run([*compiler, "-o", program], check=True)
    subprocess.run([*compiler, "-c", "-o", unlinked], check=True)
    seeds.add_reports(program)
    seeds.add_symbols(program, unlinked)
    seeds.add_runs(program)
    seeds.add_units(program)
    seeds.add_others(program)
    seeds.add_runtime(program, compiler[:-1], to)
    for target, inputs in FOUND.items():
        seeds.add(target, *inputs)
    for target in CUT:
        seeds.add_cuts(target)
    shutil.rmtree(work)
    seeds.to.rename(to)
