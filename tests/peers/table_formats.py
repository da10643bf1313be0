"""Tables of a fleet as Delta and Iceberg: rows as in Parquet, nothing read twice, a column that older tables lack is added.

Usage: table_formats.py FOLDER   (with profiles of ranks; needs pyspark with a JVM, pyarrow, duckdb and stepscope)

Each format has a Spark of its own, which brings the jars. A format whose jars cannot be had is listed as not run; a format
that runs has to be right.
"""

import contextlib
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile

# Of Spark 4.1 (tests/peers/environments/spark-formats.in).
JARS = {"delta": "io.delta:delta-spark_4.1_2.13:4.4.0", "iceberg": "org.apache.iceberg:iceberg-spark-runtime-4.1_2.13:1.12.0"}
SETTINGS = {
    "delta": {
        "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
    },
    "iceberg": {"spark.sql.catalog.site": "org.apache.iceberg.spark.SparkCatalog", "spark.sql.catalog.site.type": "hadoop"},
}
NO_JARS = "no jars"


def read(kind, out, source):
    """The command, in this process; what it says last."""
    from stepscope.fleet.__main__ import main

    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        code = main(["spark", source, "--pattern", "*.zst", "--out", out, "--table-format", kind])
    assert code == 0, said.getvalue()
    return said.getvalue().strip().splitlines()[-1]


def rows_of(kind, out):
    from stepscope.fleet import _schema, _spark, _tables

    tables = _tables.SparkTables(_spark.session_at_hand(), out, kind)
    return {name: sorted(json.dumps(row, sort_keys=True) for row in tables.rows(f"SELECT * FROM {name}"))
            for name in (*_schema.ALL_TABLES, "savings", "stragglers")}


def forget_a_column(kind, out):
    """What a version without that column left behind."""
    from stepscope.fleet import _spark

    session = _spark.session_at_hand()
    if kind == "iceberg":
        session.sql(f"ALTER TABLE {out}.findings DROP COLUMN stepscope_version")
        return
    older = session.read.format(kind).load(f"{out}/findings").drop("stepscope_version").localCheckpoint()
    older.write.format(kind).mode("overwrite").option("overwriteSchema", "true").partitionBy("day").save(f"{out}/findings")


def try_format(kind, folder, source):
    """In a process of its own. Leaves the rows of the first reading in FOLDER/KIND.json."""
    from stepscope.fleet import _spark

    out = "site.fleet" if kind == "iceberg" else f"{folder}/{kind}"
    try:
        _spark.session_at_hand().sparkContext.setLogLevel("ERROR")
    except Exception as error:  # noqa: BLE001: without its jars Spark does not start
        sys.exit(f"{NO_JARS}: {str(error).splitlines()[0]}")
    first = read(kind, out, source)
    assert read(kind, out, source) == "nothing is new or changed"
    rows = rows_of(kind, out)
    with open(f"{folder}/{kind}.json", "w", encoding="utf-8") as file:
        json.dump(rows, file)
    if kind != "parquet":
        forget_a_column(kind, out)
        read(kind, out, f"{folder}/more")
        read_by = [json.loads(row)["stepscope_version"] for row in rows_of(kind, out)["findings"]]
        assert read_by.count(None) == len(rows["findings"]) and len(set(read_by)) == 2, read_by
    print(f"table_formats: {first} ({JARS.get(kind, kind)}; a second run reads nothing)")


def check(kind, folder, source):
    settings = {"spark.ui.enabled": "false", "spark.sql.shuffle.partitions": "2", **SETTINGS.get(kind, {})}
    if kind == "iceberg":
        settings["spark.sql.catalog.site.warehouse"] = f"{folder}/warehouse"
    words = ["--master", "local[2]", *(["--packages", JARS[kind]] if kind in JARS else []),
             *(f"--conf={key}={value}" for key, value in settings.items()), "pyspark-shell"]
    environment = {**os.environ, "PYSPARK_SUBMIT_ARGS": " ".join(words), "SPARK_LOCAL_IP": "127.0.0.1"}
    done = subprocess.run([sys.executable, __file__, "--one", kind, folder, source], env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0 and NO_JARS in done.stderr and "UNRESOLVED DEPENDENCIES" in done.stderr:
        print(f"table_formats: {kind} NOT RUN: {JARS[kind]} cannot be had")
        return None
    assert done.returncode == 0, f"{kind}: {done.stderr[-4000:]}"
    print(done.stdout.strip().splitlines()[-1], flush=True)
    with open(f"{folder}/{kind}.json", encoding="utf-8") as file:
        return json.load(file)


def main():
    if sys.argv[1] == "--one":
        return try_format(*sys.argv[2:])
    source = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(f"{folder}/more")
        for name in os.listdir(source):
            if "rank0" in name:
                shutil.copy(os.path.join(source, name), f"{folder}/more/later_{name}")
        wanted = check("parquet", folder, source)
        for kind in JARS:
            rows = check(kind, folder, source)
            for name in rows or ():
                assert rows[name] == wanted[name], f"{name} of {kind} and of Parquet: {rows[name][:1]} and {wanted[name][:1]}"


if __name__ == "__main__":
    main()
