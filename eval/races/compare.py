# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the races that two tools reported, and holds the differences against the notes.

Notes (eval/races/notes/*.toml) say what the library's source says about a report. A table is named
by a subject, or by a pattern of subjects ("libcds-*"):

    [["boost-*".race]]       about data races
    one, other  = sites; the note is about every pair of one of these and one of those
    rule        = why one tool reports it and the other does not: a key of RULES
    why         = the reason in this source
    confirmed   = for chance: how the silent tool was made to show it (else it must do so in the results)

    [["boost-*".violation]]  about robustness violations of one atomic object
    object      = its name
    access      = sites of accesses that may miss ...
    missed      = ... writes at these sites
    verdict     = a key of VERDICTS
    why

A site of a note is the end of a site of a report: `FILE:LINE FUNCTION`, where LINE may be `*`; or `*`,
every site. The first of several notes about a pair counts.
"""
import collections
import fnmatch
import tomllib

from reports import UNKNOWN

RULES = {
    "acquire-fence": "a relaxed read before an acquire fence synchronises; TSan ignores the fence",
    "release-fence": "a release fence before a relaxed write publishes; TSan ignores the fence",
    "both-fences": "a release fence, a relaxed write, a relaxed read, an acquire fence; TSan ignores both fences",
    "sc-fence": "seq_cst fences order the two; TSan ignores them",
    "relaxed-store": "a relaxed store ends the release sequence; TSan lets the release live on",
    "chance": "no difference of rules: a race by both, of a kind that both tools show, but not in every run",
}
VERDICTS = {
    "harmless": "the source allows for a stale value",
    "delay": "a waiting or polling loop that only waits longer",
    "defect": "a stale value breaks the library",
}
VIOLATION = "robustness violation"
# No note can be about a violation without sites.
CUT_OFF = {"object": "?", "verdict": "cut off", "why": "The program ended while another thread was printing the report."}
UNEXPLAINED = 3  # status of eval/races/libraries where races have no reason yet
RSAN_WAYS = ("rsan-races", "rsan", "rsan-targets", "rsan-x86")


def load_notes(folder):
    notes = []
    for path in sorted(folder.glob("*.toml")):
        with open(path, "rb") as file:
            for pattern, kinds in tomllib.load(file).items():
                notes += [{"subjects": pattern, "kind": kind, **one} for kind, all in kinds.items() for one in all]
    for note in notes:
        check(note)
    return notes


def check(note):
    """A note that says nothing, or nothing that can be, is an error."""
    keys, allowed, field = {
        "race": ({"one", "other", "rule", "why"}, RULES, "rule"),
        "violation": ({"object", "access", "missed", "verdict", "why"}, VERDICTS, "verdict"),
    }[note["kind"]]
    if set(note) - {"subjects", "kind", "confirmed"} != keys or note[field] not in allowed or not note["why"].strip():
        raise ValueError(f"malformed note of {note['subjects']}: {note}")


def ends(text, end, separator):
    return text == end or text.endswith(separator + end)


def is_site(site, pattern):
    """Is the pattern the end of the site, from a component's beginning?"""
    if pattern in (site, "*"):
        return True
    if " " not in site or " " not in pattern:
        return False
    (place, name), (end, last) = site.split(" ", 1), pattern.split(" ", 1)
    (path, line), (file, number) = place.rsplit(":", 1), end.rsplit(":", 1)
    return ends(path, file, "/") and number in ("*", line) and ends(name, last, "::")


def among(site, patterns):
    return any(is_site(site, pattern) for pattern in patterns)


def find(notes, subject, kind, pair):
    """The note about a pair of sites, or None."""
    if kind == "violation" and tuple(pair) == (UNKNOWN, UNKNOWN):
        return CUT_OFF
    for note in notes:
        if note["kind"] != kind or not fnmatch.fnmatchcase(subject, note["subjects"]):
            continue
        first, second = ("one", "other") if kind == "race" else ("access", "missed")
        if among(pair[0], note[first]) and among(pair[1], note[second]):
            return note
        if kind == "race" and among(pair[1], note[first]) and among(pair[0], note[second]):
            return note
    return None


def count_runs(runs, ways, violations):
    """In how many runs of these ways each pair was reported: {(kind, site, site): runs}."""
    seen = collections.Counter()
    for run in runs:
        if run["way"] in ways:
            seen.update(
                {(one["kind"], *one["sites"]) for one in run["reports"] if (one["kind"] == VIOLATION) == violations}
            )
    return seen


class Comparison:
    """What the runs of one subject showed."""

    def __init__(self, raw, notes):
        self.name = raw["subject"]
        self.packages = raw["packages"]
        self.machine = raw["machine"]
        runs = raw["runs"]
        self.counts = collections.Counter(run["way"] for run in runs)
        self.failed = {way: sum(run["way"] == way and run["status"] != 0 for run in runs) for way in self.counts}
        self.tsan = count_runs(runs, {"tsan"}, False)
        # The rules for races are the same in all of RSan's ways: a difference must show in none.
        self.rsan_races = count_runs(runs, {"rsan-races"}, False)
        self.rsan = count_runs(runs, RSAN_WAYS, False)
        self.violations = count_runs(runs, {"rsan"}, True)
        self.differences = [
            (pair, find(notes, self.name, "race", pair[1:])) for pair in sorted(set(self.tsan) ^ set(self.rsan))
        ]
        self.unconfirmed = set()
        self.judged = [(pair, find(notes, self.name, "violation", pair[1:])) for pair in sorted(self.violations)]

    def covered(self, notes):
        """(note, tool) for each race that a note covers: which tools have shown what it is about."""
        for tool, pairs in ("tsan", self.tsan), ("rsan", self.rsan):
            for pair in pairs:
                note = find(notes, self.name, "race", pair[1:])
                if note:
                    yield id(note), tool

    def confirm(self, shown):
        """Chance explains a difference only if the silent tool has shown the same somewhere in these results, or elsewhere."""
        for pair, note in self.differences:
            silent = "rsan" if pair in self.tsan else "tsan"
            if note and note["rule"] == "chance" and "confirmed" not in note and (id(note), silent) not in shown:
                self.unconfirmed.add(pair)

    def reason(self, pair, note):
        return "**unexplained**" if not note or pair in self.unconfirmed else note["rule"]

    def unexplained(self):
        for pair, note in self.differences:
            if not note or pair in self.unconfirmed:
                what = "chance is not confirmed, more runs are needed" if note else "unexplained"
                yield f"{what}: {self.name}: {pair[0]}: {pair[1]} <-> {pair[2]}"

    def failures(self):
        for way, failed in self.failed.items():
            if failed:
                yield f"failed: {self.name}: {failed} of {self.counts[way]} runs ({way})"


def row(*cells):
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


def tally(names):
    return ", ".join(f"{name} {count}" for name, count in sorted(collections.Counter(names).items())) or "-"


def summary(comparisons):
    yield row("subject", "package", "races, TSan", "races, RSan", "TSan alone", "RSan alone", "rules", "violations", "verdicts")
    yield row("---", "---", "---:", "---:", "---:", "---:", "---", "---:", "---")
    for one in comparisons:
        yield row(
            one.name,
            ", ".join(f"{name} {version}" for name, version in one.packages.items()),
            len(one.tsan),
            len(one.rsan),
            len(set(one.tsan) - set(one.rsan)),
            len(set(one.rsan) - set(one.tsan)),
            tally(one.reason(*difference) for difference in one.differences),
            len(one.violations),
            tally(note["verdict"] if note else "not judged" for _, note in one.judged),
        )


def differences(one):
    total = one.counts
    for (kind, *sites), note in one.differences:
        pair = (kind, *sites)
        yield f"- {kind}: `{sites[0]}` and `{sites[1]}`"
        yield (
            f"  - reported in {one.tsan[pair]} of {total['tsan']} runs under TSan, "
            f"{one.rsan[pair]} of {sum(total[way] for way in RSAN_WAYS)} under RSan"
        )
        yield f"  - {one.reason(pair, note)}" + (f": {' '.join(note['why'].split())}" if note else "")


def violations(one):
    groups = {}
    for pair, note in one.judged:
        groups.setdefault(note["object"] if note else None, (note, []))[1].append(pair)
    for name, (note, pairs) in groups.items():
        if note:
            yield f"- `{name}`: {note['verdict']}. {' '.join(note['why'].split())}"
        else:
            yield "- not judged"
        for pair in pairs:
            yield f"  - `{pair[1]}` may miss `{pair[2]}`: {one.violations[pair]} of {one.counts['rsan']} runs"


def tables(results, notes):
    """The page, in Markdown; differences that have no reason; programs that failed."""
    every = [Comparison(raw, notes) for raw in results]
    shown = {covered for one in every for covered in one.covered(notes)}
    for one in every:
        one.confirm(shown)
    lines = ["# Races in libraries, by stock TSan and by RSan", "", *summary(every), ""]
    lines += [
        "Distinct reports by their two sites. RSan: with robustness=0 and by default together; violations: by default.",
        "",
        *(f"- {rule}: {text}" for rule, text in RULES.items()),
        *(f"- {verdict}: {text}" for verdict, text in VERDICTS.items()),
        "",
        *(f"- {one.name}: {runs} runs {way}" for one in every for way, runs in one.counts.items() if one.failed[way]),
    ]
    for one in every:
        for title, body in ("differences", differences(one)), ("violations", violations(one)):
            body = list(body)
            if body:
                lines += ["", f"## {one.name}: {title}", "", *body]
    machines = sorted({"; ".join(f"{key}: {value}" for key, value in one.machine.items()) for one in every})
    lines += ["", "## Machine", "", *(f"- {machine}" for machine in machines)]
    runs = {}
    for one in every:
        for way, count in one.counts.items():
            runs.setdefault(way, set()).add(count)
    said = [f"{', '.join(map(str, sorted(counts)))} {way}" for way, counts in runs.items()]
    lines += ["", f"Runs of each subject: {'; '.join(said)}.", ""]
    unexplained = [one for each in every for one in each.unexplained()]
    return "\n".join(lines), unexplained, [one for each in every for one in each.failures()]
