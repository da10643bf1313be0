"""Answers as objects: JSON whose members are attributes. They are dicts and lists, so json, pickle, pandas and polars take them."""


class _Shared:
    """A name that dict has too: the member where the answer has one, else the method of dict."""

    def __set_name__(self, owner, name):
        self._name = name

    def __get__(self, record, owner=None):
        method = getattr(dict, self._name)
        if record is None:
            return method
        if not dict.__contains__(record, self._name):
            return method.__get__(record)
        member = dict.__getitem__(record, self._name)
        if isinstance(member, Rows):
            member._owner = record  # called, it is the method of dict: json asks for items()
        return member


class Record(dict):
    """A JSON object: its members are attributes, and items by their name.

    >>> record = Record(bound_by="input", items=Rows([Record(number=1)]))
    >>> record.bound_by, record["bound_by"], record.items[0].number
    ('input', 'input', 1)
    """

    __slots__ = ()

    items = _Shared()
    values = _Shared()
    copy = _Shared()

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"there is no {name!r} here; there is {', '.join(self) or 'nothing'}") from None

    def __dir__(self):
        return [*super().__dir__(), *self]

    def __reduce__(self):
        return (_again, (type(self), dict(self)))

    def dict(self):
        """The same as plain dicts and lists."""
        return plain(self)


def _again(kind, members):
    return kind(members)


class Rows(list):
    """A table of an answer: a list of records that data frames take as a table.

    >>> Rows([Record(name="a", calls=1), Record(name="b", calls=2)]).column("calls")
    [1, 2]
    """

    __slots__ = ("_owner",)

    def __call__(self):
        """A member named ``items`` hides the method of dict; called, it is that method."""
        return dict.items(self._owner)

    def __reduce__(self):
        return (Rows, (list(self),))

    def column(self, name):
        """One value of each row."""
        return [row[name] for row in self]

    def to_pandas(self):
        """The rows as a pandas.DataFrame."""
        import pandas

        return pandas.DataFrame(plain(self))

    def to_polars(self):
        """The rows as a polars.DataFrame."""
        import polars

        return polars.DataFrame(plain(self), infer_schema_length=None)

    def to_arrow(self):
        """The rows as a pyarrow.Table."""
        import pyarrow

        return pyarrow.Table.from_pylist(plain(self))


def records(value):
    """JSON that was read, with a record for each object and rows for each list of objects."""
    if isinstance(value, dict):
        return Record((key, records(member)) for key, member in value.items())
    if isinstance(value, list):
        made = [records(member) for member in value]
        return Rows(made) if all(isinstance(member, Record) for member in made) else made
    return value


def plain(value):
    """The same as plain dicts and lists."""
    if isinstance(value, dict):
        return {key: plain(member) for key, member in dict.items(value)}
    if isinstance(value, list):
        return [plain(member) for member in value]
    return value
