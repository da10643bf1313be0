"""SQL over a profile, and its tables as Parquet."""

import math

import pytest
import stepscope

PROFILE = "examples/resnet50_inputbound.pt.trace.json.gz"


@pytest.fixture(scope="module")
def profile():
    return stepscope.open(PROFILE)


def test_rows_are_those_of_the_tables(profile):
    pytest.importorskip("numpy", reason="SKIPPED: numpy is not installed")
    table = profile.query("SELECT ts, dur, name FROM slice ORDER BY id")
    assert table["ts"].tolist() == profile.slices["start_ns"].tolist()
    assert table["dur"].tolist() == profile.slices["duration_ns"].tolist()
    assert list(table["name"]) == list(profile.slices["name"])


def test_arguments_and_unknown_values(profile):
    pytest.importorskip("numpy", reason="SKIPPED: numpy is not installed")
    row = profile.query("SELECT ?1 AS text, NULL AS empty, 2 AS two, 0.5 AS half", "it's").rows()[0]
    assert row["text"] == "it's" and row["two"] == 2 and row["half"] == 0.5
    sometimes = profile.query("SELECT 1 AS x UNION ALL SELECT NULL")["x"]
    assert sometimes[0] == 1 and math.isnan(sometimes[1])


def test_faults_say_what_to_do(profile):
    with pytest.raises(stepscope.UsageError, match="nme"):
        profile.query("SELECT nme FROM slice")
    with pytest.raises(stepscope.UsageError, match="refused"):
        profile.query("ATTACH ':memory:' AS x")


def test_parquet(profile, tmp_path):
    files = profile.to_parquet(tmp_path / "tables")
    assert any(file.endswith("kernels.parquet") for file in files)
    one = profile.to_parquet(tmp_path / "steps.parquet", tables="steps")
    assert one == [str(tmp_path / "steps.parquet")]
    parquet = pytest.importorskip("pyarrow.parquet", reason="SKIPPED: pyarrow is not installed")
    kernels = parquet.read_table(tmp_path / "tables" / "kernels.parquet")
    assert sum(kernels["dur"].to_pylist()) == profile.query("SELECT sum(dur) AS ns FROM kernel")["ns"][0]
