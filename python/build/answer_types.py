"""Writes python/stepscope/_answers.py: the report's records as type checkers see them, from docs/report.schema.json.

    python3 python/build/answer_types.py            # writes it
    python3 python/build/answer_types.py --check    # fails if it is not up to date
"""

import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCHEMA = ROOT / "docs" / "report.schema.json"
TARGET = ROOT / "python" / "stepscope" / "_answers.py"
PLAIN = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}
# Names that dict has too: at run time the member wins (stepscope/_record.py).
OF_DICT = {"items", "values", "copy"}
# What the package adds: stepscope/_report.py.
ADDED = {"FindingEvidence": ["    slices: List[int]"]}
HEAD = '''"""Made by python/build/answer_types.py from docs/report.schema.json; do not edit."""

from __future__ import annotations

from typing import Any, Dict, List, Literal, Optional, Union

from stepscope._record import Record, Rows
'''


class Writer:
    def __init__(self, schema):
        self.definitions = schema["$defs"]
        self.classes = {}

    def name_of(self, key):
        return "".join(part.capitalize() for part in key.split("_"))

    def type_of(self, schema, name):
        """The type of a value; an object that is declared in place gets a class of that name."""
        if "$ref" in schema:
            key = schema["$ref"].rsplit("/", 1)[1]
            return self.type_of(self.definitions[key], self.name_of(key))
        if "enum" in schema:
            return f"Literal[{', '.join(map(repr, schema['enum']))}]"
        if "const" in schema:
            return f"Literal[{schema['const']!r}]"
        for several in ("anyOf", "oneOf"):
            if several in schema:
                return self.one_of([self.type_of(each, name) for each in schema[several]])
        kind = schema.get("type")
        if isinstance(kind, list):
            return self.one_of([self.type_of({**schema, "type": each}, name) for each in kind])
        if kind == "array":
            inner = self.type_of(schema.get("items", {}), name)
            return f"Rows[{inner}]" if inner in self.classes else f"List[{inner}]"
        if kind == "object" and schema.get("properties"):
            return self.class_of(schema, name)
        if kind == "object":
            more = schema.get("additionalProperties")
            return f"Dict[str, {self.type_of(more, name)}]" if isinstance(more, dict) else "Dict[str, Any]"
        return PLAIN.get(kind, "Any")

    def one_of(self, types):
        types = list(dict.fromkeys(types))
        known = [each for each in types if each != "None"]
        if not known:
            return "None"
        joined = known[0] if len(known) == 1 else f"Union[{', '.join(known)}]".replace("Union[Union[str, float]", "Union[str, float")
        return f"Optional[{joined}]" if "None" in types else joined

    def class_of(self, schema, name):
        if name not in self.classes:
            self.classes[name] = None  # being made; it may name itself
            lines = []
            for key, member in schema["properties"].items():
                line = f"    {key}: {self.type_of(member, name + self.name_of(key))}"
                lines.append(line + "  # type: ignore[assignment]" if key in OF_DICT else line)
            self.classes[name] = lines + ADDED.get(name, [])
        return name

    def text(self):
        for key in self.definitions:
            self.type_of({"$ref": f"#/$defs/{key}"}, "")
        parts = [f"\n\nclass {name}(Record):\n" + "\n".join(lines) + "\n" for name, lines in self.classes.items()]
        return HEAD + "".join(parts)


def main():
    text = Writer(json.loads(SCHEMA.read_text())).text()
    if "--check" in sys.argv:
        if TARGET.read_text() != text:
            raise SystemExit(f"{TARGET.relative_to(ROOT)} is not up to date: run python3 python/build/answer_types.py")
        return
    TARGET.write_text(text)


if __name__ == "__main__":
    main()
