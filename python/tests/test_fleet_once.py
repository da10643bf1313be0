"""What was read twice counts once: by two versions, as a copy, by a job that died, in two joinings of ranks."""
import glob
import os
import shutil
import subprocess

import pytest

pytest.importorskip("duckdb", reason="SKIPPED LOUDLY: DuckDB is not installed; the fleet's views were not tested")

import fleet_tables  # noqa: E402
from stepscope import _binary  # noqa: E402
from stepscope.fleet import _ranks, _summary, _tables  # noqa: E402


def answers(folder):
    return _summary.collect(_tables.open_tables(str(folder)))


def test_a_reading_by_a_newer_version_replaces_the_older_one(tmp_path):
    """Four jobs of 25 runs on four ranks, a minute each: 400 minutes are 6 2/3 hours. The old version promised 30 % and a second
    finding; the new one says 5, 10 and 20 % of one finding."""
    fleet_tables.write(str(tmp_path), jobs=4)
    once = answers(tmp_path)
    fleet_tables.add_older_reading(str(tmp_path))
    twice = answers(tmp_path)
    assert [row["rule"] for row in twice["savings"]] == ["missing-prefetch"]
    row = twice["savings"][0]
    assert row["profiles"] == 400 and row["jobs"] == 4
    assert row["device_hours"] == pytest.approx(400 / 60)
    assert row["saved_device_hours_at_least"] == pytest.approx(400 / 60 * 0.05)
    assert row["saved_device_hours_likely"] == pytest.approx(400 / 60 * 0.1)
    assert row["saved_device_hours_at_most"] == pytest.approx(400 / 60 * 0.2)
    # The others are about profiles, and each of those counts once, too.
    assert twice["fleet"] == once["fleet"]
    assert twice["regressions"] == once["regressions"] and twice["slow_hosts"] == once["slow_hosts"]
    for name in ("waste", "trend", "runs", "host_times", "regressions", "versions", "unreadable"):
        rows = _tables.open_tables(str(tmp_path)).rows(f"SELECT COUNT(*) AS n FROM {name}")[0]["n"]
        assert rows == {"waste": 4, "runs": 100, "host_times": 400, "regressions": 4, "versions": 4, "unreadable": 0}.get(name, rows)
    trend = _tables.open_tables(str(tmp_path)).rows("SELECT SUM(profiles) AS n FROM trend")
    assert trend[0]["n"] == 400


def test_where_the_newer_version_failed_the_older_reading_counts(tmp_path):
    fleet_tables.write(str(tmp_path), jobs=4)
    once = answers(tmp_path)["savings"]
    with _tables.connect() as connection:
        connection.execute(f"COPY (SELECT * REPLACE ('failed' AS status, '2.0.0' AS stepscope_version) FROM '{tmp_path}/profiles-made.parquet') "
                           f"TO '{tmp_path}/profiles-failed.parquet' (FORMAT parquet)")
    assert answers(tmp_path)["savings"] == [pytest.approx(row) if isinstance(row, float) else row for row in once]


def test_tables_of_a_version_without_that_column(tmp_path):
    """Rows that do not say who read them count, and not twice beside those that do."""
    fleet_tables.write(str(tmp_path), jobs=4)
    made = f"{tmp_path}/findings-made.parquet"
    with _tables.connect() as connection:
        connection.execute(f"COPY (SELECT * EXCLUDE (stepscope_version) FROM '{made}') TO '{tmp_path}/findings-old.parquet' (FORMAT parquet)")
    kept = made + ".kept"
    os.rename(made, kept)
    assert answers(tmp_path)["savings"][0]["saved_device_hours_likely"] == pytest.approx(400 / 60 * 0.1)
    os.rename(kept, made)
    assert answers(tmp_path)["savings"][0]["saved_device_hours_likely"] == pytest.approx(400 / 60 * 0.1)


def analyze(paths, out, *options):
    done = subprocess.run([_binary.program(), "fleet", "analyze", "--paths-from", "-", "--out", str(out), *options],
                          input="".join(f"{path}\n" for path in paths).encode(), capture_output=True)
    assert done.returncode == 0, done.stderr.decode()


def rank_files(folder):
    folder.mkdir()
    return [shutil.copy(source, folder) for source in sorted(glob.glob("tests/data/ranks/*.zst"))]


def ranks(tables):
    return _tables.open_tables(str(tables)).rows("SELECT rank, straggler, path FROM ranks ORDER BY path")


def test_a_copy_elsewhere_takes_no_rank_from_its_run(tmp_path):
    """The late rank also lies in a folder whose name comes first."""
    files = rank_files(tmp_path / "run")
    (tmp_path / "backup").mkdir()
    copy = shutil.copy(files[2], tmp_path / "backup")
    analyze([*files, copy], tmp_path / "tables")
    _ranks.join_directory(str(tmp_path / "tables"))
    of_run = [row for row in ranks(tmp_path / "tables") if "/run/" in row["path"]]
    assert [row["rank"] for row in of_run] == [0, 1, 2, 3]
    assert [row["straggler"] for row in of_run] == [False, False, True, False]


def test_stragglers_of_a_copied_run_are_named_once(tmp_path):
    files = [*rank_files(tmp_path / "run"), *rank_files(tmp_path / "copy")]
    analyze(files, tmp_path / "tables")
    _ranks.join_directory(str(tmp_path / "tables"))
    assert len(ranks(tmp_path / "tables")) == 8
    said = answers(tmp_path / "tables")["stragglers"]
    assert [(row["rank"], os.path.basename(os.path.dirname(row["path"]))) for row in said] == [(2, "copy")]


def test_stragglers_of_a_joining_that_was_repeated_are_named_once(tmp_path):
    """A job on Spark that died after it wrote ranks, and before it wrote profiles, is repeated: the rows are there twice."""
    analyze(rank_files(tmp_path / "run"), tmp_path / "tables")
    _ranks.join_directory(str(tmp_path / "tables"))
    shutil.copy(tmp_path / "tables" / "ranks-joined.parquet", tmp_path / "tables" / "ranks-again.parquet")
    assert [row["rank"] for row in answers(tmp_path / "tables")["stragglers"]] == [2]


def test_two_readings_of_a_rank_are_one_rank(tmp_path):
    tables = tmp_path / "tables"
    analyze(rank_files(tmp_path / "run"), tables)
    older = "SELECT * REPLACE ('0.0.1' AS stepscope_version{}) FROM '{}'"
    with _tables.connect() as connection:
        for table, more in (("profiles", ""), ("rank_summaries", ", summary || ' ' AS summary")):
            made, = glob.glob(f"{tables}/{table}-*.parquet")
            connection.execute(f"COPY ({older.format(more, made)}) TO '{tables}/{table}-older.parquet' (FORMAT parquet)")
    assert "4 ranks" in _ranks.join_directory(str(tables))
    assert [row["rank"] for row in ranks(tables)] == [0, 1, 2, 3]


def test_a_file_that_does_not_fit_is_a_row(tmp_path):
    """122,000 events and 44 MB of text do not fit into 32 MB; the small profile beside them does."""
    large, small = "examples/resnet50_inputbound.pt.trace.json.gz", "examples/nograph_infer.pt.trace.json.gz"
    analyze([large, small], tmp_path, "--memory-limit", "32M", "--threads", "2")
    rows = _tables.open_tables(str(tmp_path)).rows("SELECT path, status, error_code FROM profiles ORDER BY path DESC")
    assert [(row["path"], row["status"], row["error_code"]) for row in rows] == [
        (large, "failed", "out_of_memory"), (small, "ok", None)]
