# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""SARIF's types, as quicktype has made them of the official schema for Go.

Debian has no package of the schema itself, but the library haya14busa/go-sarif: every object of the schema is a struct
there, with each property's name and type, and whether it may be left out; every enumeration is a type with its values.
"""

import glob
import re

PATTERN = "/usr/share/gocode/src/*/haya14busa/go-sarif/sarif/sarif.go"
PLAIN = {"string": str, "int64": int, "float64": (int, float), "bool": bool}
NESTED = {"[]": list, "map[string]": dict}


class Types:
    def __init__(self):
        path = next(iter(glob.glob(PATTERN)), PATTERN)
        with open(path, encoding="utf-8") as file:
            text = file.read()
        self.structs, self.values = {}, {}
        for name, body in re.findall(r"^type (\w+) struct \{\n(.*?)^\}", text, re.M | re.S):
            fields = re.findall(r'^\s+\w+\s+(\S+)\s+`json:"([^",]+)(,omitempty)?"`', body, re.M)
            self.structs[name] = {field: (kind.lstrip("*"), bool(may)) for kind, field, may in fields}
        for kind, value in re.findall(r'^\s+\w+ +(\w+) += "(.*)"$', text, re.M):
            self.values.setdefault(kind, set()).add(value)
        assert {"Sarif", "Result", "ThreadFlowLocation"} <= set(self.structs), f"{path}: not the types of SARIF"

    def check(self, value, kind="Sarif", place="log"):
        """Each way in which the value is not of the type."""
        for start, python in NESTED.items():
            if kind.startswith(start):
                if not isinstance(value, python):
                    return [f"{place}: not a {python.__name__}: {value!r}"]
                parts = value.items() if python is dict else enumerate(value)
                return [wrong for key, part in parts for wrong in self.check(part, kind[len(start) :], f"{place}[{key!r}]")]
        if kind in PLAIN:
            fits = isinstance(value, PLAIN[kind]) and (kind == "bool") == isinstance(value, bool)
            return [] if fits else [f"{place}: not a {kind}: {value!r}"]
        if kind in self.values:
            return [] if isinstance(value, str) and value in self.values[kind] else [f"{place}: no {kind}: {value!r}"]
        if kind == "PropertyBag":
            return [] if isinstance(value, dict) else [f"{place}: no property bag: {value!r}"]
        return self.check_object(value, kind, place)

    def check_object(self, value, kind, place):
        fields = self.structs[kind]
        if not isinstance(value, dict):
            return [f"{place}: no {kind}: {value!r}"]
        wrong = [f"{place}: {kind} has no {name}" for name in value if name not in fields]
        wrong += [f"{place}: {name} is missing" for name, (_, may) in fields.items() if not may and name not in value]
        for name in set(value) & set(fields):
            wrong += self.check(value[name], fields[name][0], f"{place}.{name}")
        return wrong
