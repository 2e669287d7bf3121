# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_style.py FOLDER: does every source file below FOLDER keep to the rules of CONTRIBUTING.md?

One line for each breach, `file:line: what is wrong`, and exit status 1; 2 when it cannot check.
Files are those that git knows or would add; without git, all but build folders.
"""

import os
import re
import shutil
import subprocess
import sys

MAX_FILE = 600
MAX_FUNCTION = 60
TOO_LONG = "{} has {} lines; a function has at most " + str(MAX_FUNCTION)
# REUSE-IgnoreStart
LICENCE = "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"
# REUSE-IgnoreEnd
HERE = os.path.dirname(os.path.abspath(__file__))

LICENCE_TEXT = re.compile(r"^LICENSE$|^LICENSES/")
# Formats without comments, and the licence itself.
WITHOUT_LICENCE_LINE = re.compile(r"(^|/)LICENSE$|^LICENSES/|\.jsonl?$")
# Data, and somebody else's text.
OF_ANY_LENGTH = re.compile(r"(^|/)LICENSE$|\.jsonl$")
# A blank context line of a patch is one blank, and its last line may be one.
PATCH = re.compile(r"\.(patch|diff)$")
C_FAMILY = re.compile(r"\.(c|h|cpp|inc)$")
CMAKE = re.compile(r"(^|/)CMakeLists\.txt$|\.cmake$")
MAKE = re.compile(r"(^|/)Makefile(\.in)?$")
# This list holds the words that it forbids.
WORDS = "tests/style/words.txt"

# This one holds phrases that readers stumble over, for sources, documents and manual pages.
ENGLISH = "tests/style/english.txt"
MANUAL = re.compile(r"(^|/)man/[^/]+\.\d$")
RESULTS = "docs/results/"  # judgements, whose words are those of the data
MADE = re.compile(r"<!-- begin ([\w-]+) -->.*?<!-- end \1 -->", re.S)
# What may stand between two words of a comment or string that goes on in the next line.
GAP = r'(?:[ \n"\\#*]|//)+'

# Hosts. Where packages and sources come from is the user's own affair (apt, and what is given on
# the command line), so only documentation may be named, the schema that SARIF logs name, SVG's namespace,
# and the format of .reuse/dep5.
HOST = re.compile(r"\b[a-z0-9-]+(?:\.[a-z0-9-]+)*\.(?:org|com|io|net|dev|ai)\b[^\s\"'<>)]*", re.I)
KNOWN_HOST = re.compile(
    r"(www\.apache|([a-z]+\.)?llvm|arxiv|(www\.)?doi|(www\.)?open-std)\.org\b"
    r"|www\.debian\.org/doc/packaging-manuals/copyright-format/1\.0/$|docs\.oasis-open\.org/sarif/|www\.w3\.org/2000/svg$|json-schema\.org/draft/2020-12/schema$|github\.com/llvm/llvm-project\b|example\.(com|org)\b",
    re.I,
)


class Source:
    def __init__(self, root, path):
        self.root, self.path = root, path
        with open(os.path.join(root, path), "rb") as file:
            self.text = file.read().decode("utf-8")
        self.lines = self.text.split("\n")
        if self.lines[-1] == "":
            self.lines.pop()
        first = self.lines[0] if self.lines else ""
        self.is_c = bool(C_FAMILY.search(path))
        self.is_cmake = bool(CMAKE.search(path))
        self.is_python = path.endswith(".py")
        self.is_shell = path.endswith(".sh") or bool(re.match(r"#!.*\b(ba|da)?sh\b", first))


def check_licence(source):
    if not WITHOUT_LICENCE_LINE.search(source.path) and source.lines:
        if not any(LICENCE in line for line in source.lines[:5]):
            yield 1, "no SPDX line among the first five"


def check_length(source):
    if len(source.lines) > MAX_FILE and not OF_ANY_LENGTH.search(source.path):
        yield MAX_FILE + 1, f"{len(source.lines)} lines; a file has at most {MAX_FILE}"


def check_blanks(source):
    patch = PATCH.search(source.path)
    for number, line in enumerate(source.lines, 1):
        if line.endswith("\r"):
            yield number, "carriage return"
        elif line != line.rstrip() and not patch:
            yield number, "trailing blanks"
    if source.text and not source.text.endswith("\n") and not patch:
        yield len(source.lines), "no newline at the end"


def check_tabs(source):
    if PATCH.search(source.path) or MAKE.search(source.path):
        return
    for number, line in enumerate(source.lines, 1):
        if "\t" in line:
            yield number, "tab"


def check_hosts(source):
    for number, line in enumerate(source.lines, 1):
        for host in HOST.finditer(line):
            if not LICENCE_TEXT.search(source.path) and not KNOWN_HOST.match(host.group()):
                yield number, f"host name {host.group()}"


def read_list(path):
    with open(os.path.join(HERE, os.path.basename(path)), encoding="utf-8") as file:
        return [line.strip() for line in file if line.strip() and not line.startswith("#")]


def check_words(source, words=tuple(map(re.compile, read_list(WORDS)))):
    if source.path == WORDS or LICENCE_TEXT.search(source.path):
        return
    for number, line in enumerate(source.lines, 1):
        for word in words:
            if word.search(line):
                yield number, f"matches {word.pattern}, which does not belong in the product"


def read_phrases():
    return [(line, re.compile(line.replace(" ", GAP))) for line in read_list(ENGLISH)]


def read_prose(source):
    """The text whose English is checked, by the line; None: no text of this file is. What a command makes of results,
    between `begin` and `end`, has the words of the results."""
    is_other = source.path.endswith(".rs") or source.text.startswith("#!")
    is_source = source.is_c or source.is_cmake or source.is_python or source.is_shell or is_other
    if is_source or MANUAL.search(source.path):
        return source.text
    if not source.path.endswith(".md") or RESULTS in source.path:
        return None
    return MADE.sub(lambda made: "\n" * made.group().count("\n"), source.text)


def check_english(source, phrases=tuple(read_phrases())):
    prose = read_prose(source)
    for phrase, compiled in phrases if prose else ():
        for match in compiled.finditer(prose):
            number = prose.count("\n", 0, match.start()) + 1
            yield number, f"matches {phrase}: write subject, verb, object, reason ({ENGLISH})"


def functions_of_blocks(lines, begin, end):
    """(first line, name, lines) of blocks from a line that matches `begin` to one that matches `end`."""
    start = None
    for number, line in enumerate(lines, 1):
        match = begin.match(line)
        if match and not start:
            start = number, match.group(1)
        elif start and end.match(line):
            yield start[0], start[1], number - start[0] + 1
            start = None


def check_functions(source):
    """Shell and CMake; the other languages are ctags' (check_functions_of_ctags)."""
    functions = ()
    if source.is_shell:
        begin = re.compile(r"(?:function +)?([\w.-]+) *\(\) *[{(]$")
        functions = functions_of_blocks(source.lines, begin, re.compile(r"[})]"))
    elif source.is_cmake:
        begin = re.compile(r"\s*(?:function|macro)\(\s*(\w+)", re.I)
        functions = functions_of_blocks(source.lines, begin, re.compile(r"\s*end(?:function|macro)\(", re.I))
    for number, name, length in functions:
        if length > MAX_FUNCTION:
            yield number, TOO_LONG.format(name, length)


CHECKS = (
    check_licence,
    check_length,
    check_functions,
    check_blanks,
    check_tabs,
    check_hosts,
    check_words,
    check_english,
)


def check_functions_of_ctags(root, paths):
    kinds = ["--languages=C++,Python", "--langmap=C++:+.h.c.inc", "--kinds-C++=f", "--kinds-Python=fm"]
    command = ["ctags", "-f", "-", "--fields=+ne", "--sort=no", *kinds, "-L", "-"]
    run = subprocess.run(command, cwd=root, input="\n".join(paths), capture_output=True, text=True, check=True)
    for line in run.stdout.splitlines():
        name, path, *rest = line.split("\t")
        fields = dict(field.split(":", 1) for field in rest if re.match(r"(line|end):\d", field))
        if len(fields) == 2:
            first, last = int(fields["line"]), int(fields["end"])
            if last - first + 1 > MAX_FUNCTION:
                yield path, first, TOO_LONG.format(name, last - first + 1)


def check_format(root, paths):
    """clang-format finds the .clang-format above each file."""
    if not paths:
        return
    command = ["clang-format-19", "--dry-run", "--style=file", *paths]
    output = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    seen = set()
    for match in re.finditer(r"^(\S[^:\n]*):(\d+):\d+: (?:warning|error): ", output.stderr, re.M):
        if match.group(1) not in seen:  # the first place of each file
            seen.add(match.group(1))
            yield match.group(1), int(match.group(2)), "clang-format-19 would change this (-i does)"
    if output.returncode and not seen:
        sys.exit(f"check_style: clang-format-19: {output.stderr.strip()}")


def list_files(root):
    command = ["git", "-C", root, "ls-files", "-co", "--exclude-standard", "-z"]
    try:
        output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        paths = [path for path in output.split("\0") if path]
    except (OSError, subprocess.CalledProcessError):
        paths = []
        for folder, folders, files in os.walk(root):
            folders[:] = [
                name for name in folders if not re.match(r"(build(-.*)?|\.git|\.cache|__pycache__)$", name)
            ]
            paths += [os.path.relpath(os.path.join(folder, name), root) for name in files]
    return sorted(path for path in set(paths) if os.path.isfile(os.path.join(root, path)))


def main():
    if len(sys.argv) != 2 or not os.path.isdir(sys.argv[1]):
        print(__doc__, file=sys.stderr)
        return 2
    for program, package in (("ctags", "universal-ctags"), ("clang-format-19", "clang-format-19")):
        if not shutil.which(program):
            print(f"check_style: {program} is missing: install the package {package}", file=sys.stderr)
            return 2
    root = sys.argv[1]
    breaches = []
    sources = []
    for path in list_files(root):
        try:
            sources.append(Source(root, path))
        except UnicodeDecodeError:
            breaches.append((path, 1, "not UTF-8"))
    for source in sources:
        for check in CHECKS:
            breaches += [(source.path, number, what) for number, what in check(source)]
    breaches += check_functions_of_ctags(
        root, [source.path for source in sources if source.is_c or source.is_python]
    )
    breaches += check_format(root, [source.path for source in sources if source.is_c])
    for path, number, what in sorted(breaches):
        print(f"{path}:{number}: {what}")
    print(f"{len(sources)} files, {len(breaches)} breaches")
    return 1 if breaches or not sources else 0


if __name__ == "__main__":
    sys.exit(main())
