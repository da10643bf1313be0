"""Opening profiles, and what an open profile offers."""

import json
import os
import threading
import weakref

from stepscope import _native
from stepscope._errors import UsageError
from stepscope._progress import progress_for
from stepscope._record import records
from stepscope._report import Findings, Report
from stepscope._summary import summary
from stepscope._table import Table

_DEVICE_WORK = """
SELECT k.ts AS start_ns, k.dur AS duration_ns, k.name, k.kind, k.category, k.device, k.stream, k.correlation, k.bytes,
       coalesce(o.name, '') AS op, coalesce(a.input_dims, '') AS input_dims, coalesce(a.input_types, '') AS input_types,
       coalesce(c.name, '') AS launched_by, s.step_id AS step, k.grid_x, k.grid_y, k.grid_z, k.block_x, k.block_y, k.block_z,
       k.registers, k.shared_memory, k.occupancy, k.tensor_core, k.slice_id AS slice, k.trace_id AS trace
FROM kernel k JOIN slice s ON s.id = k.slice_id
LEFT JOIN slice o ON o.id = k.op_slice_id
LEFT JOIN op a ON a.slice_id = k.op_slice_id
LEFT JOIN slice c ON c.id = k.launch_slice_id
ORDER BY k.trace_id, k.ts
"""


def open(path, *, run="", config="", threads=0, progress=True):
    """Opens a profile: any path the command line takes, or its bytes.

    ``path`` is a file or a directory, the bytes of a file (plain or compressed), or a list of those: the ranks of a job.
    ``run`` chooses a run of a log directory (default: the newest), ``threads`` how many to read with (default: one per core).
    ``config`` names a file with thresholds and ignored rules (default: ``stepscope.toml`` in the working directory, if there).
    ``progress`` shows a bar where people look (a terminal, a notebook) once reading takes longer than half a second; it may
    also be a function ``progress(share, what)``, or False. Ctrl-C stops reading.

    Raises :class:`stepscope.ReadError` where nothing could be read. What is damaged is read up to the fault.

    >>> profile = stepscope.open("examples/cudagraph_infer.pt.trace.json.gz")
    >>> profile
    <stepscope profile examples/cudagraph_infer.pt.trace.json.gz>
    >>> with builtins.open("examples/cudagraph_infer.pt.trace.json.gz", "rb") as file:
    ...     len(stepscope.open(file.read()).steps) == len(profile.steps)
    True
    """
    sources = path if isinstance(path, (list, tuple)) else [path]
    if not sources:
        raise ValueError("there is nothing to open: give a path")
    if not isinstance(threads, int) or threads < 0:
        raise ValueError("threads is 0 (one per core) or a number")
    with progress_for(progress) as told:
        return Profile(_native.open([_source(source) for source in sources], run, os.fsencode(config), threads, told))


def _source(source):
    """(whether it is a path, its bytes)"""
    if isinstance(source, (bytes, bytearray, memoryview)):
        return (False, bytes(source))
    if isinstance(source, (str, os.PathLike)):
        return (True, os.fsencode(source))
    raise TypeError(f"a profile is opened by a path or from bytes, not from {type(source).__name__}")


class Profile:
    """What a path holds: one trace, or one per rank. Made by :func:`stepscope.open`; safe to use from several threads.

    Tables of several traces have the rows of all; their column ``trace`` says which a row is of.
    """

    def __init__(self, native):
        self._native = native
        self._made = {}
        self._reports = weakref.WeakValueDictionary()  # those that somebody still has: they outlive the profile
        self._lock = threading.Lock()

    # ---- the story

    def report(self, *, lang="en"):
        """The report as an object: attributes, ``dict()``, text, and charts in a notebook (docs/report-json.md).

        ``lang`` is the language of its sentences: ``"en"`` or ``"zh"``.

        >>> report = stepscope.open("examples/resnet50_inputbound.pt.trace.json.gz").report()
        >>> report.verdict.bound_by, report.steps.count
        ('input', 4)
        >>> print(report)  # doctest: +ELLIPSIS
        examples/resnet50_inputbound.pt.trace.json.gz
        ...
        """
        report = Report._of(self._native, lang)
        with self._lock:
            self._reports[id(report)] = report
        return report

    @property
    def ranks(self):
        """What the ranks of a job say together (docs/ranks.md): clocks, straggler, collectives. None where they are no job."""
        return self._once("ranks", lambda: self.report().get("ranks"))

    @property
    def findings(self):
        """What to change, the most valuable first: a list of findings, and a table (docs/advise.md).

        Every finding has ``rule``, ``severity``, ``title``, ``sentence``, ``saving``, ``fix`` and ``evidence``; each piece of
        evidence has ``slices``: the rows of :attr:`slices` behind it.

        >>> profile = stepscope.open("examples/resnet50_inputbound.pt.trace.json.gz")
        >>> finding = profile.findings[0]
        >>> finding.rule
        'input-bound-step'
        >>> rows = finding.evidence[0].slices
        >>> sorted(set(profile.slices["event"][rows].tolist())) == sorted(finding.evidence[0].events)
        True
        """
        return self._once("findings", lambda: Findings(self))

    # ---- tables

    @property
    def slices(self):
        """Every span of the profile: one row each, ordered by track and start; columns are the engine's own memory."""
        return self._table("slices")

    @property
    def ops(self):
        """Framework ops and annotations by name."""
        return self._table("ops")

    @property
    def ops_by_shape(self):
        """Framework ops by name and input shapes."""
        return self._table("ops_by_shape")

    @property
    def kernels(self):
        """Kernels, copies and memsets by device and name."""
        return self._table("kernels")

    @property
    def steps(self):
        """The steps."""
        return self._table("steps")

    @property
    def tracks(self):
        """Threads, streams and other rows that slices are on; ``slices["track"]`` counts into it within a trace."""
        return self._table("tracks")

    @property
    def device_work(self):
        """Every kernel, copy, memset and collective with what launched it: one row each, in the order of their start.

        Beside times, device and stream it has the correlation, bytes, grid and block, and of the op that owns it the name, the
        input shapes and the step (docs/tables.md: kernel, op).

        >>> work = stepscope.open("examples/resnet50_inputbound.pt.trace.json.gz").device_work
        >>> copies = work.filter(kind="memcpy")
        >>> len(work), len(copies), sorted(set(copies.column("op")))
        (4008, 12, ['aten::_local_scalar_dense', 'aten::copy_'])
        """
        return self._once("device_work", lambda: Table(_native.query(self._native, _DEVICE_WORK, [], None), "device_work"))

    @property
    def summary(self):
        """The traces side by side, one row each: rank, host, steps, the median step and where its time goes.

        >>> ranks = stepscope.open("tests/data/ranks").summary
        >>> ranks.column("rank")
        [0, 1, 2, 3]
        """
        return self._once("summary", lambda: summary(self.report()))

    @property
    def tables(self):
        """The names that :meth:`table` and :meth:`query` know (docs/tables.md)."""
        return _native.query_tables()

    def table(self, name):
        """Any table of docs/tables.md by its name in SQL, with all its columns: ``profile.table("collective")``."""
        self._check()
        if name not in self.tables:
            raise UsageError(f"there is no table {name!r}; there are {', '.join(self.tables)}")
        return self._once(f"table {name}", lambda: Table(_native.query(self._native, f"SELECT * FROM {name}", [], None), name))

    def query(self, sql, *args, timeout=None):
        """The rows of a query in SQL over the profile's tables (docs/query.md), as a :class:`Table`.

        ``args`` stand for ``?1``, ``?2`` … of the text; ``timeout`` is in seconds. Ctrl-C stops it. A column of integers in
        which a row has no value becomes one of reals with NaN; a text without value is empty.

        >>> profile = stepscope.open("examples/resnet50_inputbound.pt.trace.json.gz")
        >>> profile.query("SELECT kind, count(*) AS pieces FROM kernel GROUP BY kind ORDER BY kind").rows()
        [{'kind': 'kernel', 'pieces': 3820}, {'kind': 'memcpy', 'pieces': 12}, {'kind': 'memset', 'pieces': 176}]
        """
        return Table(_native.query(self._native, sql, [str(arg) for arg in args], timeout), "query")

    def _table(self, name):
        self._check()
        return self._once(name, lambda: Table._of(self._native, name))

    def _once(self, name, make):
        self._check()
        with self._lock:
            if name in self._made:
                return self._made[name]
        made = make()
        with self._lock:
            return self._made.setdefault(name, made)

    # ---- other shapes of it

    def view(self, kind="scope", **options):
        """A view of tfprof: ``scope``, ``graph``, ``op`` or ``code``, with every option of ``stepscope view``.

        Options are spelt with underscores; lists may be lists: ``select=["micros", "bytes"]``. The result prints as text and
        has ``rows``.

        >>> profile = stepscope.open("examples/cudagraph_infer.pt.trace.json.gz")
        >>> view = profile.view("op", order_by="micros", max_depth=3)
        >>> len(view.rows) > 0
        True
        """
        if kind not in ("scope", "graph", "op", "code"):
            raise ValueError(f"a view is scope, graph, op or code, not {kind!r}")
        words = [kind]
        for name, value in options.items():
            if value is True or value is False:
                value = "true" if value else "false"
            elif isinstance(value, (list, tuple)):
                value = ",".join(map(str, value))
            words.append(f"-{name}={value}")
        text, rows, notes = _native.view(self._native, words, 120)
        return View(text, records(json.loads(rows)), notes)

    def timeline(self, path, *, align=None, gap_ms=None, steps=None, dataflow=True, memory=True):
        """Writes a Chrome trace (.json, .json.gz) or a Perfetto trace (.pftrace); several traces are merged.

        ``align`` is ``"epoch"``, ``"start"``, ``"none"`` or ``"collectives"``; ``gap_ms`` lays the traces end to end; ``steps`` is a number or
        a pair (first, last).
        """
        first, last = steps if isinstance(steps, (list, tuple)) else (steps, steps)
        _native.timeline(self._native, os.fsencode(path), align, gap_ms, first, last, dataflow, memory)

    def to_parquet(self, path, *, tables=(), steps=None):
        """Writes tables as Parquet into a directory, one file each (docs/export.md), and returns their paths.

        ``tables`` names some of them, like ``["slices", "kernels"]``; one table and a path that ends in ``.parquet`` make one
        file. ``steps`` is a number or a pair (first, last).
        """
        first, last = steps if isinstance(steps, (list, tuple)) else (steps, steps)
        names = [tables] if isinstance(tables, str) else list(tables)
        return _native.to_parquet(self._native, os.fsencode(path), names, first, last)

    def save_html(self, path, *, lang="en"):
        """Writes the report as one HTML file that opens offline, in that language: ``"en"`` or ``"zh"``."""
        _native.save_html(self._native, os.fsencode(path), lang)

    # ---- its life

    @property
    def paths(self):
        """What was opened."""
        return self._native.paths

    @property
    def closed(self):
        return self._native.closed

    def close(self):
        """Gives the memory back. Reports, findings, tables and arrays that were taken from the profile stay valid."""
        with self._lock:
            self._made.clear()
            reports = list(self._reports.values())
        for report in reports:
            report._keep_text()
        self._native.close()

    def _check(self):
        if self._native.closed:
            raise ValueError("the profile is closed")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __len__(self):
        """How many traces it holds."""
        return self._native.trace_count

    def __bool__(self):
        return True

    def __repr__(self):
        if self.closed:
            return "<stepscope profile, closed>"
        return f"<stepscope profile {', '.join(self.paths)}>"

    def _repr_html_(self):
        return self.report()._repr_html_()


class View:
    """A view as text (``str()``) and as ``rows``; ``notes`` has what there is to say about it."""

    def __init__(self, text, data, notes):
        self.text = text
        self.data = data
        self.notes = notes

    @property
    def rows(self):
        """The rows, each a record with its name, depth and numbers."""
        return self.data["rows"]

    def __str__(self):
        return self.text

    __repr__ = __str__
