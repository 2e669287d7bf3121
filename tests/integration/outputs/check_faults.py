# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_faults.py edit|fix SHIM PROGRAM CLANG MODEL FOLDER: sources are repaired as a whole or not at all

Every write, close, rename ... of rsan-edit --write, or of rsan fix --apply, fails in turn (faults.c). After each run every source is as it
was or wholly repaired, and exit status and messages say which; nothing else is left behind.
"""

import json
import os
import shutil
import subprocess
import sys

import faults

SOURCE = """#include <stdatomic.h>
atomic_int {0}, {0}_other;
int f_{0}(void) {{
  atomic_store_explicit(&{0}, 1, memory_order_relaxed);
  return atomic_load_explicit(&{0}_other, memory_order_relaxed);
}}
"""
MODE = 0o640


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def files_below(folder):
    return sorted(os.path.join(at, name) for at, _, names in os.walk(folder) for name in names)


class Subject:
    """Sources below a folder, and a command that repairs them."""

    def __init__(self, folder):
        self.work = folder
        self.sources_folder = os.path.join(folder, "sources")
        self.old, self.new = {}, {}

    def prepare(self):
        shutil.rmtree(self.sources_folder, ignore_errors=True)
        for path, text in self.old.items():
            os.makedirs(os.path.dirname(path), exist_ok=True)
            write(path, text)
            os.chmod(path, MODE)
        for path, text in self.beside.items():
            write(path, text)

    def learn(self):
        """What it does when nothing fails."""
        self.prepare()
        done = subprocess.run(self.command, capture_output=True, text=True, check=False, cwd=self.work)
        assert done.returncode == 0, done.stderr
        self.new = {path: read(path) for path in self.old}
        assert all(self.new[path] != self.old[path] for path in self.old), "nothing was repaired"

    def repaired(self):
        """Those that are repaired; each other one must be as it was."""
        found = []
        for path, text in self.old.items():
            now = read(path)
            assert now in (text, self.new[path]), f"{path} is neither as it was nor repaired:\n{now}"
            assert os.stat(path).st_mode & 0o7777 == MODE, f"another mode: {path}"
            if now != text:
                found.append(path)
        return found

    def left_over(self):
        return [path for path in files_below(self.sources_folder) if path not in self.old and path not in self.beside]


class Edit(Subject):
    names = ("one/a.c", "one/b.c", "two/c.c")
    beside = {}

    def __init__(self, folder, program, clang):
        super().__init__(folder)
        rules, binaries = [], []
        for name in self.names:
            path = os.path.join(self.sources_folder, name)
            self.old[path] = SOURCE.format(os.path.basename(name)[0])
            rules.append(f"fence-after {path}:4:3\n")
            binaries.append(os.path.join(folder, name.replace("/", "-")[:-1] + "o"))
        self.prepare()
        for path, binary in zip(self.old, binaries):
            subprocess.run([clang, "-g", "-c", path, "-o", binary], check=True)
        write(os.path.join(folder, "rules"), "".join(rules))
        self.command = [program, "rules", "--write", "--yaml", os.path.join(self.sources_folder, "out.yaml")]
        self.command += ["--output", os.path.join(self.sources_folder, "out.diff")]
        for binary in binaries:
            self.command += ["--binary", binary]
        self.learn()

    def left_over(self):
        return [path for path in super().left_over() if os.path.basename(path) not in ("out.yaml", "out.diff")]

    def check(self, one, how):
        repaired = self.repaired()
        said = [path for path in self.old if f"{path}: changed\n" in one.err]
        if how == "kill":
            return
        kept = [path for path in self.left_over() if f"the old text is in {path}\n" in one.err]
        assert self.left_over() == kept, f"left behind: {self.left_over()}"
        if one.status == 0:
            assert len(repaired) == len(said) == len(self.old), one.err
        elif one.status == 2:
            assert not repaired and not said and "nothing was changed" in one.err, one.err
        else:
            assert one.status == 3 and how == "all", (one.status, one.err)
            assert repaired == said and len(kept) == len(repaired), one.err
            unchanged = [path for path in self.old if f"{path}: not changed\n" in one.err]
            assert len(unchanged) + len(repaired) == len(self.old), one.err
            for path in kept:
                assert read(path) in self.old.values()


class Fix(Subject):
    """rsan fix on the model of a program (../fix/model.c); `build` is its --build, if there is one."""

    def __init__(self, folder, program, clang, model, build):
        super().__init__(folder)
        source = os.path.join(self.sources_folder, "model.c")
        text = SOURCE.format("x").replace("  atomic_store", "  /*a*/atomic_store").replace("return ", "return /*b*/")
        self.old = {source: text}
        cycle = {"token": "1", "cycle": ["a po", "b fr"], "repairs": [{"kind": "fence", "frame": "a"}]}
        cycle["needs"] = [["fence-after a", "fence-before b"]]
        self.beside = {source[:-1] + "json": json.dumps([cycle])}
        self.prepare()
        # Not below the folder whose calls fail, and with its name.
        made = os.path.join(folder, "model.o")
        subprocess.run([clang, "-g", "-c", source, "-o", made], check=True)
        self.build, self.made = build, made
        self.command = [program, "fix", "--runs", "2", "--apply"]
        self.command += ["--output", os.path.join(self.sources_folder, "out.diff")]
        command = ["--", model, source[:-1] + "json"]
        built = self.command
        self.command = built + command
        self.learn()
        if build:
            self.command = built + ["--build", build] + command

    def prepare(self):
        super().prepare()
        if os.path.exists(os.path.join(self.work, "model.o")):
            shutil.copy2(os.path.join(self.work, "model.o"), self.sources_folder)

    def left_over(self):
        own = ("model.o", "model.json.counter", "out.diff", "out.diff.yaml")
        return [path for path in super().left_over() if os.path.basename(path) not in own]

    def check(self, one, how):
        repaired = self.repaired()
        if one.status < 0:  # killed, and says nothing
            assert how == "kill", one.status
            return
        if how == "kill" and one.status == 4:  # rsan-edit was, after it had changed the source
            assert repaired and "applied to 1 of 1 sources" in one.out, one.out
            return
        assert how == "kill" or not self.left_over(), f"left behind: {self.left_over()}"
        if self.build:
            assert one.status == 1, (one.status, one.out, one.err)
            said = "the sources are not put back" in one.err
            assert said == bool(repaired), (one.out, one.err)
            assert said or "the sources are as they were" in one.err or "no source was changed" in one.err, one.err
        else:
            assert one.status in (0, 1), (one.status, one.err)
            assert (one.status == 0) == bool(repaired), (one.status, one.err)
            assert ("applied, not rebuilt" in one.out) == bool(repaired), one.out
            assert repaired or "not applied: no source was changed" in one.err or "cannot write" in one.err, one.err


def check(subject, how, shim):
    """How many runs there were, and which calls failed."""
    runs, calls, ends = 0, {}, {}
    last = None
    for one in faults.each(subject.prepare, subject.command, shim, subject.sources_folder, subject.work, how, cwd=subject.work):
        try:
            subject.check(one, how)
        except AssertionError as error:
            sys.exit(f"{how}, {one.failed}: {error}")
        runs += 1
        ends[one.status] = ends.get(one.status, 0) + 1
        if one.failed:
            name = one.failed[0].split(" ")[0]
            calls[name] = calls.get(name, 0) + 1
        last = one
    print(f"{how}: {runs} runs; failed first: {calls}; exit statuses: {ends}")
    assert last.status == (1 if getattr(subject, "build", None) else 0), last.err
    return calls, ends


def main():
    what, shim, program, clang, model, folder = sys.argv[1:]
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    folder = os.path.realpath(folder)
    os.environ["TMPDIR"] = os.path.join(folder, "tmp")  # removed below, because a command that is killed leaves its folder
    os.mkdir(os.environ["TMPDIR"])
    write(os.path.join(folder, "compile_commands.json"), "[]")
    if what == "edit":
        subjects = [Edit(folder, program, clang)]
    else:
        subjects = [Fix(folder, program, clang, model, build) for build in (None, "false")]
    for subject in subjects:
        for how in ("once", "all", "kill"):
            calls, ends = check(subject, how, shim)
            assert {"mkostemp", "write", "close", "rename", "fchmod"} <= set(calls), calls
            if what == "edit":
                assert "link" in calls, calls
                assert how != "all" or 3 in ends, "no run that could not put something back"
                assert how != "once" or ends[0] > 1, "a file system without links"
            elif how == "kill" and not subject.build:
                assert 4 in ends, "rsan-edit was never killed after it had changed the source"
    shutil.rmtree(os.environ["TMPDIR"])
    return 0


if __name__ == "__main__":
    sys.exit(main())
