"""Tables: columns of the engine, seen from numpy, Arrow and data frames without a copy."""

from stepscope import _native


def _numpy():
    try:
        import numpy
    except ImportError:
        raise ImportError("columns as arrays need numpy: pip install numpy; Table.buffer() works without") from None
    return numpy


class Table:
    """A table of a profile. Column names are those of docs/python.md; times are whole nanoseconds.

    ``table["start_ns"]`` is the column as a numpy array. Numbers are the engine's own memory, read only; texts are decoded
    into an array of str (``codes`` and ``categories`` give both halves without decoding). pandas, polars, pyarrow and
    DuckDB take the table itself: ``polars.DataFrame(table)``, ``pyarrow.table(table)``, ``table.to_pandas()``,
    ``duckdb.sql("from t")`` with ``t = table.to_arrow()``.

    >>> kernels = stepscope.open("examples/cudagraph_infer.pt.trace.json.gz").kernels
    >>> int(kernels["calls"].sum())
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

    def __iter__(self):
        return iter(self.columns)

    def __contains__(self, name):
        return name in self.columns

    def keys(self):
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

    def rows(self, first=0, count=None):
        """Rows as dicts, for reading rather than computing."""
        last = len(self) if count is None else min(len(self), first + count)
        columns = {name: self[name][first:last].tolist() for name in self.columns}
        return [dict(zip(columns, values)) for values in zip(*columns.values())]

    # ---- for other libraries

    def __arrow_c_schema__(self):
        return self._native.arrow_schema()

    def __arrow_c_stream__(self, requested_schema=None):
        """One record batch per trace (Arrow PyCapsule interface). The schema is ours; consumers cast."""
        return self._native.arrow_stream()

    def __arrow_c_array__(self, requested_schema=None):
        if self._native.chunks != 1:
            raise ValueError(f"the table has {self._native.chunks} traces; take it as a stream (__arrow_c_stream__)")
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
        return chunks[0] if len(chunks) == 1 else pandas.concat(chunks, ignore_index=True)

    def to_polars(self):
        """The table as a polars.DataFrame."""
        import polars

        return polars.DataFrame(self)

    # ---- for people

    def __repr__(self):
        head = f"<stepscope table {self._name}: {len(self):,} rows>"
        return "\n".join([head, *_lines(self, 10)])

    def _repr_html_(self):
        from stepscope._html import table

        return table(self, 20)


def _pandas_chunk(pandas, table, trace):
    columns = {}
    for name in table.columns:
        column = table._native.column(name, trace)
        values = _numpy().asarray(column)
        if column.is_text:
            dtype = pandas.CategoricalDtype(column.categories())
            # Categories of a trace are distinct by construction; codes need a signed type.
            values = pandas.Categorical.from_codes(values.astype("int32"), dtype=dtype)
        columns[name] = values
    return pandas.DataFrame(columns, copy=False)


def _lines(table, most):
    """The first rows as lines of text, columns aligned."""
    names = table.columns
    cells = [list(names)]
    try:
        head = table.rows(0, most)
    except ImportError:
        return []
    for row in head:
        cells.append([_cell(row[name]) for name in names])
    widths = [min(28, max(len(line[i]) for line in cells)) for i in range(len(names))]
    for line in cells:
        yield "  ".join(_cut(text, width).ljust(width) for text, width in zip(line, widths)).rstrip()
    if len(table) > most:
        yield f"… {len(table) - most:,} more"


def _cell(value):
    if isinstance(value, float):
        return f"{value:.4g}"
    return str(value)


def _cut(text, width):
    return text if len(text) <= width else text[: width - 1] + "…"
