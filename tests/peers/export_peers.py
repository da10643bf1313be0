"""Other readers read what `stepscope export` wrote: pyarrow and DuckDB cell by cell, go tool pprof, and
readers for Node (export_peers.mjs).

Usage: export_peers.py STEPSCOPE NODE_SCRIPT PROFILE...   (needs pyarrow and duckdb; run-export installs all of it)
"""

import csv
import json
import os
import subprocess
import sys
import tempfile

import duckdb
import pyarrow.ipc
import pyarrow.parquet


def text(value):
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def same_csv(rows, lines):
    def same(value, field):
        return text(value) == field or (isinstance(value, float) and float(field) == value)

    return len(rows) == len(lines) and all(
        all(map(same, row.values(), line)) for row, line in zip(rows, lines))


def check_tables(stepscope, profile, folder):
    for kind in ("parquet", "arrow", "csv", "jsonl"):
        subprocess.run([stepscope, "export", profile, "-o", f"{folder}/{kind}", "--format", kind],
                       check=True)
    tables = rows_in_all = 0
    for file in sorted(os.listdir(f"{folder}/parquet")):
        name = file.removesuffix(".parquet")
        parquet = pyarrow.parquet.read_table(f"{folder}/parquet/{file}")
        parquet.validate(full=True)
        rows = parquet.to_pylist()
        arrow = pyarrow.ipc.open_file(f"{folder}/arrow/{name}.arrow").read_all()
        arrow.validate(full=True)
        assert arrow.to_pydict() == parquet.to_pydict(), name
        with open(f"{folder}/jsonl/{name}.jsonl") as lines:
            assert [json.loads(line) for line in lines] == rows, name
        with open(f"{folder}/csv/{name}.csv", newline="") as lines:
            header, *body = csv.reader(lines)
        assert header == parquet.column_names and same_csv(rows, body), name
        read = duckdb.sql(f"SELECT * FROM '{folder}/parquet/{file}'").fetchall()
        assert read == [tuple(row.values()) for row in rows], name
        tables += 1
        rows_in_all += len(rows)
    return tables, rows_in_all


def check_stacks(stepscope, profile, folder):
    answer = subprocess.run([stepscope, "query", "--format", "csv",
                             "SELECT coalesce(sum(dur), 0) FROM kernel", profile],
                            check=True, capture_output=True, text=True).stdout
    device = int(answer.splitlines()[1])
    for name in ("stacks.folded", "stacks.pb.gz", "stacks.speedscope.json"):
        subprocess.run([stepscope, "export", profile, "-o", f"{folder}/{name}", "--weight",
                        "device"], check=True)
    with open(f"{folder}/stacks.folded") as lines:
        assert sum(int(line.rsplit(" ", 1)[1]) for line in lines) == device
    raw = subprocess.run(["go", "tool", "pprof", "-raw", f"{folder}/stacks.pb.gz"], check=True,
                         capture_output=True, text=True).stdout
    samples = raw.split("Samples:\n")[1].split("Locations\n")[0].splitlines()[1:]
    assert sum(int(line.split(":")[0].split()[0]) for line in samples if ":" in line) == device
    with open(f"{folder}/stacks.speedscope.json") as file:
        speedscope = json.load(file)
    frames = len(speedscope["shared"]["frames"])
    sampled, *evented = speedscope["profiles"]
    assert sum(sampled["weights"]) == sampled["endValue"] == device
    for row in evented:
        stack, last = [], row["startValue"]
        for event in row["events"]:
            assert last <= event["at"] <= row["endValue"] and event["frame"] < frames
            last = event["at"]
            stack.append(event["frame"]) if event["type"] == "O" else None
            assert event["type"] == "O" or stack.pop() == event["frame"]
        assert not stack
    return device


def main():
    stepscope, node_script, *profiles = sys.argv[1:]
    for profile in profiles:
        with tempfile.TemporaryDirectory() as folder:
            tables, rows = check_tables(stepscope, profile, folder)
            device = check_stacks(stepscope, profile, folder)
            print(f"{os.path.basename(profile)}: {tables} tables, {rows} rows equal in Parquet "
                  f"(pyarrow, DuckDB), Arrow, CSV and JSON lines; {device} ns of device time in "
                  "pprof, speedscope and folded", flush=True)
            subprocess.run(["node", node_script, folder], check=True)


main()
