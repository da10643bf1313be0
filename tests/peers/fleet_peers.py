"""A real Spark makes the same tables as the program, and answers the views as DuckDB does.

Usage: fleet_peers.py STEPSCOPE PROFILE...   (needs pyspark with a JVM, pyarrow, pandas, duckdb, fsspec and stepscope)
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python" / "tests"))

import fleet_tables  # noqa: E402: it lies beside the tests of the package
from pyspark.sql import SparkSession  # noqa: E402

from stepscope import fleet  # noqa: E402
from stepscope.fleet import _analyze, _listing, _schema, _spark, _summary, _tables  # noqa: E402


def lines(rows):
    """Rows as sorted bytes. Sums over doubles differ in their last digits with the order of their parts."""
    def plain(value):
        return float(f"{value:.10g}") if isinstance(value, float) else value

    return sorted(json.dumps({key: plain(value) for key, value in row.items()}, sort_keys=True) for row in rows)


def same(what, ours, theirs):
    if ours != theirs:
        sys.exit(f"fleet_peers: {what} differ: {len(ours)} and {len(theirs)} rows\n{ours[:1]}\n{theirs[:1]}")


def make_files(folder, profiles):
    """The profiles, a copy, one cut in the middle, one empty, one that is none."""
    os.makedirs(folder)
    for profile in profiles:
        shutil.copy(profile, folder)
    whole = pathlib.Path(profiles[0]).read_bytes()
    for name, content in (("copy.json.gz", whole), ("cut.json.gz", whole[:len(whole) // 2]), ("empty.json", b""),
                          ("none.json", b"no profile\n")):
        pathlib.Path(folder, name).write_bytes(content)
    return list(_listing.list_source(folder))


def program_tables(stepscope, entries, out, batches):
    """What the program writes, batch by batch."""
    for batch in batches(entries):
        text = "".join(json.dumps(entry) + "\n" for entry in batch)
        subprocess.run([stepscope, "fleet", "analyze", "--paths-from", "-", "--out", out, "--format", "arrow", "--json"],
                       input=text.encode(), check=True, stdout=subprocess.DEVNULL)
    return {table: lines(rows.to_pylist()) for table, rows in _analyze.read_tables(out).items()}


def check_tables(stepscope, spark, profiles, folder):
    entries = make_files(f"{folder}/in", profiles)
    at_once = program_tables(stepscope, entries, f"{folder}/at_once", lambda every: [every])
    one_by_one = program_tables(stepscope, entries, f"{folder}/loop", lambda every: [[entry] for entry in every])
    small_tasks = _spark.tables_of(spark, entries, task_bytes=100_000)
    counts = {}
    for table in _schema.TABLES:
        on_spark = lines(row.asDict() for row in small_tasks[table].collect())
        same(f"{table} of a loop and of one process", one_by_one[table], at_once[table])
        same(f"{table} of the program and of Spark", at_once[table], on_spark)
        counts[table] = len(on_spark)
    fleet.write(small_tasks, f"{folder}/tables")
    small_tasks.close()
    known = _spark.known_profiles(spark, f"{folder}/tables", "parquet")
    assert list(_listing.new_or_changed(entries, known)) == [], "a second run reads again"
    print("fleet_peers: a loop, one process and Spark agree:",
          ", ".join(f"{count} {table}" for table, count in counts.items()))
    return f"{folder}/tables"


def check_store(spark, folder):
    """Objects of a store, by fsspec: paths are addresses, the rest is as on the disk."""
    stored = list(_listing.list_source(f"file://{folder}/in"))
    tables = _spark.tables_of(spark, stored)
    rows = [row.asDict() for row in tables["profiles"].collect()]
    tables.close()
    assert {row["path"] for row in rows} == {entry["path"] for entry in stored}
    assert all(row["path"].startswith("file://") for row in rows)
    assert sum(row["status"] == "ok" for row in rows) == len(rows) - 3, rows
    print(f"fleet_peers: {len(rows)} objects read through fsspec")


def check_views(spark, directory):
    duck, on_spark = _tables.open_tables(directory), _tables.SparkTables(spark, directory)
    rows = 0
    for view in fleet.VIEWS:
        ours = lines(duck.rows(f"SELECT * FROM {view}"))
        same(f"the view {view} in DuckDB and in Spark", ours, lines(on_spark.rows(f"SELECT * FROM {view}")))
        rows += len(ours)
    print(f"fleet_peers: DuckDB and Spark agree on {len(fleet.VIEWS)} views, {rows} rows")
    return _summary.collect(on_spark)


def main():
    stepscope, profiles = sys.argv[1], sys.argv[2:]
    spark = (SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
             .config("spark.driver.host", "127.0.0.1").config("spark.driver.bindAddress", "127.0.0.1")
             .config("spark.sql.shuffle.partitions", "4").getOrCreate())
    spark.sparkContext.setLogLevel("ERROR")
    with tempfile.TemporaryDirectory() as folder:
        check_views(spark, check_tables(stepscope, spark, profiles, folder))
        check_store(spark, folder)
        fleet_tables.write(f"{folder}/made", slower_job=17, slower_runs=5, slow_host=3)
        said = check_views(spark, f"{folder}/made")
        assert [row["job_id"] for row in said["regressions"]] == ["job-0017"], said["regressions"]
        assert [row["host"] for row in said["slow_hosts"]] == ["host-03"], said["slow_hosts"]
    spark.stop()


main()
