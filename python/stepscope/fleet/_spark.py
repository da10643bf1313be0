"""Profiles of a fleet on Spark: mapInArrow over batches of paths, the program in each task."""
from __future__ import annotations

import json
import shutil
import sys
import tempfile
from typing import Any, Iterator, Mapping

from stepscope.fleet import _analyze, _listing, _ranks, _schema
from stepscope.fleet._tables import NO_TABLE

_BLOCKS = "table_name string, rows bigint, block binary"


def _task(options: dict[str, Any]) -> Any:
    """The function that runs in a task: batches of (paths) in, blocks of Arrow out."""

    def run(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa

        for batch in batches:
            for text in batch.column(0).to_pylist():
                folder = tempfile.mkdtemp(prefix="stepscope-fetched-")
                try:
                    fetched = _listing.Fetched(json.loads(text), folder)
                    tables = _analyze.analyze(fetched.entries, **options)
                finally:
                    shutil.rmtree(folder, ignore_errors=True)
                for name, table in tables.items():
                    sink = pa.BufferOutputStream()
                    with pa.ipc.new_stream(sink, table.schema) as writer:
                        writer.write_table(table)
                    yield pa.RecordBatch.from_pydict(
                        {"table_name": [name], "rows": [table.num_rows], "block": [sink.getvalue().to_pybytes()]})

    return run


def _rows_of_blocks(batches: Iterator[Any]) -> Iterator[Any]:
    import pyarrow as pa

    for batch in batches:
        for block in batch.column("block"):
            yield from pa.ipc.open_stream(block.as_buffer()).read_all().to_batches()


class SparkTables(Mapping):
    """A DataFrame for each table, ``ranks`` of the runs among them included. The profiles are read once, when the first of
    them is asked for its rows; `close` lets go of what is kept between."""

    def __init__(self, blocks: Any) -> None:
        self._blocks = blocks

    def __getitem__(self, table: str) -> Any:
        if table == "ranks":
            return _ranks.ranks_of_groups(self["rank_summaries"])
        if table not in _schema.TABLES:
            raise KeyError(table)
        of_table = self._blocks.where(self._blocks["table_name"] == table)
        return of_table.mapInArrow(_rows_of_blocks, _schema.spark_schema(table))

    def __iter__(self) -> Iterator[str]:
        return iter(_schema.ALL_TABLES)

    def __len__(self) -> int:
        return len(_schema.ALL_TABLES)

    def close(self) -> None:
        self._blocks.unpersist()


# Tasks a core: enough that the last ones end at about the same time, few enough that starting them costs little.
_TASKS_A_CORE = 3
_LEAST_TASK_BYTES = 16 << 20


def _parallelism(spark: Any) -> int:
    try:
        return int(spark.sparkContext.defaultParallelism)
    except Exception:  # noqa: BLE001: Connect has no context; it raises its own class
        return int(spark.conf.get("spark.default.parallelism", "0") or 0) or 16


def _one_a_partition(spark: Any, rows: list[tuple[str]]) -> Any:
    """A DataFrame with a row in each partition: Spark spreads and retries them. In their order, the largest first, where the
    session has a context; else (Connect) spread from one partition, which leaves none empty."""
    try:
        context = spark.sparkContext
    except Exception:  # noqa: BLE001: as above
        return spark.createDataFrame(rows, "paths string").coalesce(1).repartition(max(1, len(rows)))
    return spark.createDataFrame(context.parallelize(rows, max(1, len(rows))), "paths string")


def tables_of(spark: Any, entries: list[dict[str, Any]], *, task_bytes: int = _listing.TASK_BYTES,
              **options: Any) -> SparkTables:
    """The tables of the entries of a listing. A task gets ``task_bytes`` of files at most, and less where that leaves cores
    without work. ``options`` are those of `stepscope.fleet.analyze`."""
    tasks = _TASKS_A_CORE * _parallelism(spark)
    share = sum(entry.get("bytes") or 0 for entry in entries) // tasks
    files = max(1, -(-len(entries) // tasks))
    bins = _listing.pack(entries, min(task_bytes, max(share, _LEAST_TASK_BYTES)),
                         min(_listing.TASK_FILES, max(files, _listing.LEAST_TASK_FILES)))
    blocks = _one_a_partition(spark, [(json.dumps(each),) for each in bins]).mapInArrow(_task(options), _BLOCKS)
    return SparkTables(_kept(blocks))


def _kept(blocks: Any) -> Any:
    """Every table reads the blocks again, so they are kept: on the disks of the executors, because those of a large job outgrow
    memory that its tasks need."""
    from pyspark.storagelevel import StorageLevel

    return blocks.persist(StorageLevel.DISK_ONLY)


def spark(frame: Any, **options: Any) -> SparkTables:
    """The tables of the profiles that a DataFrame names: a column ``path`` and, where they are known, ``bytes``,
    ``mtime_unix_ns`` and the other facts of `stepscope.fleet.analyze`. Rows of the DataFrame are collected: they are
    the listing, not the profiles."""
    entries = [{key: value for key, value in row.asDict().items() if value is not None} for row in frame.collect()]
    return tables_of(frame.sparkSession, entries, **options)


def known_profiles(session: Any, out: str, table_format: str) -> list[tuple[str, int | None, int | None]]:
    """Path, bytes and time of what the tables have; nothing where there are no tables yet."""
    try:
        frame = _read(session, out, "profiles", table_format).select("path", "bytes", "mtime_unix_ns")
        return [tuple(row) for row in frame.collect()]
    except Exception as error:  # noqa: BLE001: classic and Connect raise different classes for the same thing
        if any(code in str(error) for code in (*NO_TABLE, "UNABLE_TO_INFER_SCHEMA")):
            return []
        raise


def _read(session: Any, out: str, table: str, table_format: str) -> Any:
    if table_format == "iceberg":
        return session.table(f"{out}.{table}")
    return session.read.format(table_format).load(f"{out}/{table}")


def write(tables: SparkTables, out: str, table_format: str = "parquet", keep_summaries: bool = False) -> None:
    """Appends the tables: Parquet or Delta below a path, by day, or Iceberg tables of a namespace. ``profiles`` comes
    last: the next run reads again what is not in it. Summaries of ranks have served when ``ranks`` is written; they are
    kept only on request."""
    for name in sorted(tables, key=lambda each: each == "profiles"):
        if name == "rank_summaries" and not keep_summaries:
            continue
        frame = tables[name]
        if table_format == "iceberg":
            _append_iceberg(frame, f"{out}.{name}")
        else:
            # A newer version may have more columns than the tables that are there; Parquet's readers ask for theirs by name.
            writer = frame.write.format(table_format).option("mergeSchema", "true")
            writer.mode("append").partitionBy("day").save(f"{out}/{name}")


def _append_iceberg(frame: Any, name: str) -> None:
    session = frame.sparkSession
    if session.catalog.tableExists(name):
        there = set(session.table(name).columns)
        added = [f"`{field.name}` {field.dataType.simpleString()}" for field in frame.schema if field.name not in there]
        if added:
            session.sql(f"ALTER TABLE {name} ADD COLUMNS ({', '.join(added)})")
        frame.writeTo(name).append()
    else:
        frame.writeTo(name).using("iceberg").partitionedBy(frame["day"]).create()


def session_at_hand() -> Any:
    """The session of spark-submit, of a notebook or of the site's configuration; workers use this interpreter unless
    PYSPARK_PYTHON says otherwise."""
    import os

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    from pyspark.sql import SparkSession

    return SparkSession.builder.appName("stepscope-fleet").getOrCreate()
