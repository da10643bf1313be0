"""A batch of paths in a task: where the program itself ends, the culprit is found and becomes a row."""
import shutil

import pytest

pytest.importorskip("pyarrow", reason="SKIPPED LOUDLY: pyarrow is not installed; batches of a fleet were not tested")

from stepscope.fleet import _analyze, _schema  # noqa: E402


@pytest.fixture
def paths(tmp_path):
    names = [f"{number}.json.gz" for number in range(7)]
    names.insert(5, "culprit.json.gz")
    return [shutil.copy("examples/nograph_infer.pt.trace.json.gz", tmp_path / name) for name in names]


def dies_of(name, batches):
    """The program, but for one path that ends all of it."""
    def run(entries, *options):
        batches.append(len(entries))
        if any(entry["path"].endswith(name) for entry in entries):
            raise _analyze.AnalyzeFailed("exit code -11")
        _analyze._run(entries, *options)
    return run


def test_a_batch_is_halved_until_the_culprit_is_alone(paths):
    batches = []
    tables = _analyze.analyze(paths, run=dies_of("culprit.json.gz", batches))
    rows = tables["profiles"].to_pylist()
    assert [row["path"] for row in rows] == [str(path) for path in paths]
    assert [row["status"] for row in rows] == ["ok"] * 5 + ["failed"] + ["ok"] * 2
    assert (rows[5]["error_code"], rows[5]["error"]) == ("crashed", "exit code -11")
    assert rows[5]["stepscope_version"] == rows[0]["stepscope_version"]
    # Eight, their halves, the halves of the bad one, and so on: 1 + 2 · log2(8) runs.
    assert sorted(batches, reverse=True) == [8, 4, 4, 2, 2, 1, 1]
    assert set(tables["steps"].column("profile_id").to_pylist()) == {rows[0]["profile_id"]}
    for name, table in tables.items():
        assert table.schema == _schema.arrow_schema(name)


def test_a_batch_without_a_culprit_is_one_run(paths):
    batches = []
    tables = _analyze.analyze(paths, run=dies_of("nobody", batches))
    assert batches == [8] and tables["profiles"].column("status").to_pylist() == ["ok"] * 8


def test_names_of_a_culprit_are_hashes_too(paths):
    tables = _analyze.analyze(paths[5:6], hash_names="a key", run=dies_of("culprit.json.gz", []))
    assert tables["profiles"].column("path").to_pylist() == [_analyze.hashed("a key", str(paths[5]))]
