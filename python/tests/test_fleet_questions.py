"""What the views and the test of runs say about fleets whose answers are known."""
import math
from random import Random

import pytest

duckdb = pytest.importorskip("duckdb", reason="SKIPPED LOUDLY: DuckDB is not installed; the fleet's views were not tested")

import fleet_tables  # noqa: E402
from stepscope.fleet import _listing, _regressions, _statistics, _summary, _tables  # noqa: E402
from stepscope.fleet.__main__ import main  # noqa: E402


def answers(folder, **made):
    fleet_tables.write(str(folder), **made)
    return _summary.collect(_tables.open_tables(str(folder)))


def rounded(row):
    """Sums over hours differ in the last digit with the order of their parts."""
    return {name: float(f"{value:.9g}") if isinstance(value, float) else value for name, value in row.items()}


def test_quiet_fleet_has_no_regression_and_no_slow_host(tmp_path):
    said = answers(tmp_path)
    assert said["regressions"] == []
    assert said["slow_hosts"] == []
    assert said["fleet"]["profiles"] == 40 * 25 * 4
    # A minute each.
    assert said["fleet"]["device_hours"] == pytest.approx(4000 * 60 / 3600)


@pytest.mark.parametrize("runs", [5, 10])
def test_planted_regression_is_found_with_its_run(tmp_path, runs):
    said = answers(tmp_path, slower_job=17, slower_runs=runs)
    assert [row["job_id"] for row in said["regressions"]] == ["job-0017"]
    row = said["regressions"][0]
    assert row["verdict"] == "slower"
    assert row["since_run"] == f"run-{25 - runs:04}"
    assert row["delta_rel"] == pytest.approx(0.1, abs=0.05)
    assert row["q"] < 0.05


def test_planted_slow_host_is_found(tmp_path):
    said = answers(tmp_path, slow_host=3)
    assert [row["host"] for row in said["slow_hosts"]] == ["host-03"]
    assert said["slow_hosts"][0]["mean_ratio"] == pytest.approx(1.2, abs=0.02)


def test_savings_and_waste_are_sums_over_device_time(tmp_path):
    said = answers(tmp_path)
    hours = 4000 * 60 / 3600
    assert said["savings"][0]["saved_device_hours_at_least"] == pytest.approx(hours * 0.05)
    assert said["savings"][0]["saved_device_hours_at_most"] == pytest.approx(hours * 0.2)
    assert said["waste"][0]["device_hours"] == pytest.approx(hours / 40)


def test_copies_count_once(tmp_path):
    fleet_tables.write(str(tmp_path), jobs=4)
    once = _summary.collect(_tables.open_tables(str(tmp_path)))
    duckdb.sql(f"COPY (SELECT * REPLACE ('copy/' || path AS path) FROM '{tmp_path}/profiles-made.parquet') "
               f"TO '{tmp_path}/profiles-copy.parquet' (FORMAT parquet)")
    duckdb.sql(f"COPY (FROM '{tmp_path}/findings-made.parquet') TO '{tmp_path}/findings-copy.parquet' (FORMAT parquet)")
    twice = _summary.collect(_tables.open_tables(str(tmp_path)))
    assert twice["fleet"] == once["fleet"]
    for name in ("waste", "savings"):
        assert [rounded(row) for row in twice[name]] == [rounded(row) for row in once[name]]


def test_gate_of_regressions(tmp_path):
    fleet_tables.write(str(tmp_path), slower_job=2)
    assert main(["regressions", str(tmp_path), "--fail-on", "slower"]) == 3
    assert main(["regressions", str(tmp_path)]) == 0


def test_no_tables_is_an_error_with_a_next_step(tmp_path, capsys):
    assert main(["summary", str(tmp_path)]) == 1
    assert "fleet analyze" in capsys.readouterr().err


# ---- the test of runs. Published: Mann-Whitney's tables give p = 2/252 for five against five without overlap, and the
# 95 % interval of the shift begins at the third smallest difference.

def test_exact_p_of_separate_samples():
    assert _statistics.mann_whitney([1, 2, 3, 4, 5], [6, 7, 8, 9, 10]) == pytest.approx(2 / 252)
    assert _statistics.mann_whitney([1, 2, 3, 4], [5, 6, 7, 8]) == pytest.approx(2 / 70)


def test_p_of_equal_samples_is_one():
    assert _statistics.mann_whitney([5, 5, 5], [5, 5, 5]) == 1


def test_interval_of_the_shift():
    assert _statistics.shift_interval([1, 2, 3, 4, 5], [11, 12, 13, 14, 15]) == (7, 13)
    assert _statistics.shift_interval([1, 2, 3], [4, 5, 6]) is None  # 3 against 3: p is 0.1 at best


def test_false_discovery_rates_by_hand():
    assert _statistics.false_discovery_rates([0.01, 0.02, 0.5]) == pytest.approx([0.03, 0.03, 0.5])


@pytest.mark.parametrize("t, degrees, p", [(12.706, 1, 0.05), (2.228, 10, 0.05), (3.169, 10, 0.01), (1.96, 1e6, 0.05)])
def test_students_t_as_in_the_tables(t, degrees, p):
    assert _statistics.student_p(t, degrees) == pytest.approx(p, rel=2e-3)


def test_trimmed_test_ignores_one_wild_value():
    calm, shifted = [10.0, 10.1, 9.9, 10.05, 9.95], [11.0, 11.1, 10.9, 11.05, 50.0]
    assert _statistics.trimmed_t(calm, shifted) < 0.01
    assert _statistics.trimmed_t(calm, shifted, trim=0) > 0.2


def test_without_trimming_it_is_students_t_by_hand():
    # Means 2 and 4, both sums of squares 2: variance 4/4 · 2/3, t = 2 / 0.8165 = 2.449 with 4 degrees: p = 0.0705.
    assert _statistics.trimmed_t([1, 2, 3], [3, 4, 5], trim=0) == pytest.approx(0.0705, abs=5e-5)


def made_runs(series, wild, seed, planted=0):
    """Runs that scatter by 1 %, a share of them longer by a third on average; the last ten of the planted take 10 % longer."""
    random = Random(seed)
    for job in range(series):
        for run in range(25):
            step = 1e8 * math.exp(random.gauss(0, 0.01)) * (1 + random.expovariate(3) * (random.random() < wild))
            yield {"job_id": f"{job:05}", "device_name": "", "world_size": 1, "framework_version": "", "run_id": f"{run:02}",
                   "start_unix_ns": run, "step_ns": step * (1.1 if job < planted and run >= 15 else 1)}


# Where a fifth of the runs is wild, the last four runs of 0.2⁴ · 2000 = 3.2 series all are: that is a change.
@pytest.mark.parametrize("wild, most", [(0, 1), (0.05, 1), (0.2, 10)])
def test_large_quiet_fleets_are_quiet(wild, most):
    assert len(_regressions.find(made_runs(2000, wild, seed=3))) <= most


def test_few_regressions_among_thousands_of_series_are_found():
    found = _regressions.find(made_runs(2000, 0.05, seed=3, planted=20))
    assert sum(row.job_id < "00020" for row in found) >= 17
    assert sum(row.job_id >= "00020" for row in found) <= 1


def test_a_change_that_went_away_is_none():
    runs = [{"job_id": "a", "device_name": "", "world_size": 1, "framework_version": "", "run_id": f"{i:02}",
             "start_unix_ns": i, "step_ns": (130 if 10 <= i < 20 else 100) + i % 3 * 0.1} for i in range(25)]
    assert _regressions.find(runs) == []


def test_change_point_of_a_step():
    assert _statistics.change_point([10] * 10 + [12] * 5) == 10


def test_short_series_are_not_judged():
    runs = [{"job_id": "a", "device_name": "", "world_size": 1, "framework_version": "", "run_id": str(i),
             "start_unix_ns": i, "step_ns": 100 if i < 3 else 200} for i in range(8)]
    assert _regressions.find(runs) == []


# ---- packing

def test_bins_hold_what_a_task_may_and_large_files_are_alone():
    entries = [{"path": "big", "bytes": 2 << 30}] + [{"path": f"small-{i:04}", "bytes": 1 << 20} for i in range(1000)]
    bins = _listing.pack(entries)
    assert bins[0] == [entries[0]]
    assert all(sum(entry["bytes"] for entry in each) <= _listing.TASK_BYTES for each in bins[1:])
    assert len(bins) == 1 + math.ceil(1000 / 256)
    assert sorted(entry["path"] for each in bins for entry in each) == sorted(entry["path"] for entry in entries)


def test_only_new_and_changed_files_are_read():
    listing = [{"path": "a", "bytes": 1, "mtime_unix_ns": 1}, {"path": "b", "bytes": 2, "mtime_unix_ns": 2}]
    assert [each["path"] for each in _listing.new_or_changed(listing, [("a", 1, 1), ("b", 2, 1)])] == ["b"]


def test_since_is_a_day_in_utc():
    listing = [{"path": "a", "mtime_unix_ns": 1_793_491_199_000_000_000}, {"path": "b", "mtime_unix_ns": 1_793_491_200_000_000_000}]
    assert [each["path"] for each in _listing.changed_since(listing, "2026-11-01")] == ["b"]
