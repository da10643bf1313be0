"""The questions of a fleet as text or JSON."""
from __future__ import annotations

import dataclasses
import json
from typing import Any

from stepscope.fleet import _regressions

# Question, view, order, columns with their headings. Hours are device hours.
SECTIONS = (
    ("waste", {"en": "Which jobs waste most device hours", "zh": "哪些作业浪费的设备小时最多"},
     "SELECT * FROM waste ORDER BY wasted_device_hours DESC, job_id, bound_by LIMIT {top}",
     ("job_id", "bound_by", "profiles", "device_hours", "wasted_device_hours")),
    ("savings", {"en": "Which change would save most", "zh": "哪种修改省得最多"},
     "SELECT * FROM savings ORDER BY saved_device_hours_likely DESC, rule LIMIT {top}",
     ("rule", "profiles", "jobs", "saved_device_hours_at_least", "saved_device_hours_likely",
      "saved_device_hours_at_most")),
    ("slow_hosts", {"en": "Which hosts are slower than their peers", "zh": "哪些主机比同伴慢"},
     "SELECT * FROM slow_hosts ORDER BY mean_ratio DESC, host LIMIT {top}",
     ("host", "jobs", "slow_jobs", "mean_ratio")),
    ("stragglers", {"en": "Which ranks make the others of their run wait", "zh": "哪些 rank 让同次运行的其他 rank 等待"},
     "SELECT * FROM stragglers ORDER BY device_hours_gained_an_hour DESC, job_id, run_id, rank LIMIT {top}",
     ("job_id", "run_id", "rank", "host", "cause", "region", "device_hours_gained_an_hour")),
    ("unreadable", {"en": "Which profiles could not be read in full", "zh": "哪些性能数据未能完整读取"},
     "SELECT COALESCE(error_code, status) AS reason, COUNT(*) AS profiles, MIN(path) AS example FROM unreadable "
     "GROUP BY COALESCE(error_code, status) ORDER BY profiles DESC, reason LIMIT {top}",
     ("reason", "profiles", "example")),
)
REGRESSIONS = {"en": "What got slower or faster", "zh": "哪些变慢或变快了"}
NOTHING = {"en": "none", "zh": "无"}


def collect(tables: Any, top: int = 10) -> dict[str, Any]:
    """All answers, as rows of dictionaries."""
    answers: dict[str, Any] = {"schema": "stepscope.fleet-summary/1"}
    answers["fleet"] = tables.rows(
        "SELECT COUNT(*) AS profiles, COUNT(DISTINCT job_id) AS jobs, COUNT(DISTINCT host) AS hosts, "
        "SUM(weight * device_seconds) / 3600.0 AS device_hours FROM profiles_once")[0]
    for name, _, query, _ in SECTIONS:
        answers[name] = tables.rows(query.format(top=int(top)))
    answers["regressions"] = regressions(tables)[:top]
    return answers


def regressions(tables: Any) -> list[dict[str, Any]]:
    return [dataclasses.asdict(row) for row in _regressions.find(tables.rows("SELECT * FROM runs"))]


def as_json(answers: Any) -> str:
    return json.dumps(answers, indent=1, ensure_ascii=False, default=str) + "\n"


def as_text(answers: dict[str, Any], language: str = "en") -> str:
    fleet = answers["fleet"]
    counts = {"en": "{profiles:,} profiles of {jobs:,} jobs on {hosts:,} hosts, {hours:,.1f} device hours",
              "zh": "{profiles:,} 个性能数据，{jobs:,} 个作业，{hosts:,} 台主机，{hours:,.1f} 设备小时"}[language]
    lines = [counts.format(profiles=fleet["profiles"], jobs=fleet["jobs"], hosts=fleet["hosts"],
                           hours=fleet["device_hours"] or 0)]
    for name, title, _, columns in SECTIONS:
        lines += ["", title[language], *table_text(answers[name], columns, language)]
    lines += ["", REGRESSIONS[language], *regressions_text(answers["regressions"], language)]
    return "\n".join(lines) + "\n"


def regressions_text(rows: list[dict[str, Any]], language: str = "en") -> list[str]:
    shown = [{**row, "change": f"{row['delta_rel']:+.1%}", "before": _time(row["before_ns"]),
              "after": _time(row["after_ns"]), "q": f"{row['q']:.3g}"} for row in rows]
    return table_text(shown, ("job_id", "verdict", "change", "before", "after", "since_run", "q"), language)


def table_text(rows: list[dict[str, Any]], columns: tuple[str, ...], language: str = "en") -> list[str]:
    if not rows:
        return ["  " + NOTHING[language]]
    cells = [[_cell(row[column]) for column in columns] for row in rows]
    widths = [max(len(column), *(len(row[i]) for row in cells)) for i, column in enumerate(columns)]
    right = [all(not isinstance(row[column], str) for row in rows) for column in columns]

    def line(values: Any) -> str:
        padded = (value.rjust(width) if is_right else value.ljust(width)
                  for value, width, is_right in zip(values, widths, right))
        return "  " + "  ".join(padded).rstrip()

    return [line(columns), *(line(row) for row in cells)]


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:,.3g}" if abs(value) < 100 else f"{value:,.0f}"
    # Names come from files: a terminal must not obey them.
    return "".join(c if c.isprintable() else "\ufffd" for c in str(value))


def _time(ns: float) -> str:
    for unit, size in (("s", 1e9), ("ms", 1e6), ("µs", 1e3)):
        if ns >= size:
            return f"{ns / size:.3g} {unit}"
    return f"{ns:.0f} ns"
