"""Tables of a fleet as Delta and Iceberg: rows as in Parquet, nothing read twice, a column that older tables lack is added.

Usage: table_formats.py FOLDER   (with profiles; needs pyspark with a JVM, pyarrow, duckdb and stepscope)

A format whose jars cannot be had is listed as not run; a format that runs has to be right.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile

# Of Spark 4.1 (tests/peers/environments/spark-formats.in).
JARS = {"delta": "io.delta:delta-spark_4.1_2.13:4.4.0", "iceberg": "org.apache.iceberg:iceberg-spark-runtime-4.1_2.13:1.12.0"}
SETTINGS = {
    "parquet": {},
    "delta": {
        "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
    },
    "iceberg": {"spark.sql.catalog.site": "org.apache.iceberg.spark.SparkCatalog", "spark.sql.catalog.site.type": "hadoop"},
}
LOOK = """
import json, sys
from stepscope.fleet import _schema, _spark, _tables
session = _spark.session_at_hand()
out, kind = sys.argv[1:]
tables = _tables.SparkTables(session, out, kind)
rows = {name: sorted(json.dumps(row, sort_keys=True) for row in tables.rows(f"SELECT * FROM {name}"))
        for name in (*_schema.ALL_TABLES, "savings", "stragglers")}
print("ROWS " + json.dumps(rows))
"""
# What a version without that column left behind.
OLDER = """
import sys
from stepscope.fleet import _spark
session = _spark.session_at_hand()
out, kind = sys.argv[1:]
if kind == "iceberg":
    session.sql(f"ALTER TABLE {out}.findings DROP COLUMN stepscope_version")
else:
    older = session.read.format(kind).load(f"{out}/findings").drop("stepscope_version")
    older.localCheckpoint().write.format(kind).mode("overwrite").option("overwriteSchema", "true").partitionBy("day").save(f"{out}/findings")
"""


class Format:
    def __init__(self, kind, folder):
        self.kind = kind
        settings = {"spark.ui.enabled": "false", "spark.sql.shuffle.partitions": "2", **SETTINGS[kind]}
        self.out = f"{folder}/{kind}"
        if kind == "iceberg":
            settings["spark.sql.catalog.site.warehouse"], self.out = f"{folder}/warehouse", "site.fleet"
        words = ["--master", "local[2]", *(["--packages", JARS[kind]] if kind in JARS else []),
                 *(f"--conf={key}={value}" for key, value in settings.items()), "pyspark-shell"]
        self.environment = {**os.environ, "PYSPARK_SUBMIT_ARGS": " ".join(words), "SPARK_LOCAL_IP": "127.0.0.1"}

    def run(self, *command):
        return subprocess.run([sys.executable, *command], env=self.environment, capture_output=True, text=True, check=False)

    def read(self, source):
        return self.run("-m", "stepscope.fleet", "spark", source, "--pattern", "*.zst", "--out", self.out, "--table-format", self.kind)

    def rows(self):
        done = self.run("-c", LOOK, self.out, self.kind)
        told = [line[5:] for line in done.stdout.splitlines() if line.startswith("ROWS ")]
        assert told, done.stderr[-3000:]
        return json.loads(told[0])


def check(kind, source, more, folder, wanted):
    """Returns the rows. `wanted`: those of Parquet."""
    tables = Format(kind, folder)
    first = tables.read(source)
    if first.returncode != 0:
        missing = [line for line in first.stderr.splitlines() if "UNRESOLVED DEPENDENCIES" in line or "not found" in line]
        assert missing, f"{kind}: {first.stderr[-3000:]}"
        return print(f"table_formats: {kind} NOT RUN: its jars cannot be had: {missing[-1].strip()[:200]}")
    again = tables.read(source)
    assert "nothing is new" in again.stdout, again.stdout + again.stderr[-2000:]
    rows = tables.rows()
    for name in wanted or ():
        assert rows[name] == wanted[name], f"{name} of {kind} and of Parquet differ: {rows[name][:1]} and {wanted[name][:1]}"
    if kind != "parquet":
        older = tables.run("-c", OLDER, tables.out, kind)
        assert older.returncode == 0, older.stderr[-3000:]
        added = tables.read(more)
        assert added.returncode == 0, added.stderr[-3000:]
        read_by = [json.loads(row)["stepscope_version"] for row in tables.rows()["findings"]]
        assert read_by.count(None) == len(rows["findings"]) and len(set(read_by)) == 2, read_by
    print(f"table_formats: {first.stdout.strip().splitlines()[-1]} ({JARS.get(kind, kind)}; a second run reads nothing)")
    return rows


def main():
    source = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        more = f"{folder}/more"
        os.mkdir(more)
        for name in os.listdir(source):
            if "rank0" in name:
                shutil.copy(os.path.join(source, name), os.path.join(more, f"later_{name}"))
        wanted = check("parquet", source, more, folder, None)
        for kind in JARS:
            check(kind, source, more, folder, wanted)


if __name__ == "__main__":
    main()
