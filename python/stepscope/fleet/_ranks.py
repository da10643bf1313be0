"""The second pass: ranks of a run are joined by the summaries that reading each of them left behind."""
from __future__ import annotations

import glob
import json
import os
import subprocess
import tempfile
from typing import Any, Iterable

from stepscope import _binary
from stepscope.fleet import _schema
from stepscope.fleet._tables import DuckTables, FleetError

# Of the newest state of each path, those of a run together; a file that was read twice counts once. A copy elsewhere takes no
# rank away from its run: copies of whole runs are runs, too, and `ranks_once` leaves them out.
SUMMARIES = """
SELECT * EXCLUDE (reading) FROM (
  SELECT s.*, ROW_NUMBER() OVER (
      PARTITION BY s.run_key, s.path, s.trace
      ORDER BY CASE WHEN s.stepscope_version IS NULL THEN 1 ELSE 0 END, s.summary) AS reading
  FROM rank_summaries s
  JOIN profiles_newest p ON p.profile_id = s.profile_id AND p.path = s.path
  WHERE COALESCE(s.stepscope_version, p.stepscope_version) = p.stepscope_version)
WHERE reading = 1
ORDER BY run_key, rank, path"""


def join_lines(lines: Iterable[dict[str, Any]], out: str, form: str) -> str:
    """Writes the table of ranks for rows of ``rank_summaries``; what the program says about it."""
    command = [_binary.program(), "fleet", "ranks", "--summaries", "-", "--out", out, "--format", form]
    with tempfile.TemporaryFile() as text:  # more than a pipe holds, less than memory should
        for line in lines:
            text.write(json.dumps(line).encode() + b"\n")
        text.seek(0)
        done = subprocess.run(command, stdin=text, capture_output=True, check=False)
    if done.returncode != 0:
        raise FleetError(done.stderr.decode(errors="replace").strip())
    return done.stdout.decode(errors="replace").strip()


def join_directory(directory: str, drop: bool = False) -> str:
    """Joins the ranks of all runs that the tables have summaries of into ``ranks-joined.parquet``. What it held of other
    runs stays. ``drop`` removes the summaries: they are of use only to later ranks of the same runs."""
    tables = DuckTables(directory)
    joined = os.path.join(directory, "ranks-joined.parquet")
    fresh, both = (os.path.join(directory, f"_ranks-{os.getpid()}-{name}.parquet") for name in ("new", "all"))
    try:
        said = join_lines(tables.stream(SUMMARIES), fresh, "parquet")
        names = ", ".join(f'"{name}"' for name, _ in _schema.ALL_TABLES["ranks"])
        kept = f"SELECT {names} FROM ranks WHERE run_key NOT IN (SELECT run_key FROM rank_summaries)"
        tables.execute(f"COPY (SELECT {names} FROM read_parquet('{fresh}') UNION ALL {kept}) TO '{both}' "
                       "(FORMAT parquet, COMPRESSION zstd)")
        os.replace(both, joined)
    finally:
        for file in (fresh, both):
            if os.path.exists(file):
                os.remove(file)
    for file in glob.glob(os.path.join(glob.escape(directory), "ranks-*.parquet")):
        if file != joined:
            os.remove(file)
    if drop:
        for file in glob.glob(os.path.join(glob.escape(directory), "rank_summaries-*.parquet")):
            os.remove(file)
    return said


def ranks_of_groups(frame: Any) -> Any:
    """A DataFrame of ``rank_summaries`` on Spark as one of ``ranks``: a run is a group, wherever its ranks were read."""

    def run(table: Any) -> Any:
        import pyarrow as pa

        from stepscope.fleet import _ranks

        with tempfile.TemporaryDirectory(prefix="stepscope-ranks-") as folder:
            out = os.path.join(folder, "ranks.arrow")
            _ranks.join_lines(sorted(table.to_pylist(), key=lambda row: (row["rank"] or 0, row["path"])), out, "arrow")
            with pa.OSFile(out) as source:
                return pa.ipc.open_file(source).read_all().cast(_schema.arrow_schema("ranks"))

    return frame.groupBy("run_key").applyInArrow(run, _schema.spark_schema("ranks"))
