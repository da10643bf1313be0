"""The Fleet page: one file that holds what the tables answer."""
import json

import pytest

pytest.importorskip("duckdb", reason="SKIPPED LOUDLY: DuckDB is not installed; the fleet's views were not tested")

import fleet_tables  # noqa: E402
from stepscope.fleet import _page, _tables  # noqa: E402
from stepscope.fleet.__main__ import main  # noqa: E402

BEGIN = '<script type="application/json" id="stepscope-data">'


def data_of(html):
    begin = html.index(BEGIN) + len(BEGIN)
    return json.loads(html[begin:html.index("</script>", begin)])


@pytest.fixture()
def tables(tmp_path):
    fleet_tables.write(str(tmp_path / "tables"), slower_job=17, slow_host=3)
    return tmp_path / "tables"


def test_page_holds_the_answers(tables, tmp_path, has_page):
    if not has_page:
        assert main(["page", str(tables), "-o", str(tmp_path / "fleet.html")]) == 1
        return
    assert main(["page", str(tables), "-o", str(tmp_path / "fleet.html"), "--lang", "zh"]) == 0
    data = data_of((tmp_path / "fleet.html").read_text())
    assert data["language"] == "zh"
    fleet = data["fleet"]
    assert fleet["totals"]["jobs"] == 40
    assert sorted(fleet["jobs"]["job_id"]) == [f"job-{job:04}" for job in range(40)]
    assert fleet["jobs_left_out"] == 0
    assert fleet["changes"]["job_id"] == ["job-0017"]
    assert fleet["hosts"]["host"] == ["host-03"]
    assert fleet["savings"]["rule"] == ["missing-prefetch"]
    # 25 runs, an hour apart, from 13:46 on: two days.
    first, steps = fleet["trends"]["job-0000"]
    assert first == 0 and len(steps) == len(fleet["days"]) == 2


def test_page_stays_small_by_leaving_out_who_wastes_least(tables, monkeypatch):
    monkeypatch.setattr(_page, "MOST_JOBS", 10)
    fleet = json.loads(_page._data(_tables.open_tables(str(tables)), "en", None))["fleet"]
    assert len(fleet["jobs"]["job_id"]) == 10
    assert fleet["jobs_left_out"] == 30
    wasted = fleet["jobs"]["wasted_device_hours"]
    assert wasted == sorted(wasted, reverse=True)
    assert "job-0017" in fleet["trends"]  # it changed


def test_trends_begin_at_the_first_day_of_the_job():
    rows = [{"job_id": "a", "day": "2026-11-01", "step_ns": 5_000}, {"job_id": "b", "day": "2026-11-02", "step_ns": 1_234_567},
            {"job_id": "b", "day": "2026-11-04", "step_ns": 2_000}, {"job_id": "c", "day": "2026-11-04", "step_ns": 1}]
    assert _page._trends(rows, {"a", "b"}, 3) == (["2026-11-01", "2026-11-02", "2026-11-04"],
                                                  {"a": [0, [5]], "b": [1, [1235, 2]]})
    assert _page._trends(rows, {"a", "b"}, 1) == (["2026-11-04"], {"b": [0, [2]]})
