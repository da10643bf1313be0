"""The report as an object."""

import json

from stepscope._table import Table


class Record:
    """A JSON object: its members are attributes, and items by their name."""

    __slots__ = ("_members",)

    def __init__(self, members):
        self._members = members

    def __getattr__(self, name):
        try:
            return self._members[name]
        except KeyError:
            raise AttributeError(f"there is no {name!r} here; there is {', '.join(self._members) or 'nothing'}") from None

    def __getitem__(self, name):
        return self._members[name]

    def __setitem__(self, name, value):
        self._members[name] = value

    def __contains__(self, name):
        return name in self._members

    def __iter__(self):
        return iter(self._members)

    def __len__(self):
        return len(self._members)

    def __eq__(self, other):
        return self.dict() == (other.dict() if isinstance(other, Record) else other)

    __hash__ = None

    def __dir__(self):
        return [*super().__dir__(), *self._members]

    def __repr__(self):
        return repr(self._members)

    def __getstate__(self):
        return self.dict()

    def __setstate__(self, members):
        self._members = _records(members)

    def keys(self):
        return self._members.keys()

    def get(self, name, otherwise=None):
        return self._members.get(name, otherwise)

    def dict(self):
        """The same as plain dicts and lists."""
        return _plain(self)


class Report(Record):
    """Everything ``stepscope report --json`` says (docs/report-json.md), as attributes and as a dict.

    ``str()`` of it is the text of ``stepscope report``; a notebook shows it with its charts.

    >>> report = stepscope.open("examples/cudagraph_infer.pt.trace.json.gz").report()
    >>> report.steps.count, type(report.dict()["steps"])
    (6, <class 'dict'>)
    """

    __slots__ = ("_lang", "_native")

    @classmethod
    def _of(cls, native, lang="en"):
        report = cls(json.loads(native.report_json(lang), object_hook=Record)._members)
        report._native = native
        report._lang = lang
        return report

    def text(self, *, top=8, all=False, width=100, ascii=False, color=False, lang=None):
        """The report as text: what the command line prints, in the report's language unless ``lang`` names another."""
        return self._native.report_text(
            top=top, all=all, width=width, ascii=ascii, color=color, lang=lang or self._lang
        )

    def __str__(self):
        return self.text()

    def __repr__(self):
        if "reports" in self:
            return f"<stepscope report of {len(self['reports'])} traces>"
        return f"<stepscope report: {self['verdict']['sentence']}>"

    def _repr_html_(self):
        from stepscope import _html

        return _html.reports(self)


def _plain(value):
    if isinstance(value, Record):
        return {key: _plain(member) for key, member in value._members.items()}
    if isinstance(value, list):
        return [_plain(member) for member in value]
    return value


def _records(value):
    if isinstance(value, dict):
        return {key: Record(_records(member)) if isinstance(member, dict) else _records(member) for key, member in value.items()}
    if isinstance(value, list):
        return [Record(_records(member)) if isinstance(member, dict) else _records(member) for member in value]
    return value


class Findings(list):
    """The findings of a profile: a list, and where a table is wanted a table of them."""

    def __init__(self, profile):
        report = profile.report()
        reports = report["reports"] if "reports" in report else [report]
        first_row = 0
        for trace, part in enumerate(reports):
            _point_to_slices(profile, trace, part["findings"], first_row)
            if trace + 1 < len(reports):
                first_row += len(profile.slices.buffer("event", trace))
            self.extend(part["findings"])
        self.table = Table._of(profile._native, "findings")

    def __arrow_c_stream__(self, requested_schema=None):
        return self.table.__arrow_c_stream__(requested_schema)

    def __dataframe__(self, nan_as_null=False, allow_copy=True):
        return self.table.__dataframe__(nan_as_null, allow_copy)

    def to_pandas(self):
        return self.table.to_pandas()

    def __repr__(self):
        return "\n".join(f"{finding.severity:6}  {finding.title}" for finding in self) or "no findings"


def _point_to_slices(profile, trace, findings, first_row):
    """Gives every piece of evidence the rows of the slices that its events became."""
    items = [item for finding in findings for item in finding["evidence"]]
    wanted = sorted({event for item in items for event in item["events"]})
    rows = profile._native.slices_of(trace, wanted)
    events = profile.slices.buffer("event", trace)
    rows_of = {}
    for row in rows:
        rows_of.setdefault(events[row], []).append(first_row + row)
    for item in items:
        item["slices"] = [row for event in item["events"] for row in rows_of.get(event, [])]
