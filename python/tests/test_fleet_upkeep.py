"""Ranks joined in a second pass, compaction, and names kept as hashes."""
import glob
import hashlib
import hmac
import json
import os
import shutil
import subprocess

import pytest

pytest.importorskip("duckdb", reason="SKIPPED LOUDLY: DuckDB is not installed; the fleet's views were not tested")

import fleet_tables  # noqa: E402
from stepscope import _binary  # noqa: E402
from stepscope.fleet import _compact, _ranks, _summary, _tables  # noqa: E402
from stepscope.fleet.__main__ import main  # noqa: E402


def analyze(paths, out, *options):
    done = subprocess.run([_binary.program(), "fleet", "analyze", "--paths-from", "-", "--out", str(out), *options],
                          input="".join(f"{path}\n" for path in paths).encode(), capture_output=True)
    assert done.returncode == 0, done.stderr.decode()


@pytest.fixture
def rank_files(tmp_path):
    files = []
    for source in sorted(glob.glob("tests/data/ranks/*.zst")):
        files.append(shutil.copy(source, tmp_path))
    return files


def rank_rows(folder):
    return _tables.open_tables(str(folder)).rows("SELECT * FROM ranks ORDER BY rank")


def test_ranks_of_a_run_are_joined(tmp_path, rank_files):
    """The program of these profiles makes rank 2 wait 30 ms for its input in every step."""
    tables = tmp_path / "tables"
    for path in rank_files:  # each by itself, as on different machines
        analyze([path], tables)
    assert main(["ranks", str(tables)]) == 0
    rows = rank_rows(tables)
    assert [row["rank"] for row in rows] == [0, 1, 2, 3]
    assert [row["straggler"] for row in rows] == [False, False, True, False]
    assert rows[2]["cause"] == "input"
    assert rows[2]["excess_ns"] == pytest.approx(30e6, rel=0.05)
    said = _summary.collect(_tables.open_tables(str(tables)))
    assert [row["rank"] for row in said["stragglers"]] == [2]
    # Again: the same. Without the summaries: what was found stays.
    assert main(["ranks", str(tables), "--drop-summaries"]) == 0
    assert rank_rows(tables) == rows
    assert not glob.glob(f"{tables}/rank_summaries-*")
    assert main(["ranks", str(tables)]) == 0
    assert rank_rows(tables) == rows


def test_ranks_of_tables_without_any(tmp_path):
    analyze(["examples/nograph_infer.pt.trace.json.gz"], tmp_path)
    assert main(["ranks", str(tmp_path)]) == 0
    assert rank_rows(tmp_path) == []


def test_names_are_hashes(tmp_path, rank_files):
    """HMAC-SHA256 of Python's own library says the same."""
    tables = tmp_path / "tables"
    (tmp_path / "key").write_text("a secret\n")
    analyze(rank_files, tables, "--hash-names", f"@{tmp_path}/key")
    rows = _tables.open_tables(str(tables)).rows("SELECT * FROM profiles")
    expected = {hmac.new(b"a secret", path.encode(), hashlib.sha256).hexdigest()[:32] for path in rank_files}
    assert {row["path"] for row in rows} == expected
    for file in glob.glob(f"{tables}/*"):
        with open(file, "rb") as content:
            assert os.path.basename(rank_files[0]).encode() not in content.read(), file
    # Ranks still belong together, and a second run finds what was read.
    _ranks.join_directory(str(tables))
    assert [row["straggler"] for row in rank_rows(tables)] == [False, False, True, False]
    done = subprocess.run([_binary.program(), "fleet", "analyze", "--paths-from", "-", "--out", str(tables), "--json",
                           "--hash-names", "a secret"], input="\n".join(rank_files).encode(), capture_output=True)
    assert json.loads(done.stdout)["skipped"] == 4


def small_files(folder):
    """The tables of test fleets in sixteen files each."""
    fleet_tables.write(str(folder), jobs=10, slower_job=3, slow_host=3)
    connection = _tables.connect()
    for table in ("profiles", "findings"):
        made = f"{folder}/{table}-made.parquet"
        for part in range(16):
            connection.execute(f"COPY (SELECT * FROM '{made}' WHERE hash(profile_id) % 16 = {part}) "
                               f"TO '{folder}/{table}-{part:02}.parquet' (FORMAT parquet)")
        os.remove(made)


def answers(folder):
    said = _summary.collect(_tables.open_tables(str(folder)))
    return json.loads(json.dumps(said), parse_float=lambda text: f"{float(text):.9g}")


def test_compaction_keeps_the_rows(tmp_path):
    small_files(tmp_path)
    before = answers(tmp_path)
    assert _compact.compact(str(tmp_path)) == (32, 2)
    assert answers(tmp_path) == before
    assert _compact.compact(str(tmp_path)) == (2, 2)
    assert not [name for name in os.listdir(tmp_path) if name.startswith("_compact")]


def test_compaction_by_day(tmp_path):
    small_files(tmp_path)
    before = answers(tmp_path)
    connection = _tables.connect()
    for table in ("profiles", "findings"):
        files = glob.glob(f"{tmp_path}/{table}-*.parquet")
        for half in (files[:8], files[8:]):
            sources = ", ".join(f"'{file}'" for file in half)
            connection.execute(f"COPY (FROM read_parquet([{sources}])) TO '{tmp_path}/{table}' "
                               f"(FORMAT parquet, PARTITION_BY (day), APPEND)")
        for file in files:
            os.remove(file)
    days = len(glob.glob(f"{tmp_path}/profiles/day=*")) + len(glob.glob(f"{tmp_path}/findings/day=*"))
    assert _compact.compact(str(tmp_path)) == (2 * days, days)
    assert answers(tmp_path) == before


@pytest.mark.parametrize("done", [0, 1, 8, 17])
def test_compaction_that_was_killed(tmp_path, monkeypatch, done):
    """Killed after so many of its renames and removals: readers see every row once, and the next run finishes it."""
    small_files(tmp_path)
    before = answers(tmp_path)
    left = [done]

    def counted(call):
        def wrapped(*arguments):
            if str(arguments[-1]).endswith(_tables.JOURNAL):
                return call(*arguments)
            left[0] -= 1
            if left[0] < 0:
                raise KeyboardInterrupt
            return call(*arguments)
        return wrapped

    with monkeypatch.context() as patched:
        patched.setattr(os, "replace", counted(os.replace))
        patched.setattr(os, "remove", counted(os.remove))
        with pytest.raises(KeyboardInterrupt):
            _compact.compact(str(tmp_path))
    assert answers(tmp_path) == before
    assert _compact.compact(str(tmp_path))[1] == 2
    assert answers(tmp_path) == before


def test_nothing_to_compact(tmp_path, capsys):
    assert main(["compact", str(tmp_path)]) == 1
    assert "fleet analyze" in capsys.readouterr().err
    assert main(["compact", "s3://tables"]) == 1
    assert "OPTIMIZE" in capsys.readouterr().err


def test_killed_half_way_and_run_again(tmp_path):
    """The program itself is killed while it reads: what it wrote is whole, and the next run reads the rest."""
    paths = []
    for number in range(60):
        path = tmp_path / f"{number}.json.gz"
        shutil.copy("examples/nograph_infer.pt.trace.json.gz", path)
        paths.append(str(path))
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    analyze(paths, whole, "--batch", "5")
    command = [_binary.program(), "fleet", "analyze", "--paths-from", "-", "--out", str(killed), "--batch", "5"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    process.stdin.write("".join(f"{path}\n" for path in paths).encode())
    process.stdin.close()
    while process.poll() is None and len(glob.glob(f"{killed}/_manifest-*")) < 3:
        pass
    process.kill()
    process.wait()
    parts = len(glob.glob(f"{killed}/_manifest-*"))
    assert 3 <= parts < 12, "it was killed in the middle"
    analyze(paths, killed, "--batch", "5")
    for table in ("profiles", "steps", "findings", "ops", "kernels"):
        query = f"SELECT * FROM {table}"
        first, second = (sorted(map(str, _tables.open_tables(str(folder)).rows(query))) for folder in (whole, killed))
        assert first == second, table
