"""Synthetic tables of a fleet, made by DuckDB: quiet, with a planted regression, or with a planted slow host."""
import os

import duckdb

from stepscope.fleet import _schema

START = 1_790_000_000_000_000_000
HOUR = 3_600_000_000_000


def write(folder, jobs=40, runs=25, ranks=4, slower_job=None, slower_runs=5, slow_host=None, seed=7):
    """Each job runs `runs` times, an hour apart, on `ranks` hosts of ten. Steps take 100 ms and scatter by 1 %. The
    last `slower_runs` runs of `slower_job` take 10 % longer; what `slow_host` does itself takes 20 % longer."""
    connection = duckdb.connect()
    connection.execute(f"SELECT setseed({seed / 100})")
    slower = f"CASE WHEN job = {slower_job} AND run >= {runs - slower_runs} THEN 1.1 ELSE 1 END" if slower_job is not None else "1"
    host = f"CASE WHEN (job + rank) % 10 = {slow_host} THEN 1.2 ELSE 1 END" if slow_host is not None else "1"
    known = {
        "profile_id": "printf('%032x', (job * 1000 + run) * 1000 + rank)",
        "day": f"strftime(make_timestamp(({START} + run * {HOUR}) // 1000), '%Y-%m-%d')",
        "path": "printf('jobs/%d/%d/rank%d.json.gz', job, run, rank)",
        "bytes": "2500000", "mtime_unix_ns": f"{START} + run * {HOUR}",
        "job_id": "printf('job-%04d', job)", "run_id": "printf('run-%04d', run)", "rank": "rank",
        "world_size": f"{ranks}", "host": "printf('host-%02d', (job + rank) % 10)", "format": "'kineto'",
        "framework": "'PyTorch'", "framework_version": "'2.9'", "device_name": "'H200'", "device_count": "1",
        "start_unix_ns": f"{START} + run * {HOUR} + rank",
        "step_median_ns": "CAST(step AS BIGINT)", "window_ns": "CAST(step AS BIGINT)", "bound_by": "'compute'",
        "exposed_communication_ns": "CAST(step - own AS BIGINT)", "compute_ns": "CAST(own * 0.75 AS BIGINT)",
        "idle_ns": "CAST(own * 0.25 AS BIGINT)", "exposed_copy_ns": "0", "idle_communication_wait_ns": "0",
        "device_seconds": "60.0", "weight": "1.0", "stepscope_version": "'1.0.0'", "status": "'ok'",
    }
    columns = ", ".join(f"CAST({known.get(name, 'NULL')} AS {_schema.duckdb_type(kind)}) AS \"{name}\""
                        for name, kind in _schema.TABLES["profiles"])
    # Ranks wait for the slowest: all have the step of the run, each its own work.
    connection.execute(f"""
        CREATE TABLE made AS
        SELECT *, MAX(own) OVER (PARTITION BY job, run) * 1.02 AS step FROM (
          SELECT job, run, rank, 100000000 * (1 + 0.01 * (random() - 0.5)) * {slower} * {host} AS own
          FROM range({jobs}) j(job), range({runs}) r(run), range({ranks}) k(rank))""")
    os.makedirs(folder, exist_ok=True)
    connection.execute(f"COPY (SELECT {columns} FROM made) TO '{folder}/profiles-made.parquet' (FORMAT parquet)")
    findings = {"profile_id": known["profile_id"], "day": known["day"], "trace": "0", "place": "1",
                "rule": "'missing-prefetch'", "severity": "'high'", "confidence": "'high'",
                "saving_lo_ns": "5000000", "saving_hi_ns": "20000000", "saving_likely_ns": "10000000",
                "step_ns": "100000000", "sentence": "'…'", "stepscope_version": known["stepscope_version"]}
    columns = ", ".join(f"CAST({findings.get(name, 'NULL')} AS {_schema.duckdb_type(kind)}) AS \"{name}\""
                        for name, kind in _schema.TABLES["findings"])
    connection.execute(f"COPY (SELECT {columns} FROM made) TO '{folder}/findings-made.parquet' (FORMAT parquet)")


def add_older_reading(folder):
    """The same files, read by an older version: it promised 30 %, at a second place something else, and took steps for shorter."""
    connection = duckdb.connect()
    older = "'0.9.12' AS stepscope_version"
    connection.execute(f"COPY (SELECT * REPLACE ({older}, step_median_ns // 2 AS step_median_ns, compute_ns // 2 AS compute_ns) "
                       f"FROM '{folder}/profiles-made.parquet') TO '{folder}/profiles-older.parquet' (FORMAT parquet)")
    promised = "30000000 AS saving_lo_ns, 30000000 AS saving_likely_ns, 30000000 AS saving_hi_ns"
    connection.execute(f"""COPY (
        SELECT * REPLACE ({older}, {promised}) FROM '{folder}/findings-made.parquet'
        UNION ALL
        SELECT * REPLACE ({older}, {promised}, 2 AS place, 'small-kernels' AS rule) FROM '{folder}/findings-made.parquet')
        TO '{folder}/findings-older.parquet' (FORMAT parquet)""")
