# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is measured: programs, and benchmarks, which are programs with arguments.

A real program is a file programs/NAME.toml:

    language          "c" or "c++"
    sources, flags    for the compiler; {source} is the package's folder, {here} that of the file
    arguments         of a run, and `quick`, those of the quick set (none: not in it)
    [package]         of Debian, fetched from its source package: name, version
    [[needs]]         binary packages that it is built with, the same; {NAME} is one's folder
    launcher          in place of launch.c: what runs the program, and writes what that writes
    part              of the tables, in place of "real"
    subject           in place of all of these but arguments: a subject of eval/subjects, whose
                      driver runs as often as the first argument says

It ends with exit code 0 if it found its results right.
"""
import dataclasses
import pathlib
import sys
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "harness"))

import subject as subjects  # noqa: E402

PROGRAMS = HERE / "programs"
COMMON_FLAGS = ("-O1", "-g", "-w", "-pthread")


@dataclasses.dataclass(frozen=True)
class Program:
    name: str
    language: str
    sources: tuple
    flags: tuple = ()
    package: subjects.Package | None = None
    files: tuple = ()  # what it is made of beside its sources
    needs: tuple = ()  # further packages

    def all_packages(self):
        return [*([self.package] if self.package else []), *self.needs]

    def fill(self, text, work):
        folders = {one.name: one.folder(work) for one in self.needs}
        return text.format(source=self.package.folder(work) if self.package else "", here=PROGRAMS, **folders)

    def fetch(self, work):
        for one in self.all_packages():
            one.fetch(work)

    def packages(self):
        return {one.name: one.version for one in self.all_packages()}

    def inputs(self):
        own = (one for one in self.sources if "{" not in one.replace("{here}", ""))  # not those of packages
        return [*self.files, *(pathlib.Path(self.fill(one, HERE)) for one in own)]

    def command(self, work):
        return [self.fill(one, work) for one in (*COMMON_FLAGS, *self.flags, *self.sources)]


@dataclasses.dataclass(frozen=True)
class Driver:
    """A subject's driver, with a main around its own that repeats it."""

    subject: subjects.Subject
    language: str = "c++"

    @property
    def name(self):
        return self.subject.name

    def fetch(self, work):
        self.subject.fetch(work)

    def packages(self):
        return {package.name: package.version for package in self.subject.packages}

    def inputs(self):
        return [*self.subject.folder.iterdir(), *subjects.SUBJECTS.glob("*.hpp"), PROGRAMS / "repeat.cpp"]

    def command(self, work):
        one = self.subject
        include = [flag for root in one.roots(work) for flag in ("-I", root)]
        sources = [one.packages[0].folder(work) / file for file in one.sources]
        driver = [one.folder / "driver.cpp", PROGRAMS / "repeat.cpp"]
        return [*subjects.COMMON_FLAGS, *one.flags, "-Dmain=driver_main", *include, *driver, *sources]


@dataclasses.dataclass(frozen=True)
class Benchmark:
    """part, group, x: its place in tables and plots; silent: no tool reports anything."""

    name: str
    part: str
    group: str
    program: Program | Driver
    arguments: tuple
    x: int | None = None
    quick: tuple | None = None
    per_operation: bool = True
    silent: bool = True
    options: str = ""
    launcher: pathlib.Path = HERE / "launch.c"
    most_rounds: int | None = None  # where one run takes long


MICRO = Program("micro", "c", (str(HERE / "micro.c"),), ("-O2",))

ORDERS = {
    "load": ("relaxed", "acquire", "seq_cst"),
    "store": ("relaxed", "release", "seq_cst"),
    "add": ("relaxed", "acquire", "release", "acq_rel", "seq_cst"),
    "exchange": ("relaxed", "acquire", "release", "acq_rel", "seq_cst"),
    "cas": ("relaxed", "acquire", "release", "acq_rel", "seq_cst"),
}
OPERATIONS = 2_000_000  # of which the threads' start and end are a hundredth
QUICK_LOOPS = {
    ("load.acquire", 1), ("load.acquire", 8), ("load.seq_cst", 2), ("store.relaxed", 1), ("store.release", 8),
    ("add.relaxed", 2), ("add.acq_rel", 2), ("exchange.acq_rel", 2), ("cas.acq_rel", 2), ("cas.relaxed", 2),
    ("fence", 8), ("store-fence", 1), ("store-fence", 8), ("mutex", 2), ("rwlock", 2), ("plain", 2),
}  # fmt: skip


def micro_one(loop, sharing, threads, operations=OPERATIONS):
    locations = {"private": 0, "shared": 1}[sharing]
    name = f"{loop} {sharing}, {threads} thread{'s' if threads > 1 else ''}"
    arguments = (loop, str(threads), str(operations), str(locations))
    # A loop with both kinds of sharing is quick in the shared one only.
    unique = threads == 1 or sharing == "shared" or loop in ("store-fence", "plain")
    quick = arguments if (loop, threads) in QUICK_LOOPS and unique else None
    return Benchmark(name, "micro", loop, MICRO, arguments, quick=quick)


DEEP_LOOPS = ("load.relaxed", "load.acquire", "store.relaxed", "store.release", "add.relaxed", "add.acq_rel",
              "cas.acq_rel", "mutex", "rwlock")  # fmt: skip


def deep_one(loop, depth):
    arguments = (loop, "2", str(OPERATIONS), "0", str(depth))
    return Benchmark(
        f"{loop} private, 2 threads, below {depth} calls", "depth", loop, MICRO, arguments,
        quick=arguments if loop in ("store.relaxed", "add.acq_rel") else None,
    )  # fmt: skip


def deep():
    for loop in DEEP_LOOPS:
        yield from (deep_one(loop, depth) for depth in (3, 10, 30, 100))


def random_one(order, locations, threads, operations=400_000):
    arguments = (f"add.{order}", str(threads), str(operations), str(locations))
    quick = arguments if (locations, threads) in ((600, 2), (60_000, 25)) else None
    name = f"add.{order} at random, {locations} locations, {threads} threads"
    return Benchmark(name, "micro", "random", MICRO, arguments, quick=quick)


def micro():
    for access, orders in ORDERS.items():
        for order in orders:
            yield from (micro_one(f"{access}.{order}", "private", threads) for threads in (1, 2, 4, 8))
            yield from (micro_one(f"{access}.{order}", "shared", threads) for threads in (2, 4, 8))
    for loop, operations in (("mutex", 1_000_000), ("rwlock", 1_000_000)):
        yield from (micro_one(loop, "private", threads, operations) for threads in (1, 8))
        yield from (micro_one(loop, "shared", threads, operations) for threads in (2, 4, 8))
    for loop, operations in (("fence", OPERATIONS), ("store-fence", OPERATIONS), ("plain", 16_000_000)):
        yield micro_one(loop, "private", 1, operations)
        yield from (micro_one(loop, "shared" if loop == "fence" else "private", threads, operations)
                    for threads in (2, 4, 8))  # fmt: skip
    for order in ("relaxed", "acq_rel"):
        for locations in (60, 600, 6_000, 60_000):
            yield from (random_one(order, locations, threads) for threads in (2, 8, 25))


def seq_cst_one(access, sharing, threads):
    one = micro_one(f"{access}.seq_cst", sharing, threads)
    return dataclasses.replace(one, part="seq_cst", quick=one.arguments if threads == 8 else None)


def seq_cst():
    for access in ORDERS:
        for sharing in ("private", "shared"):
            yield from (seq_cst_one(access, sharing, threads) for threads in (2, 8, 32))


def real():
    for path in sorted(PROGRAMS.glob("*.toml")):
        with open(path, "rb") as file:
            fields = tomllib.load(file)
        arguments, quick = tuple(fields.pop("arguments", ())), fields.pop("quick", None)
        options, part = fields.pop("options", ""), fields.pop("part", "real")
        launcher = PROGRAMS / fields.pop("launcher") if "launcher" in fields else HERE / "launch.c"
        if "subject" in fields:
            one = subjects.load(subjects.SUBJECTS / fields.pop("subject"))
            program, options = Driver(one), one.options
        else:
            package = fields.pop("package", None)
            program = Program(
                path.stem,
                fields.pop("language"),
                tuple(fields.pop("sources")),
                tuple(fields.pop("flags", ())),
                subjects.Package(kind="source", **package) if package else None,
                (path, *sorted((PROGRAMS / path.stem).glob("*.h"))),
                tuple(subjects.Package(kind="binary", **one) for one in fields.pop("needs", ())),
            )
        if fields:
            raise ValueError(f"{path}: unknown: {' '.join(fields)}")
        yield Benchmark(
            path.stem, part, part, program, arguments,
            quick=None if quick is None else tuple(quick), per_operation=False, silent=False, options=options,
            launcher=launcher,
        )  # fmt: skip


LONG = 10**7  # operations; more are run once, and what they show does not depend on a machine's mood


def growth_one(axis, order, threads, locations, operations):
    x = {"threads": threads, "locations": locations, "operations": operations}[axis.split()[0]]
    arguments = (f"add.{order}", str(threads), str(operations), str(locations))
    quick = arguments if order == "acq_rel" and (axis, x) in (("threads", 4), ("threads", 64)) else None
    name = f"{axis}: add.{order}, {threads} threads, {locations} locations, {operations} operations"
    return Benchmark(
        name, "growth", f"{axis} ({order})", MICRO, arguments,
        x=x, quick=quick, most_rounds=1 if operations > LONG else None,
    )  # fmt: skip


def growth():
    for order in ("relaxed", "acq_rel"):
        for exponent in range(0, 9):
            yield growth_one("threads", order, 2**exponent, 6_000, 10**6)
        for exponent in range(0, 7):
            yield growth_one("locations", order, 8, 10**exponent, 10**6)
        for exponent in range(4, 9):
            yield growth_one("operations", order, 8, 1_000, 10**exponent)
    for threads in (4, 32):
        yield growth_one("threads on a million locations", "acq_rel", threads, 10**6, threads * 10**6)


def all_benchmarks():
    return [*micro(), *deep(), *real(), *growth()]
