"""The DataFrame interchange protocol (``__dataframe__``) over a table's columns. Shows memory, copies nothing."""

import enum

from stepscope import _table


class _Kind(enum.IntEnum):
    INT = 0
    UINT = 1
    FLOAT = 2
    BOOL = 20
    STRING = 21
    DATETIME = 22
    CATEGORICAL = 23


class _Null(enum.IntEnum):
    NON_NULLABLE = 0
    USE_NAN = 1


_DEVICE_CPU = (1, None)
_KINDS = {"q": _Kind.INT, "i": _Kind.INT, "I": _Kind.UINT, "H": _Kind.UINT, "B": _Kind.UINT, "?": _Kind.BOOL, "d": _Kind.FLOAT}
_BITS = {"q": 64, "i": 32, "I": 32, "H": 16, "B": 8, "?": 8, "d": 64}
# As the protocol spells formats: those of Arrow's C data interface.
_ARROW = {"q": "l", "i": "i", "I": "I", "H": "S", "B": "C", "?": "b", "d": "g"}


class _Buffer:
    def __init__(self, owner, address, size):
        self._owner = owner
        self.ptr = address
        self.bufsize = size

    def __dlpack__(self):
        raise NotImplementedError("__dlpack__")

    def __dlpack_device__(self):
        return _DEVICE_CPU


class _Texts:
    """The categories of a column of codes: a column of strings."""

    def __init__(self, texts):
        numpy = _table._numpy()
        self._col = numpy.array(texts, dtype=object)  # what pandas looks for
        encoded = [text.encode() for text in texts]
        self._bytes = numpy.frombuffer(b"".join(encoded) or b"\0", dtype="uint8")
        self._offsets = numpy.cumsum([0, *map(len, encoded)], dtype="int64")

    offset = 0
    null_count = 0
    describe_null = (_Null.NON_NULLABLE, None)
    dtype = (_Kind.STRING, 8, "U", "=")
    metadata: dict = {}

    def size(self):
        return len(self._col)

    def num_chunks(self):
        return 1

    def get_chunks(self, n_chunks=None):
        return [self]

    def get_buffers(self):
        data, offsets = self._bytes, self._offsets
        return {
            "data": (_Buffer(data, data.ctypes.data, data.nbytes), (_Kind.UINT, 8, "C", "=")),
            "validity": None,
            "offsets": (_Buffer(offsets, offsets.ctypes.data, offsets.nbytes), (_Kind.INT, 64, "l", "=")),
        }


class _Column:
    def __init__(self, native, first, rows):
        self._native = native
        self._rows = rows
        self.offset = first

    null_count = 0
    metadata: dict = {}

    def size(self):
        return self._rows

    @property
    def describe_null(self):
        return (_Null.USE_NAN, None) if self._native.format == "d" else (_Null.NON_NULLABLE, None)

    @property
    def _storage(self):
        code = self._native.format
        return (_KINDS[code], _BITS[code], _ARROW[code], "=")

    @property
    def dtype(self):
        return (_Kind.CATEGORICAL, *self._storage[1:]) if self._native.is_text else self._storage

    @property
    def describe_categorical(self):
        if not self._native.is_text:
            raise TypeError("describe_categorical only works on a column with categorical dtype")
        return {"is_ordered": False, "is_dictionary": True, "categories": _Texts(self._native.categories())}

    def num_chunks(self):
        return 1

    def get_chunks(self, n_chunks=None):
        return [self]

    def get_buffers(self):
        size = len(self._native) * _BITS[self._native.format] // 8
        return {
            "data": (_Buffer(self._native, self._native.address, size), self._storage),
            "validity": None,
            "offsets": None,
        }


class DataFrame:
    """The protocol's data frame: one chunk per trace."""

    version = 0

    def __init__(self, table, allow_copy=True, names=None, chunk=None):
        self._table = table
        self._allow_copy = allow_copy
        self._names = list(table.columns if names is None else names)
        self._chunk = 0 if chunk is None and table._native.chunks == 1 else chunk

    def __dataframe__(self, nan_as_null=False, allow_copy=True):
        return DataFrame(self._table, allow_copy, self._names, self._chunk)

    metadata: dict = {}

    def num_columns(self):
        return len(self._names)

    def num_rows(self):
        return len(self._table) if self._chunk is None else len(self._column(self._names[0])._native)

    def num_chunks(self):
        return self._table._native.chunks if self._chunk is None else 1

    def column_names(self):
        return self._names

    def _column(self, name):
        if self._chunk is None:
            raise ValueError("the table has several traces; go through get_chunks()")
        native = self._table._native.column(name, self._chunk)
        return _Column(native, 0, len(native))

    def get_column(self, i):
        return self._column(self._names[i])

    def get_column_by_name(self, name):
        return self._column(name)

    def get_columns(self):
        return [self._column(name) for name in self._names]

    def select_columns(self, indices):
        return DataFrame(self._table, self._allow_copy, [self._names[i] for i in indices], self._chunk)

    def select_columns_by_name(self, names):
        return DataFrame(self._table, self._allow_copy, names, self._chunk)

    def get_chunks(self, n_chunks=None):
        if self._chunk is not None:
            return [self]
        return [DataFrame(self._table, self._allow_copy, self._names, i) for i in range(self.num_chunks())]
