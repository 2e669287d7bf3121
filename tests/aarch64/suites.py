# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The suites that run in the machine: how their programs are built, and which calls they are.

The litmus programs are called here, by what the head of each says. The others are tests as they are on this machine,
whose programs are stand-ins (stand_in.py): they are run twice, first to record their calls, and then on what came of them.
"""

import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import machine

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
LITMUS = ROOT / "tests" / "litmus"
EXAMPLES = ("dekker", "hazard_pointer", "seqlock")
TARGET = "--target=aarch64-linux-gnu"
REPEATS = 100  # of robust programs, by the machine's scheduler
SECONDS = 0.005  # that a run of a litmus program takes there, about: to guess which call takes long
SHORTEST = 50
VERDICT = re.compile(r"^// Verdict: (robust|not robust|race) \(([0-9]+/[0-9]+|any run)\)$", re.M)


class Setup:
    """`build`: the repository's build folder. `work`: this run's. `only`: a pattern of names."""

    def __init__(self, build, work, only=""):
        self.build, self.work, self.only = build, work, re.compile(only)
        self.llvm = pathlib.Path(cached(build, "RSAN_LLVM_CONFIG")).resolve().parent.parent
        self.major = cached(build, "RSAN_LLVM")
        self.resources = build / "lib" / "clang" / self.major
        given = cached(build, "RSAN_LLVM_SOURCE_DIR")
        self.source = pathlib.Path(given or build / "llvm-source")
        self.tools = work / "tools"
        self.clang, self.clangxx = (build / "bin" / name for name in ("rsan-clang", "rsan-clang++"))
        self.runtime = self.resources / "lib" / "linux" / "libclang_rt.rsan-aarch64.so"

    def compiler(self, name):
        """A compiler in one word, as configurations of lit want it."""
        script = self.work / "bin" / name
        script.parent.mkdir(exist_ok=True)
        script.write_text(f'#!/bin/sh\nexec "{HERE}/compile" "{self.work}" "{self.build}/bin/{name}" "$@"\n', encoding="utf-8")
        script.chmod(0o755)
        return str(script)


def cached(build, name):
    found = re.search(rf"^{name}:[A-Z]+=(.*)$", (build / "CMakeCache.txt").read_text(encoding="utf-8"), re.M)
    return found.group(1) if found else ""


def run(command, **options):
    subprocess.run([str(word) for word in command], check=True, **options)


# -- litmus --


def compile_litmus(setup, folder):
    """{name of a program: its file}, and the heads of their sources, {name: text}"""
    programs = folder / "programs"
    folder.mkdir(parents=True, exist_ok=True)
    names = subprocess.run(
        [sys.executable, LITMUS / "generate.py", programs, folder / "find.c", LITMUS / "shapes.txt", LITMUS / "algorithms.txt"],
        stdout=subprocess.PIPE, text=True, check=True,
    ).stdout.strip().split(";")  # fmt: skip
    flags = ["-std=c11", "-g", "-I", LITMUS]
    stock = [setup.llvm / "bin" / "clang", TARGET, *flags, "-O2", "-c"]
    sanitized = [setup.clang, TARGET, "-fsanitize=robustness", *flags, "-O1", "-c"]
    cxx = [setup.clangxx, TARGET, "-fsanitize=robustness", "-std=c++20", "-g", "-O1", "-I", LITMUS]
    harness = [folder / "scheduler.o", folder / "runner.o"]
    jobs = [[*stock, source, "-o", folder / f"{source.stem}.o"]
            for source in (LITMUS / "scheduler.c", LITMUS / "runner.c", folder / "find.c")]  # fmt: skip
    for name in names:
        symbol = "litmus_" + re.sub(r"[^A-Za-z0-9]", "_", name)
        jobs.append([*sanitized, f"-Dlitmus_program={symbol}", programs / f"{name}.c", "-o", programs / f"{name}.o"])
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        list(pool.map(run, jobs))
        everything = folder / "all-in-c"
        objects = [folder / "find.o", *(programs / f"{name}.o" for name in names)]
        links = [[setup.clang, TARGET, "-fsanitize=robustness", *objects, *harness, "-o", everything]]
        sources = sorted((LITMUS / "cxx").glob("*.cpp"))
        links += [[*cxx, source, *harness, "-o", folder / source.stem] for source in sources]
        list(pool.map(run, links))
    files = {name: everything for name in names} | {source.stem: folder / source.stem for source in sources}
    heads = {name: (programs / f"{name}.c").read_text(encoding="utf-8") for name in names}
    return files, heads | {source.stem: source.read_text(encoding="utf-8") for source in sources}


def litmus_calls(setup):
    files, heads = compile_litmus(setup, setup.work / "litmus")
    calls = []
    for name, file in sorted(files.items()):
        verdict, count = VERDICT.search(heads[name]).groups()
        modes = []
        if count != "any run":
            arguments = ["--races" if verdict == "race" else "--violations", count]
            modes.append(("all", arguments, int(count.split("/")[1]), 1))
        if verdict == "robust":
            modes.append(("free", ["--repeat", str(REPEATS)], REPEATS, 2))
        for engine, apart in (("compact", []), ("explicit", ["--apart", "250"])):
            options = {"RSAN_OPTIONS": f"clocks={engine}"}
            calls += [machine.Call(f"litmus {name} {engine} {mode}", file, f"/litmus/{name}", apart + arguments,
                                   environment=options, weight=1 + runs * SECONDS, cpus=cpus, group=f"{name} {engine} {mode}")
                      for mode, arguments, runs, cpus in modes]  # fmt: skip
    return [call for call in calls if setup.only.search(call.key)]


# -- a report of the machine's, read here --


def report_call(setup):
    """A program that is at another place there than here, and has no symbolizer."""
    program = setup.work / "machine" / "sysroot" / "srv" / "dekker"
    program.parent.mkdir(parents=True, exist_ok=True)
    run([setup.clang, TARGET, "-fsanitize=robustness", "-g", "-O1", ROOT / "examples" / "dekker.c", "-o", program])
    options = {"RSAN_OPTIONS": "report_format=json:symbolize=0"}
    return machine.Call("report dekker", program, "/srv/dekker", environment=options)


def judge_report(setup, outcome):
    """What is wrong with the record as a page, or None."""
    if not outcome or outcome.status != 66 or b"enter_second" in outcome.out:
        return f"no record without names: {outcome.out.decode(errors='replace') if outcome else ''}"
    record = setup.work / "report.jsonl"
    record.write_bytes(outcome.out)
    sysroot = f"--sysroot={setup.work}/machine/sysroot"
    for form, options, status in (("text", [], 1), ("text", [sysroot], 0), ("html", [sysroot], 0)):
        done = subprocess.run(
            [setup.build / "bin" / "rsan", "report", "--format", form, *options, record],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
        )  # fmt: skip
        (setup.work / f"report.{form}").write_text(done.stdout, encoding="utf-8")
        named = {name in done.stdout for name in ("enter_second", "examples/dekker.c")}
        if done.returncode != status or named != {status == 0}:
            return f"rsan report --format {form} {' '.join(options)}: exit status {done.returncode}\n{done.stdout[:4000]}"
    return None


# -- tests whose programs are stand-ins --


def run_examples(setup, recording):
    """{test: its output, or None if it passed}"""
    results, folder = {}, ROOT / "tests" / "integration" / "examples"
    environment = {**os.environ, "FILECHECK": str((setup.tools if recording else setup.llvm / "bin") / "FileCheck")}
    for example in EXAMPLES:
        for name, expected in ((example, "violation"), (f"{example}_repaired", "robust")):
            for level in ("-O1", "-O2"):
                if not setup.only.search(f"example {name}{level}"):
                    continue
                program = setup.work / "examples" / f"{name}{level}" / name
                checks = folder / f"{example}.check" if expected == "violation" else "-"
                command = [folder / "check-example", expected, checks, program, "1", "--"]
                command += [setup.compiler("rsan-clang"), "-fsanitize=robustness", "-g", level]
                command += [ROOT / "examples" / f"{name}.c", "-o", program]
                done = subprocess.run(map(str, command), env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                      stderr=subprocess.STDOUT, text=True, check=False)  # fmt: skip
                results[f"example {name}{level}"] = None if done.returncode == 0 else done.stdout
    return results


def chosen_tests(setup):
    """{suite: tests}: those of suites.txt, and the shortest of LLVM's by the size of their sources."""
    words = [line.split() for line in (HERE / "suites.txt").read_text(encoding="utf-8").splitlines()]
    left_out = {line[1].rstrip(":") for line in words if line[:1] == ["not"]}
    tsan = setup.source / "compiler-rt" / "test" / "tsan"
    sources = [file for file in tsan.iterdir() if file.suffix in (".c", ".cpp") and file.name not in left_out]
    shortest = sorted(sources, key=lambda file: (file.stat().st_size, file.name))[:SHORTEST]
    chosen = {"lit": [line[1] for line in words if line[:1] == ["lit"]], "tsan": [file.name for file in shortest]}
    chosen = {suite: [test for test in tests if setup.only.search(f"{suite} {test}")] for suite, tests in chosen.items()}
    return {suite: tests for suite, tests in chosen.items() if tests}


def write_lit_configuration(setup, suite, recording):
    folder = setup.work / suite
    folder.mkdir(parents=True, exist_ok=True)
    values = {"arm_tools": str(setup.tools) if recording else "", "llvm_prefix": str(setup.llvm),
              "llvm_major": setup.major,
              "llvm_source_dir": str(setup.source), "resource_dir": str(setup.resources),
              "python_executable": sys.executable, "build_dir": str(setup.build), "source_dir": str(ROOT),
              "stock_clang": "/nonexistent", "stock_clangxx": "/nonexistent", "cmake": "/nonexistent",
              "lit_source_dir": str(ROOT / "tests/lit"), "lit_binary_dir": str(folder),
              "rsan_clang": setup.compiler("rsan-clang"), "rsan_clangxx": setup.compiler("rsan-clang++"),
              "rsan_tool": "aarch64", "rsan_exec_root": str(folder), "rsan_options": "", "sanitizer": "robustness",
              "clang": setup.compiler("rsan-clang"), "rsan_target": "aarch64"}  # fmt: skip
    lines = [f"config.{name} = {value!r}" for name, value in values.items()]
    lines.append(f"lit_config.load_config(config, {str(HERE / 'lit' / (suite + '.cfg.py'))!r})")
    (folder / "lit.site.cfg.py").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


def run_lit(setup, suite, tests, recording):
    folder = write_lit_configuration(setup, suite, recording)
    output = folder / "results.json"
    sources = [f"{folder}/{'runtime/' if suite == 'lit' else ''}{test}" for test in tests]
    output.unlink(missing_ok=True)
    lit = [sys.executable, setup.source / "llvm/utils/lit/lit.py", "-q", "-j", "2", "-o", output, *sources]
    subprocess.run(map(str, lit), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.STDOUT, check=False)
    found = {test["name"].split(" :: ")[1].removeprefix("runtime/"): test
             for test in json.loads(output.read_text(encoding="utf-8"))["tests"]}  # fmt: skip
    return {f"{suite} {test}": found.get(test, {"code": "MISSING", "output": "lit knows no such test"}) for test in tests}


def start_mode(setup, mode):
    shutil.rmtree(setup.work / "counters", ignore_errors=True)
    (setup.work / "counters").mkdir()
    (setup.work / "mode").write_text(str(mode), encoding="utf-8")


def record(setup):
    """Builds all stand-ins, and returns the calls that their tests make."""
    start_mode(setup, "record")
    for folder in (setup.work / "calls", setup.tools):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
    for tool in ("FileCheck", "count", "not", "exits"):
        (setup.tools / tool).symlink_to(HERE / "lit" / "tools")
    run_examples(setup, True)
    for suite, tests in chosen_tests(setup).items():
        run_lit(setup, suite, tests, True)
    return recorded_calls(setup)


def replay(setup, outcomes, results):
    """{test: its output, or None if it passed}. `results`: a folder for what came of the calls."""
    shutil.rmtree(results, ignore_errors=True)
    results.mkdir(parents=True)
    for name, outcome in outcomes.items():
        (results / f"{name}.status").write_text(f"{outcome.status}\n", encoding="ascii")
        (results / f"{name}.out").write_bytes(outcome.out)
        (results / f"{name}.err").write_bytes(outcome.err)
    start_mode(setup, results)
    verdicts = run_examples(setup, False)
    for suite, tests in chosen_tests(setup).items():
        for name, test in run_lit(setup, suite, tests, False).items():
            # LLVM's are chosen by their length alone: some are for other systems.
            if suite != "tsan" or test["code"] != "UNSUPPORTED":
                verdicts[name] = None if test["code"] in ("PASS", "XFAIL") else f"{test['code']}\n{test['output']}"
    return verdicts


def needed_files(setup, calls):
    """Files that programs load, or that their options name."""
    files = {setup.runtime}
    for suite in ("lit", "tsan"):
        files.update((setup.work / suite).glob("**/*.so"))
    for call in calls:
        for value in call.environment.values():
            files.update(path for path in map(pathlib.Path, re.findall(r"=(/[^:=]+)", value)) if path.is_file())
    return sorted(files)


def recorded_calls(setup):
    calls = []
    for file in sorted((setup.work / "calls").glob("*.json")):
        call = json.loads(file.read_text(encoding="utf-8"))
        test = call["program"].split(".tmp")[0]  # what lit's %t begins with; programs of one test may share files
        calls.append(machine.Call(
            file.stem, file.with_suffix(".program"), call["program"], call["arguments"], call["folder"],
            call["environment"], call["merged"], group=test))  # fmt: skip
    return calls
