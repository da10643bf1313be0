"""The report as an object."""

import json


class Record(dict):
    """A JSON object whose members are attributes, too."""

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"the report has no {name!r} here; it has {', '.join(self)}") from None

    def __dir__(self):
        return [*super().__dir__(), *self]


class Report(Record):
    """Everything ``stepscope report --json`` says (docs/report-json.md), as attributes and as a dict.

    ``str()`` of it is the text of ``stepscope report``.
    """

    def __init__(self, native):
        super().__init__(json.loads(native.report_json(), object_hook=Record))
        object.__setattr__(self, "_native", native)

    def dict(self):
        """The report as plain dicts and lists."""
        return json.loads(self._native.report_json())

    def __str__(self):
        return self._native.report_text(top=8, all=False, width=100, ascii=False, color=False)
