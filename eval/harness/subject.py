# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A subject of the evaluation: a folder below eval/subjects with subject.toml and driver.cpp.

subject.toml holds

    [[package]]       of Debian: name, version, kind ("binary" or "source", default binary) and
                      include, its folders for -I. Exactly this version is fetched; nothing is
                      installed. The first one is under test, others are what it needs.
    sources           files of the first package that are compiled along
    prepare           command of the shell, run in the first package's folder before anything is compiled
    c_sources         files of the first package that are C
    c_flags           for these, in place of flags
    flags             for the compiler, with the reason in a comment
    options           for the sanitizers, the same
    wrappers          regular expressions of sites that are passed over in reports for their caller's
    arguments         of the program

The driver ends with exit code 0 if it found its results right. Beside it there may be short tests of a few operations each,
window-NAME.cpp, which are built and run like the driver: see window.hpp.
"""
import concurrent.futures
import dataclasses
import hashlib
import pathlib
import subprocess
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
SUBJECTS = HERE.parent / "subjects"
FETCH = {
    "binary": HERE / "fetch-package",
    "source": HERE.parents[1] / "tests/integration/fetch-debian-source",
}
COMMON_FLAGS = ["-std=c++17", "-O1", "-g", "-DNDEBUG", "-w", "-pthread"]
C_FLAGS = ["-std=gnu11", "-O1", "-g", "-DNDEBUG", "-w", "-pthread"]


@dataclasses.dataclass(frozen=True)
class Package:
    name: str
    version: str
    kind: str = "binary"
    include: tuple = ()

    def folder(self, work):
        """Where it is unpacked to."""
        return work / "sources" / f"{self.name}_{self.version}"

    def fetch(self, work):
        subprocess.run([FETCH[self.kind], self.name, self.version, self.folder(work)], check=True)


@dataclasses.dataclass(frozen=True)
class Subject:
    name: str
    packages: tuple
    sources: tuple = ()
    prepare: str = ""
    c_sources: tuple = ()
    c_flags: tuple = ()
    flags: tuple = ()
    options: str = ""
    wrappers: tuple = ()
    arguments: tuple = ()
    driver: str = "driver"  # or that of a window

    @property
    def folder(self):
        return SUBJECTS / self.name

    @property
    def program(self):
        """The name of what is built."""
        return self.name if self.driver == "driver" else f"{self.name}-{self.driver}"

    def windows(self):
        """The same with each of the short tests in place of the driver."""
        return [dataclasses.replace(self, driver=path.stem) for path in sorted(self.folder.glob("window-*.cpp"))]

    def roots(self, work):
        """Folders for -I. Their files, and no others, are the library's and the driver's."""
        return [package.folder(work) / folder for package in self.packages for folder in package.include] + [SUBJECTS]

    def all_flags(self, work):
        return [*COMMON_FLAGS, *self.flags, *(flag for root in self.roots(work) for flag in ("-I", root))]

    def all_sources(self, work):
        return [self.folder / f"{self.driver}.cpp", *(self.packages[0].folder(work) / file for file in self.sources)]

    def fetch(self, work):
        for package in self.packages:
            package.fetch(work)
        if self.prepare:
            folder = self.packages[0].folder(work)
            stamp = folder / f".prepared-{hashlib.sha256(self.prepare.encode()).hexdigest()[:12]}"
            if not stamp.exists():
                subprocess.run(["sh", "-e", "-c", self.prepare], cwd=folder, check=True, stdout=subprocess.DEVNULL)
                stamp.touch()

    def build(self, work, toolchain):
        """Compiles the driver if the program is older than what it is made of. Returns the program."""
        program = work / "programs" / f"{self.program}-{toolchain.name}"
        beside = [path for path in self.folder.iterdir() if path.suffix != ".cpp"]
        inputs = [self.all_sources(work)[0], *beside, *SUBJECTS.glob("*.hpp"), *toolchain.files]
        if program.exists() and program.stat().st_mtime > max(path.stat().st_mtime for path in inputs):
            return program
        program.parent.mkdir(parents=True, exist_ok=True)
        driver, *sources = self.all_sources(work)
        own = [toolchain.compiler, toolchain.flag, *self.all_flags(work)]
        objects = self.build_objects(work, toolchain, own, sources) + self.build_c(work, toolchain)
        subprocess.run([*own, driver, *objects, "-o", program], check=True)
        return program

    def build_c(self, work, toolchain):
        include = [flag for root in self.roots(work) for flag in ("-I", root)]
        command = [toolchain.compiler.replace("clang++", "clang"), toolchain.flag, *C_FLAGS, *self.c_flags, *include]
        return self.build_objects(work, toolchain, command, [self.packages[0].folder(work) / file for file in self.c_sources])

    def build_objects(self, work, toolchain, command, sources):
        """Those of the package, for the driver and the windows; none is compiled again that is newer than the compiler."""
        folder = work / "objects" / f"{self.name}-{toolchain.name}"
        folder.mkdir(parents=True, exist_ok=True)
        changed = max(path.stat().st_mtime for path in (self.folder / "subject.toml", *toolchain.files))

        def compile_one(source):
            output = folder / (str(source.relative_to(self.packages[0].folder(work))).replace("/", "_") + ".o")
            if not output.exists() or output.stat().st_mtime < max(changed, source.stat().st_mtime):
                subprocess.run([*command, "-c", source, "-o", output], check=True)
            return output

        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            return list(pool.map(compile_one, sources))


def load(folder):
    with open(folder / "subject.toml", "rb") as file:
        fields = tomllib.load(file)
    packages = tuple(Package(**package) for package in fields.pop("package"))
    return Subject(name=folder.name, packages=packages, **fields)


def load_all():
    return [load(path.parent) for path in sorted(SUBJECTS.glob("*/subject.toml"))]
