# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The recipes of docs/guide/CI.md: as much of YAML as they use, and what the two services make of it."""

import os
import re
import subprocess


def blocks(text):
    """The block of YAML below each heading."""
    return dict(re.findall(r"^## (\w+)\n.*?^```yaml\n(.*?)^```$", text, flags=re.S | re.M))


class Yaml:
    """Mappings, sequences, texts on one line and such with `|`; anything else is an error."""

    def __init__(self, text):
        self.lines = [line for line in text.split("\n") if line.strip()]
        self.at = 0
        self.value = self.block(0)
        assert self.at == len(self.lines), self.lines[self.at]

    def indent(self):
        line = self.lines[self.at] if self.at < len(self.lines) else ""
        return len(line) - len(line.lstrip(" ")) if line else -1

    def block(self, least):
        depth = self.indent()
        assert depth >= least, f"nothing below {self.lines[self.at - 1]}"
        return self.sequence(depth) if self.lines[self.at].lstrip().startswith("- ") else self.mapping(depth)

    def sequence(self, depth):
        made = []
        while self.indent() == depth and self.lines[self.at][depth:].startswith("- "):
            text = self.lines[self.at][depth + 2 :]
            if re.match(r"[\w-]+:( |$)", text):
                self.lines[self.at] = " " * (depth + 2) + text
                made.append(self.mapping(depth + 2))
            else:
                self.at += 1
                made.append(self.scalar(text))
        return made

    def mapping(self, depth):
        made = {}
        while self.indent() == depth and not self.lines[self.at][depth:].startswith("- "):
            found = re.match(r"([\w-]+):(?: +(.*))?$", self.lines[self.at][depth:])
            assert found and found[1] not in made, self.lines[self.at]
            self.at += 1
            text = found[2] or ""
            made[found[1]] = self.literal(depth) if text == "|" else self.scalar(text) if text else self.block(depth + 1)
        return made

    def literal(self, above):
        depth, made = self.indent(), []
        assert depth > above
        while self.indent() >= depth:
            made.append(self.lines[self.at][depth:])
            self.at += 1
        return "\n".join(made) + "\n"

    def scalar(self, text):
        text = re.sub(r" +#.*", "", text)
        # What YAML would read in another way.
        assert text and text[0] not in "{}&*!|>'\"%@`" and ": " not in text, text
        return text


class Job:
    """A job that was run: `status` is that of the first command that failed, `missing` has files that are not there."""

    def __init__(self, folder, environment):
        self.folder, self.environment = folder, environment
        self.status, self.missing, self.said = 0, [], ""

    def shell(self, script):
        done = subprocess.run(
            ["sh", "-e", "-c", script],
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        self.said += done.stdout
        self.status = self.status or done.returncode

    def needs(self, path):
        if not os.path.exists(os.path.join(self.folder, path)):
            self.missing.append(path)


def run_github(recipe, job):
    (work,) = recipe["jobs"].values()
    assert work["permissions"] == {"contents": "read", "security-events": "write"}, work["permissions"]
    for step in work["steps"]:
        if job.status and step.get("if") != "always()":
            continue
        action, given = step.get("uses", "").split("@")[0], step.get("with", {})
        if "run" in step:
            job.shell(step["run"])
        elif action == "github/codeql-action/upload-sarif":
            job.needs(given["sarif_file"])
        elif action == "actions/upload-artifact":
            for path in given["path"].split():
                job.needs(path)
        else:
            assert action == "actions/checkout", step


def run_gitlab(recipe, job):
    (work,) = recipe.values()
    # One shell runs all of these lines, and ends at the first that fails.
    job.shell("\n".join(work["before_script"] + work["script"]))
    kept = work["artifacts"]
    assert kept["when"] == "always", kept
    for path in [*kept["reports"].values(), *kept["paths"]]:
        job.needs(path)


SERVICES = {"GitHub": run_github, "GitLab": run_gitlab}
