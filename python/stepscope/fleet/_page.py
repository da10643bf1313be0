"""The Fleet page: one offline file with the tables' answers, in the program's own page."""
from __future__ import annotations

import datetime
import json
import subprocess
from typing import Any

from stepscope import _binary
from stepscope.fleet import _summary
from stepscope.fleet._tables import FleetError

MOST_DATA = 4_400_000  # bytes: the page around it takes 0.4 MB, and all of it 5 MB at most
MOST_JOBS = 20_000
MOST_DAYS = 366
MOST_ROWS = 1_000  # of what is listed beside jobs

_JOBS = """
SELECT waste.job_id, waste.bound_by, profiles, device_hours, wasted_device_hours, idle_device_hours,
  communication_device_hours, worst.path
FROM waste LEFT JOIN (
  SELECT job_id, bound_by, path, ROW_NUMBER() OVER (
      PARTITION BY job_id, bound_by
      ORDER BY device_seconds * (window_ns - compute_ns) / CAST(window_ns AS DOUBLE) DESC, path) AS place
  FROM (SELECT COALESCE(job_id, '(no job)') AS job_id, bound_by, path, device_seconds, window_ns, compute_ns
        FROM profiles_once WHERE window_ns > 0 AND device_seconds > 0) known
) worst ON worst.job_id = waste.job_id AND worst.place = 1
  AND COALESCE(worst.bound_by, '') = COALESCE(waste.bound_by, '')
ORDER BY wasted_device_hours DESC, waste.job_id, waste.bound_by"""


def _short(value: Any) -> Any:
    """Four digits are enough to look at, and take a quarter of the bytes."""
    if not isinstance(value, float):
        return value
    rounded = float(f"{value:.4g}")
    return int(rounded) if rounded == int(rounded) else rounded


def _columns(rows: list[dict[str, Any]], names: tuple[str, ...]) -> dict[str, list[Any]]:
    return {name: [_short(row[name]) for row in rows] for name in names}


def _day(unix_ns: int | None) -> str | None:
    if not unix_ns:
        return None
    return datetime.datetime.fromtimestamp(unix_ns // 1_000_000_000, datetime.timezone.utc).strftime("%Y-%m-%d")


def _trends(rows: list[dict[str, Any]], jobs: set[str], most_days: int) -> tuple[list[str], dict[str, Any]]:
    """The last days, and by job its first day's place and its steps in µs from there on."""
    days = sorted({row["day"] for row in rows})[-most_days:]
    place = {day: at for at, day in enumerate(days)}
    steps: dict[str, dict[int, Any]] = {}
    for row in rows:
        if row["job_id"] in jobs and row["day"] in place:
            steps.setdefault(row["job_id"], {})[place[row["day"]]] = _short(row["step_ns"] / 1e3)
    return days, {job: [min(of), [of.get(at) for at in range(min(of), max(of) + 1)]] for job, of in steps.items()}


def _data(tables: Any, language: str, link: str | None) -> str:
    answers = _summary.collect(tables, MOST_ROWS)
    every_job, trend = tables.rows(_JOBS), tables.rows("SELECT * FROM trend")
    changes = [{**row, "since_day": _day(row["since_unix_ns"])} for row in answers["regressions"]]
    most_jobs, most_days = MOST_JOBS, MOST_DAYS
    while True:
        jobs = every_job[:most_jobs]
        shown = {row["job_id"] for row in jobs} | {row["job_id"] for row in changes}
        days, trends = _trends(trend, shown, most_days)
        fleet = {
            "totals": {**answers["fleet"], "device_hours": _short(float(answers["fleet"]["device_hours"] or 0))},
            "jobs_left_out": len(every_job) - len(jobs),
            "days": days,
            "jobs": _columns(jobs, ("job_id", "bound_by", "profiles", "device_hours", "wasted_device_hours",
                                    "idle_device_hours", "communication_device_hours", "path")),
            "trends": trends,
            "changes": _columns(changes, ("job_id", "verdict", "delta_rel", "before_ns", "after_ns", "since_run",
                                          "since_day", "q")),
            "savings": _columns(answers["savings"], ("rule", "profiles", "jobs", "saved_device_hours_at_least",
                                                     "saved_device_hours_likely", "saved_device_hours_at_most")),
            "hosts": _columns(answers["slow_hosts"], ("host", "jobs", "slow_jobs", "mean_ratio")),
            "unreadable": _columns(answers["unreadable"], ("reason", "profiles", "example")),
            "link": link,
        }
        text = json.dumps({"version": "stepscope.fleet-page/1", "language": language, "fleet": fleet},
                          ensure_ascii=False, separators=(",", ":"), default=float)
        if len(text.encode()) <= MOST_DATA or (most_days <= 14 and most_jobs <= 500):
            return text
        if most_days > 14:
            most_days = min(most_days, len(days)) // 2
        else:
            most_jobs //= 2


def write(tables: Any, out: str, language: str = "en", link: str | None = None) -> None:
    """Writes the page. ``link`` is an address with ``{path}`` in it, under which profiles can be opened."""
    command = [_binary.program(), "fleet", "page", "--data", "-", "-o", out]
    done = subprocess.run(command, input=_data(tables, language, link).encode(), capture_output=True, check=False)
    if done.returncode != 0:
        raise FleetError(done.stderr.decode(errors="replace").strip())
