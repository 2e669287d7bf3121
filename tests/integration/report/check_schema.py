# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Do records have the form of the schema? Here a member that the schema does not name is an error as well: it would be one that
the schema forgot.

usage: check_schema.py SCHEMA FILE...
"""
import copy
import json
import sys

import jsonschema


def closed(schema):
    """The schema with no other members than those that it names."""
    if isinstance(schema, list):
        return [closed(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    made = {name: closed(part) for name, part in schema.items()}
    if isinstance(schema.get("properties"), dict) and "type" in schema:
        made["additionalProperties"] = False
    return made


def faults(schema, path):
    validator = jsonschema.Draft202012Validator(schema)
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if line.startswith('{"rsan_report"'):
                for error in validator.iter_errors(json.loads(line)):
                    yield f"{path}:{number}: {'/'.join(map(str, error.absolute_path))}: {error.message}"[:300]
                yield None  # one more record


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        schema = closed(copy.deepcopy(json.load(file)))
    jsonschema.Draft202012Validator.check_schema(schema)
    found = [fault for path in sys.argv[2:] for fault in faults(schema, path)]
    wrong = list(filter(None, found))
    print(*wrong, f"{found.count(None)} records, {len(wrong)} faults", sep="\n")
    return 1 if wrong or None not in found else 0


if __name__ == "__main__":
    sys.exit(main())
