"""Tables of a fleet behind one interface: DuckDB, or the Spark session at hand."""
from __future__ import annotations

import decimal
import functools
import glob
import json
import os
from typing import Any, Iterator

from stepscope.fleet import _schema, _views


_NO_TABLES = "{} has no tables of a fleet; stepscope fleet analyze --paths-from LIST --out DIR writes them"


class FleetError(Exception):
    """What is wrong, and what to do next."""


def quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


# Of a compaction that is under way, or was killed: the files that it replaces and by what.
JOURNAL = "_compaction.json"


def _replaced(directory: str) -> tuple[set[str], list[str]]:
    """Files that a compaction has replaced, and those that stand for them though they have no name yet."""
    try:
        with open(os.path.join(directory, JOURNAL), encoding="utf-8") as file:
            swaps = json.load(file)
    except (OSError, ValueError):
        return set(), []
    return {old for swap in swaps for old in swap["files"]}, [swap["made"] for swap in swaps if os.path.exists(swap["made"])]


def connect(memory: str | None = None) -> Any:
    try:
        import duckdb
    except ImportError as error:
        raise FleetError("DuckDB is missing; pip install 'stepscope[fleet]'") from error
    connection = duckdb.connect(":memory:")
    if memory:
        connection.execute(f"SET memory_limit = {quoted(memory)}")
    return connection


class DuckTables:
    """Parquet files of one directory: flat ones, as the program writes them, and folders that engines write."""

    def __init__(self, directory: str, memory: str | None = None) -> None:
        self._connection = connect(memory)
        for table in _schema.ALL_TABLES:
            self.execute(f"CREATE VIEW {table} AS {self._source(directory, table)}")
        _views.create_all(self._connection.execute)

    def _source(self, directory: str, table: str) -> str:
        replaced, unnamed = _replaced(directory)
        root = glob.escape(directory)

        def files(pattern: str, inside: bool) -> str | None:
            """The pattern, or where a compaction was not finished the files that count."""
            found = glob.glob(pattern, recursive=True)
            if not replaced or not found:
                return quoted(pattern) if found else None
            count = [file for file in found if file not in replaced]
            count += [file for file in unnamed if os.path.basename(file).startswith(f"_compact-{table}-")
                      and (os.path.dirname(file) != directory) == inside]
            return "[" + ", ".join(map(quoted, count)) + "]" if count else None

        parts = []
        if flat := files(os.path.join(root, f"{table}-*.parquet"), False):
            parts.append(f"SELECT * FROM read_parquet({flat}, union_by_name = true)")
        # Day by day, as Spark writes them, or whatever lies in the table's folder.
        if folder := files(os.path.join(root, table, "**", "*.parquet"), True):
            parts.append(f"SELECT * FROM read_parquet({folder}, union_by_name = true, "
                         "hive_partitioning = true, hive_types_autocast = false)")
        if not parts and table == "profiles":
            raise FleetError(_NO_TABLES.format(directory))
        if not parts:
            columns = ", ".join(f"CAST(NULL AS {_schema.duckdb_type(kind)}) AS {_quoted_name(name)}"
                                for name, kind in _schema.ALL_TABLES[table])
            return f"SELECT {columns} WHERE false"
        return " UNION ALL ".join(f"SELECT {self._columns(table, part)} FROM ({part})" for part in parts)

    def _columns(self, table: str, part: str) -> str:
        """The table's columns; null those that files of an earlier version do not have."""
        there = {row[0] for row in self.execute(f"DESCRIBE {part}").fetchall()}
        return ", ".join(_quoted_name(name) if name in there else f"CAST(NULL AS {_schema.duckdb_type(kind)}) AS {_quoted_name(name)}"
                         for name, kind in _schema.ALL_TABLES[table])

    def execute(self, statement: str) -> Any:
        return self._connection.execute(statement)

    def stream(self, query: str) -> Iterator[dict[str, Any]]:
        result = self._connection.execute(query)
        names = [column[0] for column in result.description]
        while rows := result.fetchmany(1000):
            for row in rows:
                yield dict(zip(names, row))

    def rows(self, query: str) -> list[dict[str, Any]]:
        return list(self.stream(query))


# What Spark, Delta and Iceberg call a table that is not there.
NO_TABLE = ("PATH_NOT_FOUND", "DELTA_TABLE_NOT_FOUND", "TABLE_OR_VIEW_NOT_FOUND", "DELTA_PATH_DOES_NOT_EXIST")


class SparkTables:
    """The same through a Spark session, classic or Connect."""

    def __init__(self, spark: Any, directory: str, table_format: str = "parquet") -> None:
        self._spark = spark
        for table in _schema.ALL_TABLES:
            self._frame(directory, table, table_format).createOrReplaceTempView(table)
        _views.create_all(spark.sql)

    def _frame(self, directory: str, table: str, table_format: str) -> Any:
        """Flat files, as the program writes them, and the folders that Spark writes. Parquet is read by our columns: a
        table without rows has no files, and days are texts."""
        schema = _schema.spark_schema(table)
        reader = self._spark.read.format(table_format)
        if table_format == "parquet":
            reader = reader.schema(schema)
        frames = []
        places = [f"{directory}/{table}"]
        if table_format == "iceberg":
            places = [f"{directory}.{table}"]
        elif table_format == "parquet":
            places.append(f"{directory}/{table}-*.parquet")
        for place in places:
            try:
                frame = self._spark.table(place) if table_format == "iceberg" else reader.load(place)
                frames.append(_with_columns(frame, table))
            except Exception as error:  # noqa: BLE001: classic and Connect raise different classes for the same thing
                if not any(code in str(error) for code in NO_TABLE):
                    raise
        if not frames and table == "profiles":
            raise FleetError(_NO_TABLES.format(directory))
        frames = frames or [self._spark.createDataFrame([], schema)]
        return functools.reduce(lambda all_rows, more: all_rows.unionByName(more), frames)

    def rows(self, query: str) -> list[dict[str, Any]]:
        # Means of whole numbers are decimals in Spark.
        return [{name: float(value) if isinstance(value, decimal.Decimal) else value for name, value in row.asDict().items()}
                for row in self._spark.sql(query).collect()]


def _with_columns(frame: Any, table: str) -> Any:
    """The table's columns of a DataFrame; null those that tables of an earlier version do not have."""
    from pyspark.sql import functions

    there = set(frame.columns)  # asks Spark, where Connect has not yet
    missing = [field for field in _schema.spark_schema(table).split(", ") if field.split("`")[1] not in there]
    for field in missing:
        _, name, kind = field.split("`")
        frame = frame.withColumn(name, functions.lit(None).cast(kind.strip()))
    return frame.select(*(name for name, _ in _schema.ALL_TABLES[table]))


def _quoted_name(name: str) -> str:
    return '"' + name + '"'


def open_tables(directory: str) -> DuckTables:
    return DuckTables(directory)
