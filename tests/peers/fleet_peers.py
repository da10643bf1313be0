"""A real Spark makes the same tables as the program, and answers the views as DuckDB does.

Usage: fleet_peers.py [--all] STEPSCOPE PROFILE...   (needs pyspark with a JVM, pyarrow, pandas, duckdb, fsspec and stepscope)

--all adds a store (moto's S3 on this machine, through s3fs), Dask and Ray. What cannot be run is listed as not run. Delta and
Iceberg: table_formats.py, with a Spark that they fit.
"""

import collections
import importlib.util
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
    """A hundred files: the profiles, a job's ranks, copies, one cut in the middle, one empty, one that is none. One of them
    is far larger than the others."""
    os.makedirs(f"{folder}/job")
    for profile in profiles:
        shutil.copy(profile, folder)
    for rank in pathlib.Path("tests/data/ranks").iterdir():
        shutil.copy(rank, f"{folder}/job")
    smallest = min(profiles, key=os.path.getsize)
    whole = pathlib.Path(smallest).read_bytes()
    for number in range(100 - len(profiles) - 4 - 4):
        pathlib.Path(folder, f"copy{number:02}.json.gz").write_bytes(whole)
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
    assert counts["profiles"] == len(entries) == 100, counts
    status = collections.Counter(json.loads(row)["status"] for row in at_once["profiles"])
    assert status == {"ok": 97, "partial": 1, "failed": 2}, status
    late = [row["rank"] for row in small_tasks["ranks"].collect() if row["straggler"]]
    assert late == [2], late
    fleet.write(small_tasks, f"{folder}/tables")
    small_tasks.close()
    assert not os.path.exists(f"{folder}/tables/rank_summaries"), "summaries are kept"
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


def check_s3(folder):
    """moto stands in for S3 on this machine; s3fs finds it by AWS_ENDPOINT_URL, as executors would find a store."""
    if importlib.util.find_spec("moto") is None or importlib.util.find_spec("s3fs") is None:
        return print("fleet_peers: S3 not run: moto or s3fs is not installed")
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    try:
        import s3fs

        system = s3fs.S3FileSystem(key="x", secret="x", endpoint_url=f"http://{host}:{port}")
        system.mkdir("profiles")
        names = sorted(os.listdir(f"{folder}/in"))
        for name in [name for name in names if name.endswith((".json", ".json.gz"))][-20:]:
            system.put(f"{folder}/in/{name}", f"profiles/night/{name}")
        done = subprocess.run(
            [sys.executable, "-m", "stepscope.fleet", "spark", "s3://profiles/night/", "--out", f"{folder}/from_s3"],
            env={**os.environ, "AWS_ENDPOINT_URL": f"http://{host}:{port}", "AWS_ACCESS_KEY_ID": "x",
                 "AWS_SECRET_ACCESS_KEY": "x", "AWS_DEFAULT_REGION": "us-east-1", "SPARK_LOCAL_IP": "127.0.0.1"},
            capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr[-3000:]
    finally:
        server.stop()
    stored = _tables.open_tables(f"{folder}/from_s3").rows("SELECT path, status, profile_id FROM profiles")
    local = {row["profile_id"] for row in _tables.open_tables(f"{folder}/tables").rows("SELECT profile_id FROM profiles")}
    assert len(stored) == 20 and all(row["path"].startswith("s3://profiles/night/") for row in stored), stored
    assert {row["profile_id"] for row in stored} <= local, "objects are other bytes than files"
    print(f"fleet_peers: {done.stdout.strip().splitlines()[-1]} (from S3)")


def check_other_engines(folder):
    """The example of docs/fleet.md."""
    bins = fleet.pack(list(fleet.list_profiles(f"{folder}/in/job", "*.zst")), task_files=2)
    if importlib.util.find_spec("dask") is None:
        print("fleet_peers: Dask not run: it is not installed")
    else:
        import dask.bag

        tables = dask.bag.from_sequence(bins, npartitions=len(bins)).map(fleet.analyze).compute(scheduler="threads")
        assert sum(each["profiles"].num_rows for each in tables) == 4
        print("fleet_peers: Dask read 4 profiles in", len(bins), "batches")
    if importlib.util.find_spec("ray") is None:
        print("fleet_peers: Ray not run: it is not installed")
    else:
        import ray

        ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, _node_ip_address="127.0.0.1")
        tables = ray.get([ray.remote(fleet.analyze).remote(each) for each in bins])
        ray.shutdown()
        assert sum(each["profiles"].num_rows for each in tables) == 4
        print("fleet_peers: Ray read 4 profiles in", len(bins), "batches")


def check_views(spark, directory):
    duck, on_spark = _tables.open_tables(directory), _tables.SparkTables(spark, directory)
    rows = 0
    for view in fleet.VIEWS:
        ours = lines(duck.rows(f"SELECT * FROM {view}"))
        same(f"the view {view} in DuckDB and in Spark", ours, lines(on_spark.rows(f"SELECT * FROM {view}")))
        rows += len(ours)
    print(f"fleet_peers: DuckDB and Spark agree on {len(fleet.VIEWS)} views, {rows} rows")
    return _summary.collect(on_spark)


def check_readings(spark, directory, once):
    """What an older version said of the same profiles counts no more: 4,000 minutes of which 5 to 20 % are saved."""
    fleet_tables.add_older_reading(directory)
    said = check_views(spark, directory)
    hours = 4000 / 60
    saved = [(row["rule"], *(round(row[f"saved_device_hours_{name}"] / hours, 9) for name in ("at_least", "likely", "at_most")))
             for row in said["savings"]]
    assert saved == [("missing-prefetch", 0.05, 0.1, 0.2)], saved
    same("waste of one reading and of two", lines(once["waste"]), lines(said["waste"]))
    same("regressions of one reading and of two", lines(once["regressions"]), lines(said["regressions"]))
    print("fleet_peers: two readings of 4,000 profiles count once in both engines")


def main():
    words = [word for word in sys.argv[1:] if word != "--all"]
    stepscope, profiles = words[0], words[1:]
    spark = (SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
             .config("spark.ui.showConsoleProgress", "false")
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
        check_readings(spark, f"{folder}/made", said)
        spark.stop()
        if "--all" in sys.argv:
            check_s3(folder)
            check_other_engines(folder)


if __name__ == "__main__":
    main()
