"""Tables: shared memory with numpy, Arrow, data frames."""

import gc

import pytest

import stepscope

numpy = pytest.importorskip("numpy", reason="SKIPPED: numpy is not installed")

INPUT_BOUND = "examples/resnet50_inputbound.pt.trace.json.gz"
TABLES = ("slices", "ops", "ops_by_shape", "kernels", "steps", "tracks")


@pytest.fixture
def profile():
    return stepscope.open(INPUT_BOUND)


def test_columns_share_the_engines_memory(profile):
    slices = profile.slices
    for name in ("start_ns", "duration_ns", "parent", "depth", "event", "flags"):
        first, second = slices[name], profile.slices[name]
        assert numpy.shares_memory(first, second), name
        assert not first.flags.writeable and not first.flags.owndata
        assert first.ctypes.data == slices._native.column(name, 0).address
    assert numpy.shares_memory(slices.codes("name"), slices.codes("name"))
    # The same memory in another reading of the table, not a second copy.
    assert slices["start_ns"].ctypes.data == stepscope._native.table(profile._native, "slices").column("start_ns", 0).address


def test_small_tables_share_memory_too(profile):
    for name in TABLES:
        table = getattr(profile, name)
        numbers = [c for c in table.columns if not table._native.column(c, 0).is_text]
        for column in numbers:
            assert numpy.shares_memory(table[column], table[column]) or len(table) == 0


def test_arrays_outlive_the_profile():
    start = stepscope.open(INPUT_BOUND).slices["start_ns"]
    total = int(start.sum())
    gc.collect()
    assert int(start.sum()) == total


def test_numbers_are_those_of_the_report(profile):
    report = profile.report()
    for table, rows in ((profile.ops, report.ops), (profile.kernels, report.kernels)):
        assert len(table) == len(rows)
        for column in table.columns:
            if column in rows[0] and column != "kind":
                theirs = [float("nan") if row[column] is None else row[column] for row in rows]
                assert same(table[column].tolist(), theirs), column
    assert profile.steps["duration_ns"].tolist() == [step.duration_ns for step in report.steps.items]
    assert profile.steps["used"].dtype == bool
    assert len(profile.slices) <= report.profile.events.stored


def test_slices_are_nested(profile):
    slices = profile.slices
    parent, start, duration = slices["parent"], slices["start_ns"], slices["duration_ns"]
    inner = parent >= 0
    outer = parent[inner]
    assert (start[outer] <= start[inner]).all()
    assert (start[outer] + duration[outer] >= (start + duration)[inner]).all()
    assert (slices["track"][outer] == slices["track"][inner]).all()
    kinds = slices["kind"]
    assert (kinds == "kernel").sum() + (kinds == "memcpy").sum() + (kinds == "memset").sum() == 4008


def test_findings(profile):
    findings = profile.findings
    assert findings[0].rule == "input-bound-step"
    assert len(findings.table) == len(findings)
    seen = 0
    for finding in findings:
        for item in finding.evidence:
            assert set(profile.slices["event"][item.slices].tolist()) == set(item.events)
            seen += len(item.slices)
    assert seen > 0


def test_rows_and_repr(profile):
    rows = profile.steps.rows()
    assert [row["number"] for row in rows] == profile.steps["number"].tolist()
    assert "duration_ns" in repr(profile.steps)
    assert "<table" in profile.steps._repr_html_()
    assert len(profile.kernels.rows(2, 3)) == 3


def test_pandas(profile):
    pandas = pytest.importorskip("pandas", reason="SKIPPED: pandas is not installed")
    for name in TABLES:
        table = getattr(profile, name)
        direct = table.to_pandas()
        exchanged = pandas.api.interchange.from_dataframe(table)
        assert list(direct.columns) == list(exchanged.columns) == table.columns
        assert len(direct) == len(exchanged) == len(table)
        for column in table.columns:
            ours = table[column].tolist()
            assert direct[column].astype(object).fillna(-1).tolist() == pandas.Series(ours).astype(object).fillna(-1).tolist(), column
            assert exchanged[column].astype(object).fillna(-1).tolist() == pandas.Series(ours).astype(object).fillna(-1).tolist(), column
    assert numpy.shares_memory(profile.slices.to_pandas()["start_ns"].to_numpy(), profile.slices["start_ns"])
    assert len(profile.findings.to_pandas()) == len(profile.findings)


def same(ours, theirs):
    """Equal, nan included."""
    return all(a == b or (a != a and b != b) for a, b in zip(ours, theirs)) and len(ours) == len(theirs)


def test_pyarrow(profile):
    pyarrow = pytest.importorskip("pyarrow", reason="SKIPPED: pyarrow is not installed")
    for name in TABLES:
        table = getattr(profile, name)
        for arrow in (pyarrow.table(table), pyarrow.table({c: pyarrow.record_batch(table)[c] for c in table.columns})):
            arrow.validate(full=True)
            assert arrow.column_names == table.columns
            for column in table.columns:
                assert same(table[column].tolist(), arrow[column].to_pylist()), column
    arrow = profile.slices.to_arrow()
    buffer = arrow["start_ns"].chunk(0).buffers()[1]
    assert buffer.address == profile.slices["start_ns"].ctypes.data
    del profile
    gc.collect()
    arrow.validate(full=True)


def test_several_traces_are_batches():
    pyarrow = pytest.importorskip("pyarrow", reason="SKIPPED: pyarrow is not installed")
    both = stepscope.open([INPUT_BOUND, "examples/cudagraph_infer.pt.trace.json.gz"])
    arrow = pyarrow.table(both.slices)
    assert arrow["name"].num_chunks == 2
    assert arrow["name"].to_pylist() == both.slices["name"].tolist()
    assert not hasattr(both.slices, "__arrow_c_array__")  # libraries that find it would take it before the stream


def test_polars(profile):
    polars = pytest.importorskip("polars", reason="SKIPPED: polars is not installed")
    for name in TABLES:
        table = getattr(profile, name)
        frame = polars.DataFrame(table)
        assert frame.columns == table.columns
        for column in table.columns:
            assert same(table[column].tolist(), frame[column].to_list()), column
    assert polars.from_dataframe(profile.steps).height == len(profile.steps)


def test_duckdb(profile):
    duckdb = pytest.importorskip("duckdb", reason="SKIPPED: duckdb is not installed")
    slices = profile.slices  # DuckDB finds it by its name and takes it as an Arrow stream
    rows = duckdb.sql("select count(*), sum(duration_ns) from slices where kind = 'kernel'").fetchall()
    kernels = slices["kind"] == "kernel"
    assert rows == [(int(kernels.sum()), int(slices["duration_ns"][kernels].sum()))]
