"""Answers that people keep: tables of any number of traces, reports that outlive the profile."""

import collections
import copy
import gc
import json
import pickle
import subprocess
import sys

import pytest

import stepscope

INPUT_BOUND = "examples/resnet50_inputbound.pt.trace.json.gz"
GRAPH = "examples/cudagraph_infer.pt.trace.json.gz"
TABLES = ("slices", "ops", "ops_by_shape", "kernels", "steps", "tracks")


@pytest.fixture(scope="module")
def both():
    return stepscope.open([INPUT_BOUND, GRAPH])


@pytest.fixture(scope="module")
def report():
    with stepscope.open(INPUT_BOUND) as profile:
        return profile.report()


# ---- tables for any number of traces


@pytest.mark.parametrize("name", TABLES)
def test_data_frames_of_two_ranks(both, name):
    polars = pytest.importorskip("polars", reason="SKIPPED: polars is not installed")
    pandas = pytest.importorskip("pandas", reason="SKIPPED: pandas is not installed")
    table = getattr(both, name)
    rows = table.rows()
    frame = polars.DataFrame(table)
    assert frame.columns == table.columns and frame.height == len(table)
    assert frame.equals(table.to_polars())
    shown = table.to_pandas()
    first = table.columns[0]
    assert frame[first].to_list() == [row[first] for row in rows] == shown[first].tolist()
    texts = [c for c in table.columns if isinstance(rows[0][c], str)]
    assert all(isinstance(shown[c].dtype, pandas.CategoricalDtype) for c in texts)
    assert list(pandas.DataFrame(table.head(50)).columns) == table.columns
    assert pandas.DataFrame(table.head(50))[first].tolist() == [row[first] for row in rows[:50]]


def test_data_frames_of_report_tables(report):
    pandas = pytest.importorskip("pandas", reason="SKIPPED: pandas is not installed")
    polars = pytest.importorskip("polars", reason="SKIPPED: polars is not installed")
    pytest.importorskip("pyarrow", reason="SKIPPED: pyarrow is not installed")
    names = [op["name"] for op in report.ops]
    for frame in (pandas.DataFrame(report.ops), report.ops.to_pandas()):
        assert list(frame.columns) == list(report.ops[0]) and frame["name"].tolist() == names
    for frame in (polars.DataFrame(report.ops), report.ops.to_polars()):
        assert frame.columns == list(report.ops[0]) and frame["name"].to_list() == names
    assert report.ops.to_arrow().column_names == list(report.ops[0])
    assert report.ops.column("name") == names


def test_duckdb_of_two_ranks(both):
    duckdb = pytest.importorskip("duckdb", reason="SKIPPED: duckdb is not installed")
    kernels = both.kernels
    rows = duckdb.sql("select trace, sum(calls) from kernels group by trace order by trace").fetchall()
    assert rows == [(0, 4008), (1, 240)]


# ---- head, filter, sort, group


def test_head_filter_sort_group(both):
    slices = both.slices
    assert slices.head(3).rows() == slices.rows(0, 3)
    assert len(slices.head(10**9)) == len(slices)
    kernels = slices.filter(kind="kernel", trace=0)
    assert len(kernels) == 3820 and sum(kernels.column("duration_ns")) == 111036100
    assert len(slices.filter(kind=["kernel", "memcpy", "memset"], trace=0)) == 4008
    long = slices.filter(duration_ns=lambda ns: ns > 1_000_000)
    assert min(long.column("duration_ns")) > 1_000_000
    assert slices.filter([True] + [False] * (len(slices) - 1)).rows() == slices.rows(0, 1)
    with pytest.raises(ValueError, match="mask"):
        slices.filter([True])
    with pytest.raises(KeyError, match="no column 'knd'"):
        slices.filter(knd="kernel")


def test_sort_is_stable_and_by_each_column(both):
    kernels = both.kernels
    ordered = kernels.sort("device", "total_ns", descending=[False, True])
    keys = [(row["device"], -row["total_ns"]) for row in ordered]
    assert keys == sorted(keys)
    assert kernels.sort("kind").rows() == sorted(kernels.rows(), key=lambda row: row["kind"])
    occupancy = kernels.sort("mean_occupancy_percent").column("mean_occupancy_percent")
    known = [value for value in occupancy if value is not None]
    assert known == sorted(known) and occupancy[: len(known)] == known  # the unknown come last
    with pytest.raises(KeyError):
        kernels.sort("totl")


def test_group_adds_up(both):
    expected = collections.defaultdict(list)
    for row in both.slices:
        expected[row["kind"], row["trace"]].append(row["duration_ns"])
    grouped = both.slices.group("kind", "trace", duration_ns=["sum", "min", "max", "mean"])
    assert len(grouped) == len(expected)
    for row in grouped:
        values = expected[row["kind"], row["trace"]]
        assert (row["rows"], row["duration_ns_sum"]) == (len(values), sum(values))
        assert (row["duration_ns_min"], row["duration_ns_max"]) == (min(values), max(values))
        assert row["duration_ns_mean"] == pytest.approx(sum(values) / len(values))
    with pytest.raises(TypeError, match="texts"):
        both.slices.group("kind", name="sum")
    with pytest.raises(ValueError, match="median"):
        both.slices.group("kind", duration_ns="median")


def test_made_tables_are_tables(both):
    pyarrow = pytest.importorskip("pyarrow", reason="SKIPPED: pyarrow is not installed")
    made = both.slices.filter(kind="memcpy").sort("duration_ns")
    assert pyarrow.table(made)["name"].to_pylist() == made.column("name")
    assert pyarrow.record_batch(made).num_rows == len(made)
    empty = both.slices.filter(kind="no such kind")
    assert len(empty) == 0 and empty.rows() == [] and pyarrow.table(empty).num_rows == 0
    numpy = pytest.importorskip("numpy", reason="SKIPPED: numpy is not installed")
    array = made.array("duration_ns")
    array[:] = 0
    assert numpy.any(made["duration_ns"])


def test_rows_without_numpy():
    program = f"""
import sys
sys.modules["numpy"] = None
import stepscope, json
p = stepscope.open({INPUT_BOUND!r})
print(json.dumps(p.kernels.rows(0, 2))[:9], p.kernels.head(2).column("calls"), repr(p.steps)[:31])
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout == '[{"name": [212, 8] <stepscope table steps: 4 rows>\n'


def test_repr_fits(both, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    lines = repr(both.kernels).splitlines()
    assert all(len(line) <= 80 for line in lines[:-1])  # the last names the columns that do not fit
    assert "more rows" in lines[-2] and "more columns" in lines[-1]


# ---- what HTA's users have


def test_device_work_has_what_launched_it(both):
    work = both.device_work
    assert len(work) == 4008 + 240
    copies = work.filter(kind="memcpy", trace=0)
    assert sorted(set(copies.column("op"))) == ["aten::_local_scalar_dense", "aten::copy_"]
    # 64 images of 3 × 224 × 224 floats, 64 labels of 8 bytes, and the loss.
    assert {row["bytes"] for row in copies} == {64 * 3 * 224 * 224 * 4, 64 * 8, 4}
    convolutions = [row for row in work if row["category"] == "convolution" and row["input_dims"]]
    assert convolutions and all(row["correlation"] > 0 for row in convolutions)


def test_every_declared_table(both):
    for name in both.tables:
        assert both.table(name).columns, name
    assert len(both.table("kernel")) == 4248
    with pytest.raises(stepscope.UsageError, match="there is no table 'kernls'"):
        both.table("kernls")


def test_one_shape_for_one_or_many(both, report):
    assert [part.verdict.bound_by for part in report.parts] == ["input"]
    assert [part.verdict.bound_by for part in both.report().parts] == ["input", "compute"]
    with pytest.raises(AttributeError, match="the report is of 2 traces"):
        both.report().verdict
    assert both.summary.column("steps") == [4, 6] and both.summary.column("bound_by") == ["input", "compute"]
    ranks = stepscope.open("tests/data/ranks").summary
    assert ranks.column("rank") == [0, 1, 2, 3]


# ---- answers outlive the profile


def test_answers_outlive_the_profile():
    with stepscope.open(INPUT_BOUND) as profile:
        text = str(profile.report())
        report, findings, kernels = profile.report(), profile.findings, profile.kernels
    gc.collect()
    assert str(report) == text and profile.closed
    with pytest.raises(ValueError, match="open it again"):
        report.text(width=60)
    for made in (pickle.loads(pickle.dumps(report)), copy.deepcopy(report)):
        assert made == report and str(made) == text and type(made) is type(report)
        assert made.steps.items[0].number == report.steps.items[0].number
    assert json.loads(json.dumps(report)) == report.dict() == report
    assert pickle.loads(pickle.dumps(findings))[0].rule == "input-bound-step"
    assert json.dumps(findings) and copy.deepcopy(findings).table.rows() == findings.table.rows()
    assert pickle.loads(pickle.dumps(kernels)).rows() == kernels.rows()


def test_a_report_in_chinese():
    profile = stepscope.open(INPUT_BOUND)
    report = profile.report(lang="zh")
    assert report.verdict.bound_by == "input"  # names stay, sentences do not
    assert report.verdict.sentence == "等输入占中位步（ProfilerStep#4，gpu:0）的 69.9 %。"
    assert "中位" in str(report) and "median" not in str(report)
    assert "空闲：等待输入" in report._repr_html_() and "waiting for input" not in report._repr_html_()
    assert str(pickle.loads(pickle.dumps(report))) == str(report)
    with pytest.raises(stepscope.UsageError, match="no language 'de'"):
        profile.report(lang="de")


def test_a_diff_outlives_its_profiles():
    diff = stepscope.diff(GRAPH, "examples/nograph_infer.pt.trace.json.gz")
    made = pickle.loads(pickle.dumps(diff))
    assert made == diff and str(made) == str(diff) and json.loads(json.dumps(diff)) == diff


def test_opening_many_times_leaks_nothing():
    """200 opens with report, findings and tables; what the process holds stops growing."""
    program = f"""
import gc, stepscope
def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096
held = []
for i in range(200):
    with stepscope.open({GRAPH!r}, progress=False) as p:
        p.report(); p.findings; p.slices.filter(kind="kernel"); p.kernels.rows()
    if i in (49, 199):
        gc.collect()
        held.append(resident())
print(held[1] - held[0])
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 8 << 20
