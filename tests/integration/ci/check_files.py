# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_files.py FOLDER: do action.yml and templates/rsan.yml, with their defaults, make the commands of docs/guide/CI.md?

The recipes there are carried out by check-recipes; these files must come to the same commands, step by step. A change of a
command in either file has to be found.
"""

import pathlib
import re
import sys

from recipes import Yaml, blocks

COMMAND = "ctest --test-dir build --no-tests=error"  # which the action does not know


def read(text):
    return Yaml("\n".join(line for line in text.split("\n") if not line.startswith("#"))).value


def fill(value, brackets, inputs):
    """The value with its inputs in place of ${{ inputs.NAME }} or $[[ inputs.NAME ]]."""
    if isinstance(value, dict):
        return {name: fill(one, brackets, inputs) for name, one in value.items()}
    if isinstance(value, list):
        return [fill(one, brackets, inputs) for one in value]
    begin, end = (re.escape(one) for one in brackets)
    return re.sub(rf"\${begin} inputs\.(\w+) {end}", lambda match: inputs[match.group(1)], value)


def defaults(inputs):
    return {name: one["default"] for name, one in inputs.items() if "default" in one}


def faults(action, component, recipes):
    action = read(action)
    inputs = defaults(action["inputs"]) | {"command": COMMAND}
    (work,) = read(recipes["GitHub"])["jobs"].values()
    wanted = {step["name"]: (step.get("if"), step["run"]) for step in work["steps"] if step.get("name") in ("Test", "Reports")}
    got = {step["name"]: (step.get("if"), step["run"]) for step in fill(action["runs"]["steps"], ("{{", "}}"), inputs)}
    if got != wanted:
        yield f"action.yml: {got}, not {wanted}"
    head, _, body = component.partition("\n---\n")
    got = fill(read(body), ("[[", "]]"), defaults(read(head)["spec"]["inputs"]))
    if got != read(recipes["GitLab"]):
        yield f"templates/rsan.yml: {got}, not the recipe"


def main():
    root = pathlib.Path(sys.argv[1])
    action, component, recipes = (
        (root / "action.yml").read_text(encoding="utf-8"),
        (root / "templates/rsan.yml").read_text(encoding="utf-8"),
        blocks((root / "docs/guide/CI.md").read_text(encoding="utf-8")),
    )
    wrong = list(faults(action, component, recipes))
    for old, new in (("--format sarif", "--format sarf"), ("if: always()", "if: success()"), ("--time 10m", "--time 9m")):
        assert old in action
        if not list(faults(action.replace(old, new), component, recipes)):
            wrong.append(f"action.yml with {new} in place of {old}: not found")
    for old, new in ((" || status=$?", ""), ("ninja-build", "ninja"), ("junit: rsan.xml", "junit: junit.xml")):
        assert old in component
        if not list(faults(action, component.replace(old, new), recipes)):
            wrong.append(f"templates/rsan.yml with {new} in place of {old}: not found")
    print("\n".join(wrong) or "the files make the commands of the recipes")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
