# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_commands.py FOLDER BIN WORK [--record] [PAGE...]: does what README.md and docs/guide show happen?

A block of a page that has lines `$ COMMAND` is a transcript. Each page's transcripts are carried out in order, in a folder of
its own that has the examples, with RSan's commands of BIN. Their output must be what the page shows. A line `...` of a page
stands for any lines, and ` ...` at the end of a line for its rest. Addresses, process ids, times and the like may differ.
The commands of some pages take minutes. Those of RECORDED are carried out by `--record` alone, which notes their output in
recorded.jsonl; otherwise the pages are compared with that.

Other blocks show how a command is called: each option that they give to a command of RSan must be one that it has.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

RECORDED = ("CHECK", "CONFIRM", "FIX", "GCC", "RUST", "SCHEDULES", "TUTORIAL")  # RUST with Debian's compiler: PATH=/usr/bin:/bin
RECORDS = pathlib.Path(__file__).resolve().parent / "recorded.jsonl"
CHANGES = (  # what differs from run to run, and what all of it becomes
    (r" \(BuildId: [0-9a-f]+\)", ""),
    (r"\b(pid|tid)=\d+", r"\1=N"),
    (r", (running|finished)\) created", ", N) created"),
    (r"0x[0-9a-f]+", "0xN"),
    (r"\d+ of \d+ runs with a departure, 0 of \d+ without", "N of N runs with a departure, 0 of N without"),
    (r"(tsan_interceptors_posix\.cpp):\d+:\d+", r"\1:N"),
    (r"/tmp/(rsan-[a-z]+)-\w{6}\b", r"/tmp/\1-X"),
    (r"/schedule\.\d+", "/schedule.N"),
    (r"strip_path_prefix=(?:[^:' ]*):?", ""),
    (r"\b\d+ departures\b", "N departures"),
    (r"version \d+\.\d+\.\d+", "version N"),
    (r"(\+0xN)+\b", "+0xN"),
    (r"\d+ executions a second", "N executions a second"),
    (r"\bprocess \d+ ", "process N "),
    (r"/[\w./-]*compiler-rt/lib/", "compiler-rt/lib/"),
)
OURS = re.compile(r"(?:^|[;&|] *)(?:[A-Z_]+=\S+ +)*(?:build/bin/|DIR/bin/)?(rsan(?:-edit|-replay|-symbolize)?)(?: +([a-z]+))?((?: .*)?)$")
SUBCOMMANDS = "demo doctor report run unit merge check confirm replay fix".split()


def blocks(text):
    """(line, lines) of each block of code."""
    found, fence, before = [], None, ""
    lines = text.split("\n")
    for number, line in enumerate(lines, 1):
        if line.startswith("```"):
            fence = None if fence is not None else []
            if fence is not None:
                found.append((number + 1, fence))
        elif fence is not None:
            fence.append(line)
        elif line.startswith("    ") and (not before.strip() or found and found[-1][1] and found[-1][0] + len(found[-1][1]) == number):
            if not (found and found[-1][0] + len(found[-1][1]) == number):
                found.append((number, []))
            found[-1][1].append(line[4:])
        elif not line.strip() and found and found[-1][0] + len(found[-1][1]) == number and any(
            one.strip() for one in lines[number : number + 1]
        ) and lines[number].startswith("    "):
            found[-1][1].append("")
        before = line
    return found


def steps(block):
    """(line, command, output lines) of a transcript; () for other blocks."""
    first, lines = block
    found = []
    for number, line in enumerate(lines, first):
        if line.startswith("$ "):
            found.append((number, line[2:], []))
        elif found:
            found[-1][2].append(line)
    return found


def normal(line):
    for pattern, text in CHANGES:
        line = re.sub(pattern, text, line)
    return line.rstrip()


def same(wanted, got):
    if wanted.endswith(" ..."):
        return got.startswith(wanted[:-3].rstrip())
    return wanted == got


def matches(wanted, got):
    """Is `got` what the page shows? A line `...` stands for any lines."""
    reachable = {0}  # how many lines of `got` the lines so far may have taken
    for line in wanted:
        if line.strip() == "...":
            reachable = set(range(min(reachable, default=0), len(got) + 1)) if reachable else set()
        else:
            reachable = {at + 1 for at in reachable if at < len(got) and same(line, got[at])}
    return len(got) in reachable


def strip_blank(lines):
    while lines and not lines[-1].strip():
        lines = lines[:-1]
    while lines and not lines[0].strip():
        lines = lines[1:]
    return lines


class Page:
    def __init__(self, root, path, bin_folder, work):
        self.bin_folder = bin_folder
        self.path, self.text = path, (root / path).read_text(encoding="utf-8")
        self.folder = work / path.replace("/", "_")
        shutil.rmtree(self.folder, ignore_errors=True)
        shutil.copytree(root / "examples", self.folder / "examples")
        for file in (root / "examples").glob("*.[ch]"):
            shutil.copy(file, self.folder)
        shutil.copytree(root / "eval/synthetic", self.folder / "eval/synthetic")
        keep = {name: value for name, value in os.environ.items() if name in ("HOME", "LANG")}
        self.environment = keep | {
            "PATH": f"{bin_folder}:{os.environ['PATH']}",
            "XDG_STATE_HOME": str(self.folder / "state"),
            "RSAN_OPTIONS": f"strip_path_prefix={self.folder}/",
        }

    def run(self, command):
        done = subprocess.run(["bash", "-c", f"set -o pipefail; {command}"], cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)  # fmt: skip
        return done.returncode, done.stdout.decode("utf-8", "replace").split("\n")

    def transcripts(self):
        """(line, command, status, lines of output, lines that the page has) of each command, carried out."""
        status = 0
        for block in blocks(self.text):
            for line, command, wanted in steps(block):
                if command == "echo $?":
                    got = [str(status)]
                else:
                    status, got = self.run(command)
                got = [one.replace(f"{self.folder}/", "").replace(f"{self.bin_folder.parent}/", "/usr/lib/rsan/") for one in got]
                yield line, command, status, [normal(one) for one in strip_blank(got)], wanted

    def recorded(self, records):
        """The same from the records, which have to be of these commands."""
        notes = [one for one in records if one["page"] == self.path]
        shown = [step for block in blocks(self.text) for step in steps(block)]
        for (line, command, wanted), note in zip(shown, notes + [None] * len(shown)):
            if note and note["command"] == command:
                yield line, command, note["status"], [normal(one) for one in note["output"]], wanted
            else:
                yield line, command, None, ["(not recorded: check_commands.py --record)"], ["..."] + wanted + ["(recorded)"]


def faults(path, transcripts):
    for line, command, _, got, wanted in transcripts:
        if not matches([normal(one) for one in strip_blank(wanted)], got):
            yield path, line, f"`{command}' printed:\n" + "\n".join(f"    {one}" for one in got[:60])


def options_of(bin_folder, program, subcommand):
    words = [str(bin_folder / program), *([subcommand] if subcommand else []), "--help"]
    text = subprocess.run(words, capture_output=True, text=True, check=False).stdout
    return set(re.findall(r"(?<![\w-])--?[a-z?V][a-z-]*", text))


def check_usage(path, text, bin_folder, known):
    for first, lines in blocks(text):
        for number, line in enumerate(lines, first):
            match = OURS.search(re.sub(r" +#.*", "", line.removeprefix("$ ")))
            if not match or (match.group(1) == "rsan" and match.group(2) not in SUBCOMMANDS):
                continue
            program, subcommand = match.group(1), match.group(2) if match.group(1) == "rsan" else None
            key = program, subcommand
            if key not in known:
                known[key] = options_of(bin_folder, *key)
            for word in match.group(3).split():
                if word in ("--", "|", "||", ";"):
                    break
                option = re.match(r"--?[a-z][a-z-]*", word)
                if option and option.group() not in known[key]:
                    yield path, number, f"{program} {subcommand or ''} has no option {option.group()}"


def read_records():
    if not RECORDS.exists():
        return []
    return [json.loads(line) for line in RECORDS.read_text(encoding="utf-8").splitlines()]


def carry_out(page, is_recorded, record, records):
    """The faults of a page's transcripts. With `record` the records get what was printed."""
    if is_recorded and not record:
        return list(faults(page.path, page.recorded(records)))
    done = list(page.transcripts())
    if is_recorded:
        records[:] = [one for one in records if one["page"] != page.path]
        records += [{"page": page.path, "command": command, "status": status, "output": got} for _, command, status, got, _ in done]
    return list(faults(page.path, done))


def main():
    record = "--record" in sys.argv
    arguments = [argument for argument in sys.argv[1:] if argument != "--record"]
    root, bin_folder, work = (pathlib.Path(argument).absolute() for argument in arguments[:3])
    work.mkdir(parents=True, exist_ok=True)
    pages = arguments[3:] or ["README.md", *sorted(str(page.relative_to(root)) for page in (root / "docs/guide").glob("*.md"))]
    records = read_records()
    found, known, count = [], {}, 0
    for path in pages:
        page = Page(root, path, bin_folder, work)
        found += carry_out(page, pathlib.Path(path).stem in RECORDED, record, records)
        found += check_usage(path, page.text, bin_folder, known)
        count += sum(len(steps(block)) for block in blocks(page.text))
        shutil.rmtree(page.folder)
    if record:
        lines = (json.dumps(one) for one in sorted(records, key=lambda one: one["page"]))
        RECORDS.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    for path, line, what in found:
        print(f"{path}:{line}: {what}")
    print(f"{len(pages)} pages, {count} commands, {len(found)} faults")
    return 1 if found or not count else 0


if __name__ == "__main__":
    sys.exit(main())
