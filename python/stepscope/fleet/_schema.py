"""The columns of the tables as engines spell them."""
from __future__ import annotations

from typing import Any

from stepscope.fleet._columns import ALL_TABLES, TABLES, VERSION

__all__ = ["ALL_TABLES", "TABLES", "VERSION", "arrow_schema", "duckdb_type", "spark_schema"]

_DUCKDB = {"int": "BIGINT", "real": "DOUBLE", "bool": "BOOLEAN", "text": "VARCHAR"}
_SPARK = {"int": "bigint", "real": "double", "bool": "boolean", "text": "string"}


def duckdb_type(kind: str) -> str:
    return _DUCKDB[kind]


def spark_schema(table: str) -> str:
    """The table's columns as Spark spells them: ``profile_id string, day string, …``."""
    return ", ".join(f"`{name}` {_SPARK[kind]}" for name, kind in ALL_TABLES[table])


def arrow_schema(table: str) -> Any:
    """The table's columns as a ``pyarrow.Schema``."""
    import pyarrow as pa

    kinds = {"int": pa.int64(), "real": pa.float64(), "bool": pa.bool_(), "text": pa.string()}
    return pa.schema([(name, kinds[kind]) for name, kind in ALL_TABLES[table]])
