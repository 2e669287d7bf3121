# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_docs.py FOLDER: are the documents below FOLDER whole?

One line for each fault, `file:line: what is wrong`, and exit status 1. Checked are:
  - the README has at most 900 words;
  - each link between files leads to a file, and its anchor to a heading there;
  - each `docs/...md` that any file names is there;
  - docs/README.md has a row for each page of docs, and each page opens with a heading and `This page ...`;
  - a command's page has the exit statuses that docs/guide/EXIT-STATUS.md has.
"""

import pathlib
import re
import subprocess
import sys

README_WORDS = 900
LINK = re.compile(r"(?<!!)\[[^\]\n]*(?:\n[^\]\n]*)?\]\(([^)\s]+)\)|<(?:img|source)[^>]*?(?:src|srcset)=\"([^\"]+)\"")
PAGE = re.compile(r"(?<![\w/.-])docs/[\w/-]+\.(?:md|svg)\b")
HEADING = re.compile(r"^#{1,6} +(.*?) *#*$")
COMMENT = re.compile(r"<!--.*?-->", re.S)


def list_files(root):
    """The text files that git knows or would add, as paths relative to `root`."""
    command = ["git", "-C", str(root), "ls-files", "-co", "--exclude-standard", "-z"]
    try:
        output = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split("\0")
    except (OSError, subprocess.CalledProcessError):
        output = [str(path.relative_to(root)) for path in root.rglob("*")]
    return sorted({path for path in output if path and (root / path).is_file()})


def without_code(text):
    """The text with code blocks and code spans blanked; lines stay where they are."""
    lines, fenced, before = [], False, ""
    for line in text.split("\n"):
        fence = line.lstrip().startswith("```")
        code = fenced or fence or (line.startswith("    ") and not before.strip())
        fenced ^= fence
        lines.append("" if code else re.sub(r"`[^`]*`", lambda match: "x" * len(match.group()), line))
        if not (code and line.startswith("    ")):  # an indented block goes on until a line that is not indented
            before = line
    return "\n".join(lines)


def anchor(heading):
    """GitHub's anchor of a heading."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "")
    return re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")


def anchors(text):
    found, fenced = set(), False
    for line in text.split("\n"):
        fenced ^= line.startswith("```")
        match = HEADING.match(line)
        if match and not fenced:
            name = anchor(match.group(1))
            number = 1
            while (one := name if number == 1 else f"{name}-{number - 1}") in found:
                number += 1
            found.add(one)
    return found


def check_links(root, path, text):
    for match in LINK.finditer(without_code(text)):
        target = match.group(1) or match.group(2)
        line = text.count("\n", 0, match.start()) + 1
        name, _, part = target.partition("#")
        if re.match(r"[a-z]+:", target):
            continue
        file = (root / path).parent / name if name else root / path
        if not file.exists():
            yield path, line, f"the link leads to nothing: {target}"
        elif part and file.suffix == ".md" and part not in anchors(file.read_text(encoding="utf-8")):
            yield path, line, f"there is no heading for {target}"


def check_names(root, path, text):
    for match in PAGE.finditer(text):
        if not (root / match.group()).exists():
            yield path, text.count("\n", 0, match.start()) + 1, f"there is no {match.group()}"


def check_words(root):
    words = len(COMMENT.sub("", (root / "README.md").read_text(encoding="utf-8")).split())
    if words > README_WORDS:
        yield "README.md", 1, f"{words} words; it has at most {README_WORDS}"


def check_pages(root):
    """docs/README.md names each page; each page says at its beginning what it is for."""
    table = root / "docs/README.md"
    linked = {match.group(1).partition("#")[0] for match in LINK.finditer(table.read_text(encoding="utf-8")) if match.group(1)}
    for page in sorted((root / "docs").rglob("*.md")):
        name = str(page.relative_to(root / "docs"))
        lines = [line for line in COMMENT.sub("", page.read_text(encoding="utf-8")).split("\n") if line.strip()]
        if name != "README.md" and name not in linked:
            yield "docs/README.md", 1, f"no row for {name}"
        if len(lines) < 2 or not lines[0].startswith("# ") or not lines[1].startswith("This page "):
            yield f"docs/{name}", 1, "the page does not open with a heading and what it is for (This page ...)"


def rows_of(text, first):
    """The cells of each row of the table whose first cell is `first`."""
    for block in re.findall(r"^\|.*(?:\n\|.*)*", text, re.M):
        rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in block.split("\n")]
        if rows[0][0] == first:
            return rows[:1] + rows[2:]
    return []


def check_statuses(root):
    """Each page of a command against the command's column of the table."""
    table = rows_of((root / "docs/guide/EXIT-STATUS.md").read_text(encoding="utf-8"), "outcome")
    for column, command in enumerate(table[0][1:], 1):
        path = f"docs/guide/{command.upper()}.md"
        text = (root / path).read_text(encoding="utf-8")
        rows = rows_of(text, "status") or rows_of(text, "exit status")
        told = {one for row in rows[1:] for one in row[0].split(", ")}
        names = {"-": None, "7": "other", "137": "128+N"}  # of a program that ends so
        wanted = {names.get(row[column], row[column]) for row in table[1:]} - {None}
        for one in sorted(wanted - told):
            yield path, 1, f"EXIT-STATUS.md has {one} too"
        for one in sorted(told - wanted):
            yield path, 1, f"EXIT-STATUS.md has no {one}"


def faults(root):
    for path in list_files(root):
        try:
            text = (root / path).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        if not path.endswith(".jsonl") and path != "tests/docs/test_docs.py":  # which invents names
            yield from check_names(root, path, text)
        if path.endswith(".md"):
            yield from check_links(root, path, text)
    yield from check_words(root)
    yield from check_pages(root)
    yield from check_statuses(root)


def main():
    root = pathlib.Path(sys.argv[1])
    found = sorted(set(faults(root)))
    for path, line, what in found:
        print(f"{path}:{line}: {what}")
    print(f"{len(found)} faults")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
