# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""draw_cycle.py FOLDER BIN WORK [--write]: are docs/cycle-light.svg and docs/cycle-dark.svg the report's picture?

Runs examples/dekker.c with the commands of BIN, and takes the picture of the cycle, with its colours, from the page that
`rsan report --format html' makes. `--write` makes the two files.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

# REUSE-IgnoreStart
SPDX = "<!-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception -->\n"
# REUSE-IgnoreEnd


def page(root, bin_folder, work):
    """The HTML page of the example's report."""
    shutil.rmtree(work, ignore_errors=True)
    shutil.copytree(root / "examples", work / "examples")
    environment = dict(os.environ, PATH=f"{bin_folder}:{os.environ['PATH']}")
    environment["RSAN_OPTIONS"] = f"report_format=json:log_path=out:strip_path_prefix={work}/"
    script = "rsan-clang -fsanitize=robustness -g -O1 examples/dekker.c -o dekker && { ./dekker; rsan report --format html out.*; }"
    done = subprocess.run(["bash", "-c", script], cwd=work, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    return done.stdout


def colours(style, dark):
    """{name: colour} of the page's theme."""
    found = dict(re.findall(r"--(\w+):(#\w+)", re.search(r":root\{(--[^}]*)\}", style).group(1)))
    if dark:
        found |= dict(re.findall(r"--(\w+):(#\w+)", re.search(r"prefers-color-scheme:dark\)\{:root\{([^}]*)\}", style).group(1)))
    return found


def picture(html, dark):
    style = re.search(r"<style>(.*?)</style>", html, re.S).group(1)
    theme = colours(style, dark)
    rules = "\n".join(line[line.index("svg") :] for line in style.split("\n") if "svg" in line)
    rules = re.sub(r"var\(--(\w+)\)", lambda match: theme[match.group(1)], rules)
    drawing = re.search(r"<svg[^>]*>(.*?)</svg>", html, re.S)
    head = drawing.group(0)[: drawing.group(0).index(">")]
    return f'{SPDX}{head} xmlns="http://www.w3.org/2000/svg">\n<style>\n{rules}\n</style>{drawing.group(1)}</svg>\n'


def main():
    root, bin_folder, work = (pathlib.Path(argument).absolute() for argument in sys.argv[1:4])
    html = page(root, bin_folder, work)
    faults = 0
    for dark, name in ((False, "cycle-light.svg"), (True, "cycle-dark.svg")):
        path = root / "docs" / name
        if "--write" in sys.argv:
            path.write_text(picture(html, dark), encoding="utf-8")
        elif path.read_text(encoding="utf-8") != picture(html, dark):
            print(f"docs/{name} is not the report's picture: draw_cycle.py --write makes it")
            faults += 1
    shutil.rmtree(work)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
