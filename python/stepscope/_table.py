"""Tables: columns of the engine, seen from numpy, Arrow and data frames without a copy."""

import array
import math

from stepscope import _native

_BLOCK = 4096  # rows that are made at a time when somebody walks over all


def _numpy():
    try:
        import numpy
    except ImportError:
        raise ImportError("columns as arrays need numpy: pip install numpy; column(), rows() and buffer() work without") from None
    return numpy


class Table:
    """A table of a profile. Column names are those of docs/tables.md; times are whole nanoseconds.

    ``table["start_ns"]`` is the column as a numpy array. Numbers are the engine's own memory, read only (``array()`` makes a
    copy to write to); texts are decoded into an array of str (``codes`` and ``categories`` give both halves without decoding).
    ``column()``, ``rows()`` and iteration need no numpy. ``head``, ``filter``, ``sort`` and ``group`` make tables of it. pandas,
    polars, pyarrow and DuckDB take the table itself, of any number of traces: ``polars.DataFrame(table)``,
    ``pyarrow.table(table)``, ``pandas.DataFrame(table)`` (``table.to_pandas()`` is faster), ``duckdb.sql("from table")``.

    >>> kernels = stepscope.open("examples/cudagraph_infer.pt.trace.json.gz").kernels
    >>> sum(kernels.column("calls"))
    240
    """

    def __init__(self, native, name):
        self._native = native
        self._name = name

    def __class_getitem__(cls, columns):
        """``Table[OpsColumn]``: for type checkers."""
        return cls

    @classmethod
    def _of(cls, profile, name):
        return cls(_native.table(profile, name), name)

    # ---- shape

    @property
    def columns(self):
        """The names of the columns."""
        return self._native.names

    def __len__(self):
        return self._native.rows

    def __bool__(self):
        return True

    def __iter__(self):
        """The rows, each as a dict."""
        for first in range(0, len(self), _BLOCK):
            yield from self.rows(first, _BLOCK)

    def __contains__(self, name):
        return name in self.columns

    def keys(self):
        """The names of the columns: ``dict(table)`` has an array for each."""
        return self.columns

    # ---- columns

    def _chunks(self, name):
        if name not in self.columns:
            raise KeyError(f"the table {self._name} has no column {name!r}; it has {', '.join(self.columns)}")
        return [self._native.column(name, i) for i in range(self._native.chunks)]

    def __getitem__(self, name):
        numpy = _numpy()
        chunks = self._chunks(name)
        arrays = [numpy.asarray(chunk) for chunk in chunks]
        if chunks and chunks[0].is_text:
            arrays = [
                numpy.array(chunk.categories(), dtype=object)[codes] if len(codes) else numpy.array([], dtype=object)
                for chunk, codes in zip(chunks, arrays)
            ]
        return arrays[0] if len(arrays) == 1 else numpy.concatenate(arrays)

    def array(self, name):
        """The column as a numpy array of its own, which may be written to."""
        return self[name].copy()

    def column(self, name):
        """The column as a list of int, float, bool or str, without numpy. A number that is unknown is None where it is real."""
        return [value for chunk in self._chunks(name) for value in _values(chunk, 0, len(chunk))]

    def buffer(self, name, trace=0):
        """The column of one trace as a read-only memoryview: what numpy would show, without numpy."""
        return memoryview(self._chunks(name)[trace])

    def codes(self, name, trace=0):
        """A column of texts as numbers into :meth:`categories`, without a copy."""
        return _numpy().asarray(self._text(name, trace))

    def categories(self, name, trace=0):
        """The texts that :meth:`codes` stands for, as a list."""
        return self._text(name, trace).categories()

    def _text(self, name, trace):
        column = self._chunks(name)[trace]
        if not column.is_text:
            raise TypeError(f"the column {name!r} holds numbers, not texts")
        return column

    # ---- rows

    def rows(self, first=0, count=None):
        """Rows as dicts that json takes: a real number that is unknown is None."""
        last = len(self) if count is None else min(len(self), first + count)
        rows, start = [], 0
        for i in range(self._native.chunks):
            columns = {name: self._native.column(name, i) for name in self.columns}
            length = len(next(iter(columns.values()), ()))
            a, b = max(first - start, 0), min(last - start, length)
            if a < b:
                values = zip(*(_values(column, a, b) for column in columns.values()))
                rows += [dict(zip(columns, row)) for row in values]
            start += length
        return rows

    def _made(self, native):
        return Table(native, self._name)

    def head(self, count=5):
        """The first rows, as a table."""
        return self.take(range(min(count, len(self))))

    def take(self, rows):
        """These rows, by number and in this order, as a table."""
        return self._made(self._native.take(array.array("q", rows)))

    def filter(self, mask=None, **columns):
        """The rows that meet every condition, as a table.

        A condition is a value (``kind="kernel"``), some values (``kind=["memcpy", "memset"]``) or a function of the value
        (``duration_ns=lambda ns: ns > 1_000_000``). ``mask`` is a truth value for each row.

        >>> slices = stepscope.open("examples/resnet50_inputbound.pt.trace.json.gz").slices
        >>> len(slices.filter(kind=["kernel", "memcpy", "memset"]))
        4008
        """
        if mask is not None and len(mask) != len(self):
            raise ValueError(f"the mask has {len(mask):,} values and the table {len(self):,} rows")
        rows = range(len(self)) if mask is None else [row for row, wanted in enumerate(mask) if wanted]
        for name, condition in columns.items():
            meets = self._meets(name, _test(condition))
            rows = [row for row in rows if meets[row]]
        return self.take(rows)

    def _meets(self, name, test):
        """One byte for each row. The test is made once for each text, not for each row."""
        meets = bytearray()
        for chunk in self._chunks(name):
            if chunk.is_text:
                wanted = [bool(test(text)) for text in chunk.categories()]
                meets += bytes([wanted[code] for code in memoryview(chunk)])
            else:
                meets += bytes([bool(test(value)) for value in memoryview(chunk)])
        return meets

    def sort(self, *names, descending=False):
        """The rows ordered by these columns; rows that are equal keep their order.

        ``descending`` is for all columns, or one truth value for each.

        >>> kernels = stepscope.open("examples/cudagraph_infer.pt.trace.json.gz").kernels
        >>> longest = kernels.sort("total_ns", descending=True).head(1)
        >>> longest.column("total_ns")[0] == max(kernels.column("total_ns"))
        True
        """
        if not names:
            raise ValueError("sort by at least one column")
        down = [bool(descending)] * len(names) if isinstance(descending, (bool, int)) else list(descending)
        if len(down) != len(names):
            raise ValueError(f"descending has {len(down)} values for {len(names)} columns")
        for name in names:
            self._chunks(name)
        return self._made(self._native.sorted(list(zip(names, down))))

    def group(self, *names, **sums):
        """One row for each combination of the columns ``names``, with the number of ``rows`` and what is asked for.

        ``duration_ns="sum"`` adds the column ``duration_ns_sum``; the others are ``"min"``, ``"max"`` and ``"mean"``, and a list
        asks for several.

        >>> slices = stepscope.open("examples/resnet50_inputbound.pt.trace.json.gz").slices
        >>> slices.group("kind", duration_ns="sum").filter(kind="kernel").rows()
        [{'kind': 'kernel', 'rows': 3820, 'duration_ns_sum': 111036100}]
        """
        if not names:
            raise ValueError("group by at least one column")
        wanted = [(name, each) for name, how in sums.items() for each in ([how] if isinstance(how, str) else how)]
        for name in [*names, *sums]:
            self._chunks(name)
        return self._made(self._native.grouped(list(names), wanted))

    def __reduce__(self):
        """Pickled and copied tables hold their rows themselves and need no profile."""
        one = self._native.take(array.array("q", range(len(self))))
        columns = [one.column(name, 0) for name in self.columns]
        return (_restored, (self._name, [(c.name, c.format, bytes(c), c.categories() if c.is_text else None) for c in columns]))

    # ---- for other libraries

    def __arrow_c_schema__(self):
        return self._native.arrow_schema()

    def __arrow_c_stream__(self, requested_schema=None):
        """One record batch per trace (Arrow PyCapsule interface). The schema is ours; consumers cast."""
        return self._native.arrow_stream()

    @property
    def __arrow_c_array__(self):
        """Only a table of one trace is one array; libraries take others as a stream."""
        if self._native.chunks != 1:
            raise AttributeError(f"the table has {self._native.chunks} traces; take it as a stream (__arrow_c_stream__)")
        return self._arrow_array

    def _arrow_array(self, requested_schema=None):
        return self._native.arrow_batch(0)

    def __dataframe__(self, nan_as_null=False, allow_copy=True):
        """The DataFrame interchange protocol."""
        from stepscope._interchange import DataFrame

        return DataFrame(self, allow_copy)

    def to_arrow(self):
        """The table as a pyarrow.Table."""
        import pyarrow

        return pyarrow.table(self)

    def to_pandas(self):
        """The table as a pandas.DataFrame; texts become categories."""
        import pandas

        chunks = [_pandas_chunk(pandas, self, i) for i in range(self._native.chunks)]
        if len(chunks) == 1:
            return chunks[0]
        texts = [name for name in self.columns if self._native.column(name, 0).is_text]
        for name in texts:  # of each trace its own: joined, so that they stay categories
            joined = pandas.api.types.union_categoricals([chunk[name] for chunk in chunks]).categories
            for chunk in chunks:
                chunk[name] = chunk[name].cat.set_categories(joined)
        return pandas.concat(chunks, ignore_index=True)

    def to_polars(self):
        """The table as a polars.DataFrame."""
        import polars

        return polars.DataFrame(self)

    # ---- for people

    def __repr__(self):
        from stepscope._table_text import text

        return text(self)

    def _repr_html_(self):
        from stepscope._html import table

        return table(self, 20)


def _values(column, first, last):
    """Values of a column of one trace as Python's own; texts are decoded."""
    values = memoryview(column)[first:last].tolist()
    if column.is_text:
        texts = column.categories()
        return [texts[code] for code in values]
    if column.format == "d":
        return [None if math.isnan(value) else value for value in values]
    return values


def _test(condition):
    if callable(condition):
        return condition
    if isinstance(condition, (list, tuple, set, frozenset)):
        return frozenset(condition).__contains__
    return lambda value: value == condition


def _restored(name, columns):
    return Table(_native.table_from(columns), name)


def _pandas_chunk(pandas, table, trace):
    columns = {}
    for name in table.columns:
        column = table._native.column(name, trace)
        values = _numpy().asarray(column)
        if column.is_text:
            # A column without texts has the type of the others too: what it is depends on pandas' version.
            texts = pandas.Index(column.categories(), dtype=pandas.Index([""]).dtype)
            dtype = pandas.CategoricalDtype(texts)
            # Categories of a trace are distinct by construction; codes need a signed type.
            values = pandas.Categorical.from_codes(values.astype("int32"), dtype=dtype)
        columns[name] = values
    return pandas.DataFrame(columns, copy=False)
