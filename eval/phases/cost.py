# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is measured on a machine that should be quiet: time and memory of the robust synthetic
programs natively, under TSan and under RSan, in turns; memory over the length of a run.

The raw records:

    cost.jsonl      one for a program: `rounds`, a list of {build: [CPU us, wall us, peak KB]}
    length.jsonl    one for a number of writes, a version and a way to run it: `runs`, a list of
                    [status, CPU us, peak KB]
"""
import programs
import raw

BUILDS = ("native", "tsan", "rsan")
# Name, build, RSAN_OPTIONS, and the most writes, as a power of ten: what is slow, or grows, ends earlier.
WAYS = (
    ("native", "native", "", 8),
    ("TSan", "tsan", "", 8),
    ("RSan", "rsan", "", 8),
    ("history=exact", "rsan", "history=exact", 6),
    ("clocks=explicit", "rsan", "clocks=explicit", 4),
)
LENGTHS = (2, 4, 5, 6, 7, 8)


class Costs:
    def __init__(self, build, work, results):
        self.work = work
        self.builder = programs.Builder(build, work)
        self.results = results

    def synthetic(self, rounds):
        file = raw.File(self.results / "cost.jsonl")
        for program in programs.load_all():
            binaries = {kind: self.builder.program(program, "robust", kind) for kind in BUILDS}
            key = {"program": program.name, "threads": program.threads[-1], "rounds": program.spend, "count": rounds}
            file.unit(key, raw.digest(*binaries.values()), lambda p=program, b=binaries: self.turns(p, b, rounds))

    def turns(self, program, binaries, rounds):
        launcher, found = self.builder.launcher(), []
        for _ in range(rounds):
            turn = {}
            for kind, binary in binaries.items():
                one = programs.run(launcher, binary, (program.threads[-1], program.spend), self.work)
                if one["status"] != 0:
                    return {"failed": f"{kind}: {one['status']}: {one['output']}", "turns": []}
                turn[kind] = [one["cpu_us"], one["wall_us"], one["memory_kb"]]
            found.append(turn)
        return {"turns": found}

    def length(self, rounds, longest=8):
        file = raw.File(self.results / "length.jsonl")
        source = programs.SYNTHETIC / "message.c"
        for version, flags in programs.VERSIONS.items():
            for name, kind, options, most in WAYS:
                if version == "weakened" and name == "native":
                    continue
                binary = self.builder.make(source, flags, kind, f"message-{version}")
                for exponent in (one for one in LENGTHS if one <= min(most, longest)):
                    key = {"version": version, "way": name, "exponent": exponent, "count": rounds}
                    arguments = (binary, exponent, options, rounds)
                    file.unit(key, raw.digest(binary), lambda a=arguments: self.lengths(*a))

    def lengths(self, binary, exponent, options, rounds):
        launcher, runs = self.builder.launcher(), []
        for _ in range(rounds):
            one = programs.run(launcher, binary, (10**exponent,), self.work, rsan_options=options)
            runs.append([one["status"], one["cpu_us"], one["memory_kb"]])
        return {"runs": runs}
