# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The rows of check-hostile: what a command is given, its exit status, and a text of its output.

A row is a generator of the file's content or of a file, which is made in the row's own folder.
"""

import gzip
import hashlib
import io
import json
import os
import re
import subprocess
import tarfile

HOLE = 3 << 30  # bytes of a file that has nothing in it


class Row:
    def __init__(self, name, status, text, make, **more):
        self.name, self.status, self.text, self.make = name, status, text, make
        self.environment = more.get("environment", {})
        self.unlimited = more.get("unlimited", False)  # the runtime needs address space


def write(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def hole(path):
    with path.open("wb") as file:
        file.truncate(HOLE)
    return path


def fifo(path):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    os.mkfifo(path)
    return path


def sealed(content):
    """As run/asked.c writes it."""
    content = {name: content[name] for name in content if name not in ("format", "checksum")} | {"format": content.get("format", 1)}
    text = json.dumps(content, separators=(",", ":"), ensure_ascii=False)
    return json.dumps(content | {"checksum": hashlib.sha256(text.encode()).hexdigest()})


def archive(path, *members):
    """Returns an archive of `members`: pairs of a name and a content, or tarfile.TarInfo objects."""
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w") as made:
        for member in members:
            if isinstance(member, tarfile.TarInfo):
                made.addfile(member)
                continue
            name, content = member
            info = tarfile.TarInfo(name)
            content = content if isinstance(content, bytes) else content.encode()
            info.size = len(content)
            made.addfile(info, io.BytesIO(content))
    return write(path, gzip.compress(raw.getvalue(), 1))


def special(name, kind, target=""):
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return info


class Table:
    def __init__(self, folder, source, work, state):
        self.rsan, self.bin, self.work = folder / "rsan", folder, work
        self.program = work / "program"
        work.mkdir()
        environment = dict(os.environ, XDG_STATE_HOME=str(state))

        def call(*command, **more):
            return subprocess.run(command, env=environment | more, cwd=work, capture_output=True, check=False, stdin=subprocess.DEVNULL)

        call(folder / "rsan-clang", "-fsanitize=robustness", "-g", "-O1", source, "-o", self.program)
        reports = call(self.program, RSAN_OPTIONS="report_format=json").stderr
        self.record = json.loads(next(line for line in reports.splitlines() if line.startswith(b"{")))
        self.recorded = work / "recorded"
        call(self.program, RSAN_OPTIONS=f"schedule=mix:schedule_file={self.recorded}")
        call(self.rsan, "check", "--stop-on-first", "--output", "checked", "--", self.program)
        call(self.rsan, "confirm", "--controls", "1", "--runs", "1", "--output", "confirmed", "--", self.program)
        call(self.rsan, "unit", "--seeds", "1..1", "--output", "unit.tgz", "--", self.program)
        with tarfile.open(work / "unit.tgz") as unit:
            self.unit = {name: unit.extractfile(name).read() for name in unit.getnames() if "/" not in name}

    # -- commands --

    def report(self, make, *options):
        return lambda at: [self.rsan, "report", *options, make(at)]

    def record_with(self, change):
        """`rsan report` of the record, after CHANGE has changed it."""

        def make(at):
            record = json.loads(json.dumps(self.record))
            return write(at / "reports.jsonl", json.dumps(change(record) or record, separators=(",", ":")) + "\n")

        return self.report(make, "--format", "html")

    def replay(self, content, *options):
        return lambda at: [self.rsan, "replay", *options, content(at) if callable(content) else write(at / "schedule", content)]

    def merge(self, *members, **changed):
        """A unit with other files, and further members."""
        files = {**self.unit, **{name.replace("_", "."): content for name, content in changed.items()}}
        return lambda at: [self.rsan, "merge", archive(at / "unit.tgz", *files.items(), *members)]

    def manifest(self, **changed):
        return self.merge(manifest_json=json.dumps(json.loads(self.unit["manifest.json"]) | changed))

    def resume(self, command, name, change, *options):
        """A folder that COMMAND goes on with, whose file NAME is what CHANGE makes of it."""
        folder = {"check": "checked", "confirm": "confirmed"}[command]

        def make(at):
            subprocess.run(["cp", "-r", self.work / folder, at / "folder"], check=True)
            change(at / "folder" / name)
            return [self.rsan, command, *options, "--resume", at / "folder"]

        return make

    def asked(self, **changed):
        def change(path):
            content = json.loads(path.read_text(encoding="utf-8")) | changed
            path.write_text(sealed({name: value for name, value in content.items() if value is not None}), encoding="utf-8")

        return change

    def doctor(self, content):
        return lambda at: [self.rsan, "doctor", "--no-build", content(at) if callable(content) else write(at / "file", content)]

    def edit_database(self, at):
        """A repair of a file beside which a FIFO is the compilation database."""
        write(at / "f.c", "int x;\nvoid f(void) { x = 1; }\n")
        fifo(at / "compile_commands.json")
        return [self.bin / "rsan-edit", write(at / "rules", f"fence-after {at}/f.c:2:19\n")]

    # -- rows --

    def rows(self):
        yield from self.report_rows()
        yield from self.replay_rows()
        yield from self.merge_rows()
        yield from self.resume_rows()
        yield from self.other_rows()

    def report_rows(self):
        def set_frames(record, **members):
            for access in record["accesses"]:
                access["place"] |= members
                for frame in access["stack"]:
                    frame |= members

        def raw(module):
            module = str(module)

            def change(record):
                for access in record["accesses"]:
                    access["stack"] = [{"pc": "0x1", "module": module, "offset": "0x1"}]
                    del access["place"]

            return change

        def nested(at):
            return write(at / "file", '{"rsan_report":' + "[" * 200000 + "\n")

        yield Row("report twin", 0, "</html>", self.record_with(lambda record: None))
        yield Row("report nested", 1, "the record is no JSON", self.report(nested))
        yield Row("report hole", 2, "File too large", self.report(lambda at: hole(at / "file")))
        yield Row("report zero bytes", 1, "the record is no JSON", self.report(lambda at: write(at / "f", b'{"rsan_report":1,\0"type":"\0"}\n')))
        yield Row("report lines", 0, "</html>", self.record_with(lambda record: set_frames(record, line=1e308, column=-1e308)))
        yield Row("report last line", 0, "</html>", self.record_with(lambda record: set_frames(record, line=18446744073709551615)))
        yield Row("report not numbers", 0, "</html>", self.record_with(lambda record: set_frames(record, line="x", column=[])))
        yield Row("report fifo as module", 1, "no 64-bit ELF file", self.record_with(raw(fifo(self.work / "module"))))
        yield Row("report device as module", 1, "no 64-bit ELF file", self.record_with(raw("/dev/zero")))
        yield Row("report threads", 0, "</html>", self.record_with(lambda record: record["accesses"][0].update(thread=-1e300)))
        yield Row("report no cycle", 1, "its parts are not as docs/guide/FORMATS.md says", self.record_with(lambda record: record["cycle"].update(steps=[None, 1, {}])))
        yield Row("report token", 0, "</html>", self.record_with(lambda record: record.update(token="x" * 100000)))
        for name in "accesses", "repairs":
            yield Row(f"report {name}", 1, "more accesses, stacks or repairs than a report", self.record_with(
                lambda record, name=name: record.update({name: (record[name] * 1000)[:1001]})))  # fmt: skip
        yield Row("report no accesses", 1, "the record is left out", self.record_with(lambda record: record.update(accesses=None)))

    def replay_rows(self):
        schedule = "rsan-schedule 1\nbuild 00\narguments %s\noptions schedule=mix\nsteps\nend 0\n"
        yield Row("replay foreign", 2, "is not run", self.replay(schedule % "/bin/sh -c touch%20pwned"))
        yield Row("replay without program", 2, "which program", self.replay(schedule % "   ", "--trust"))
        yield Row("replay zero byte", 127, "No such file", self.replay(schedule % "%00", "--trust"))
        yield Row("replay half escape", 127, "No such file", self.replay(schedule % "./%zz%2", "--trust"))
        yield Row("replay shell", 127, "No such file", self.replay(schedule % "./x;touch%20pwned", "--trust"))
        yield Row("replay without end", 2, "there is no schedule", self.replay("rsan-schedule 1\n" + "build 00\n" * 100000))
        yield Row("replay hole", 2, "there is no schedule", self.replay(lambda at: hole(at / "file")))
        yield Row("replay folder", 2, "not a regular file", self.replay(lambda at: at))
        yield Row("replay fifo", 2, "not a regular file", self.replay(lambda at: fifo(at / "file")))
        for name, file in ("secret", "/etc/passwd"), ("device", "/dev/zero"):
            named = json.dumps({"rsan_report": 1, "schedule": {"file": file}}) + "\n"
            text = "not a regular file" if name == "device" else "there is no schedule"
            yield Row(f"replay named {name}", 2, text, self.replay(named))

    def merge_rows(self):
        bomb = special("run-0001/report.1", tarfile.REGTYPE)
        bomb.size = 0
        yield Row("merge twin", 66, "1 robustness violation", self.merge())
        for name, member in (
            ("above", ("../pwned", "x")),
            ("absolute", (str(self.work / "pwned"), "x")),
            ("below", ("run-0001/a/pwned", "x")),
            ("unknown run", ("run-1000000000000/x", "x")),
            ("run by another name", ("run-00001/x", "x")),
            ("up in a run", ("run-0001/../pwned", "x")),
            ("link", special("run-0001/report.1", tarfile.SYMTYPE, "/etc/passwd")),
            ("hard link", special("run-0001/report.1", tarfile.LNKTYPE, "/etc/passwd")),
            ("device", special("run-0001/report.1", tarfile.CHRTYPE)),
            ("fifo", special("run-0001/report.1", tarfile.FIFOTYPE)),
            ("name", ("run-0001/\x1b[31m\nred", "x")),
        ):
            text = "" if name == "name" else "is refused"
            yield Row(f"merge {name}", 66 if name == "name" else 2, text, self.merge(member))
        yield Row("merge bomb", 2, "has more than 128 MB", self.merge(runs_jsonl=bytes(200 << 20)))
        yield Row("merge unpacked", 2, "--max-unpacked", lambda at: [*self.merge(("run-0001/x", bytes(3 << 20)))(at), "--max-unpacked", "2M"])
        yield Row("merge broken off", 2, "cut off", lambda at: [self.rsan, "merge", write(at / "u", (self.work / "unit.tgz").read_bytes()[:-200])])
        yield Row("merge not gzip", 2, "is refused", lambda at: [self.rsan, "merge", write(at / "u", b"\x1f\x8b" + bytes(1000))])
        yield Row("merge hole", 2, "is refused", lambda at: [self.rsan, "merge", hole(at / "u")])
        yield Row("merge runs", 2, "is refused", self.manifest(first=1, last=4294967295))
        yield Row("merge no runs", 2, "is refused", self.manifest(first=0, last=0))
        yield Row("merge number", 2, "is refused", self.merge(runs_jsonl='{"run":1e300,"end":"clean","status":0,"tokens":[]}\n'))
        yield Row("merge host", 66, "1 robustness violation", self.manifest(host="\x1b]0;x\x07\n" + "h" * 100000))
        odd = "==================\nWARNING: ThreadSanitizer: thread leak (pid=1)\nSUMMARY: x ==================\n"
        yield Row("merge summary", 66, "1 thread leak", self.merge(reports_txt=odd))

    def resume_rows(self):
        yield Row("check twin", 66, "finding", self.resume("check", "check.json", self.asked()), unlimited=True)
        yield Row("check foreign", 2, "is not run", self.resume("check", "check.json", self.asked(command=["/bin/sh", "-c", "touch pwned"])))
        yield Row("check options", 2, "is not run", self.resume("check", "check.json", self.asked(RSAN_OPTIONS="log_path=pwned")))
        yield Row("check number", 2, "no exploration", self.resume("check", "check.json", self.asked(preemptions=1e300), "--trust"))
        yield Row("check no words", 2, "no exploration", self.resume("check", "check.json", self.asked(command=[1]), "--trust"))
        yield Row("check directory", 2, "no exploration", self.resume("check", "check.json", self.asked(directory="."), "--trust"))
        yield Row("check format", 2, "damaged", self.resume("check", "check.json", self.asked(format=2), "--trust"))
        yield Row("check cut off", 2, "damaged", self.resume("check", "check.json", lambda path: write(path, path.read_bytes()[:100]), "--trust"))
        yield Row("check hole", 2, "damaged", self.resume("check", "check.json", hole, "--trust"))
        yield Row("check fifo", 2, "damaged", self.resume("check", "check.json", fifo, "--trust"))
        yield Row("check fifo as progress", 2, "not a regular file", self.resume("check", "execution", fifo, "--trust"))
        yield Row("check fifo as what follows", 2, "not a regular file", self.resume("check", "departing-1", fifo, "--trust"))
        yield Row("confirm foreign", 2, "is not run", self.resume("confirm", "confirm.json", self.asked(command=["/bin/sh", "-c", "touch pwned"])))
        yield Row("confirm seed", 2, "nothing to resume", self.resume("confirm", "confirm.json", self.asked(seed=4294967295), "--trust"))
        yield Row("confirm fifo", 2, "not a regular file", self.resume("confirm", "runs.jsonl", fifo, "--trust"))

    def other_rows(self):
        elf = self.program.read_bytes()[:4096]
        rule = "fence-after /etc/passwd:1:1\n"

        def edit(content):
            return lambda at: [self.bin / "rsan-edit", content(at) if callable(content) else write(at / "rules", content)]

        def trusted(make):
            """The user's list, in a folder of the row's own."""

            def row(at):
                make(at / "rsan/trusted")
                return ["env", f"XDG_STATE_HOME={at}", self.rsan, "replay", write(at / "s", self.schedule)]

            return row

        self.schedule = self.recorded.read_text(encoding="utf-8")
        build, arguments = re.findall(r"^(?:build|arguments) (.*)$", self.schedule, re.M)[:2]
        entry = f"schedule {build} {arguments}\n"

        def rebuilt(path):
            """The list has another build of the program, as a schedule of another folder may name it."""
            write(path, entry.replace(build, "0123456789abcdef"))
            self.schedule = self.schedule.replace(build, "0123456789abcdef")

        yield Row("doctor header alone", 1, "PROBLEM", self.doctor(elf[:64]))
        yield Row("doctor broken off", 1, "PROBLEM", self.doctor(elf))
        yield Row("doctor sections", 1, "PROBLEM", self.doctor(elf[:40] + b"\xff" * 24 + elf[64:]))
        yield Row("doctor archive", 1, "PROBLEM", self.doctor(b"!<arch>\n" + b"x/" + b" " * 46 + b"99999999  `\n" + elf[:64]))
        yield Row("doctor fifo", 2, "no regular file", self.doctor(lambda at: fifo(at / "file")))
        yield Row("trusted twin", 66, "", trusted(lambda path: write(path, entry)), unlimited=True)
        yield Row("trusted fifo", 2, "is not run", trusted(fifo))
        yield Row("trusted by others", 2, "is not run", trusted(lambda path: write(path, entry).chmod(0o666)))
        yield Row("trusted rebuilt", 2, "another build of the program, so its program is not run", trusted(rebuilt))
        yield Row("edit outside", 1, "/etc/passwd", edit(rule))
        yield Row("edit hole", 2, "File too large", edit(lambda at: hole(at / "rules")))
        yield Row("edit number", 1, "f.c:99999999999999999999:1: fence after: not edited", edit("fence-after f.c:99999999999999999999:1\n"))
        yield Row("edit database", 1, "not a regular file, so it is not read", self.edit_database)
        trace = '{"id":"a","threads":%s,"events":[["ld",%s,0,"rlx",0]]}\n'
        for name, numbers in ("threads", ("4294967297", "0")), ("thread", ("2", "-1")), ("object", ("2", "1e308")):
            yield Row(f"trace {name}", 2, ":1:", lambda at, numbers=numbers: [self.bin / "rsan-replay", write(at / "t", trace % numbers)])
        symbols = b"#0 f (/proc/self/mem+0x" + b"f" * 40 + b")\n" + b"    #99999999999999999999 0x1 (a\"'b+0x1)\n"
        yield Row("symbolize numbers", 0, "", lambda at: [self.bin / "rsan-symbolize", write(at / "f", symbols)])
        yield Row("symbolize hole", 2, "File too large", lambda at: [self.bin / "rsan-symbolize", hole(at / "f")])
        yield Row("fix hole", 2, "File too large", lambda at: [self.rsan, "fix", "--confirmed", hole(at / "f"), "--", "true"])
