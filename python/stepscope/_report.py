"""The report as an object."""

import json

from stepscope._record import Record, Rows, records
from stepscope._table import Table

_USUAL = {"top": 8, "all": False, "width": 100, "ascii": False, "color": False}


class Report(Record):
    """Everything ``stepscope report --json`` says (docs/report-json.md), as attributes and as a dict.

    ``str()`` of it is the text of ``stepscope report``; a notebook shows it with its charts. It outlives the profile: it can be
    printed, pickled, copied and given to ``json.dumps`` after the profile was closed. :attr:`parts` has one report for each
    trace, however many there are.

    >>> report = stepscope.open("examples/cudagraph_infer.pt.trace.json.gz").report()
    >>> report.steps.count, type(report.dict()["steps"]), len(report.parts)
    (6, <class 'dict'>, 1)
    """

    __slots__ = ("_native", "_text", "_lang", "__weakref__")

    @classmethod
    def _of(cls, native, lang):
        report = cls(records(json.loads(native.report_json(lang))))
        report._native = native
        report._text = None
        report._lang = lang
        return report

    @property
    def parts(self):
        """One report for each trace: those of the ranks, or this one alone."""
        return list(self["reports"]) if "reports" in self else [self]

    def text(self, *, top=8, all=False, width=100, ascii=False, color=False, lang=None):
        """The report as text: what the command line prints, in the report's language unless ``lang`` names another.

        Only the usual form in the report's language outlives the profile.
        """
        wanted = {"top": top, "all": all, "width": width, "ascii": ascii, "color": color}
        lang = lang or self._lang
        if self._native is not None and not self._native.closed:
            return self._native.report_text(**wanted, lang=lang)
        if wanted != _USUAL or lang != self._lang or self._text is None:
            raise ValueError("the profile is closed: open it again for the text in another form than str() gives")
        return self._text

    def _keep_text(self):
        """Called before the profile closes."""
        if self._text is None and self._native is not None and not self._native.closed:
            self._text = self._native.report_text(**_USUAL, lang=self._lang)

    def __reduce__(self):
        self._keep_text()
        return (_restored, (dict(self), self._text, self._lang))

    def __str__(self):
        return self.text()

    def __repr__(self):
        if "reports" in self:
            return f"<stepscope report of {len(self['reports'])} traces>"
        return f"<stepscope report: {self['verdict']['sentence']}>"

    def __getattr__(self, name):
        if "reports" in self and name not in self:
            if self["reports"] and name in self["reports"][0]:
                raise AttributeError(f"the report is of {len(self['reports'])} traces: each of its parts has {name!r}")
        return super().__getattr__(name)

    def _repr_html_(self):
        from stepscope import _html

        return _html.reports(self, self._lang)


def _restored(members, text, lang):
    report = Report(members)
    report._native = None
    report._text = text
    report._lang = lang
    return report


class Findings(Rows):
    """The findings of a profile: a list, and where a table is wanted a table of them."""

    __slots__ = ("table",)

    def __init__(self, profile):
        super().__init__()
        first_row = 0
        parts = profile.report().parts
        for trace, part in enumerate(parts):
            _point_to_slices(profile, trace, part["findings"], first_row)
            if trace + 1 < len(parts):
                first_row += len(profile.slices.buffer("event", trace))
            self.extend(part["findings"])
        self.table = Table._of(profile._native, "findings")

    def __reduce__(self):
        return (_restored_findings, (list(self), self.table))

    def __arrow_c_stream__(self, requested_schema=None):
        return self.table.__arrow_c_stream__(requested_schema)

    def __dataframe__(self, nan_as_null=False, allow_copy=True):
        return self.table.__dataframe__(nan_as_null, allow_copy)

    def to_pandas(self):
        """The findings as a pandas.DataFrame, one row each."""
        return self.table.to_pandas()

    def to_polars(self):
        """The findings as a polars.DataFrame, one row each."""
        return self.table.to_polars()

    def to_arrow(self):
        """The findings as a pyarrow.Table, one row each."""
        return self.table.to_arrow()

    def __repr__(self):
        return "\n".join(f"{finding.severity:6}  {finding.title}" for finding in self) or "no findings"

    def _repr_html_(self):
        from stepscope import _html

        return _html.findings(self)


def _restored_findings(rows, table):
    findings = Findings.__new__(Findings)
    findings.extend(rows)
    findings.table = table
    return findings


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
