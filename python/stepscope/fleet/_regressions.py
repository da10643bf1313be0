"""Which series of runs got slower or faster, since when, and by how much."""
from __future__ import annotations

import dataclasses
import math
from typing import Any, Iterable

from stepscope.fleet import _statistics

LAST_RUNS = 5
RUNS_BEFORE = 20
LEAST_SIDE = 4  # runs on each side of a change
FALSE_DISCOVERIES = 0.05
RANK_TEST = 0.05
SMALLEST_CHANGE = 0.02  # relative: less is called the same
LEAST_DEVIATION = 0.001  # relative: runs scatter at least by this much


@dataclasses.dataclass
class Regression:
    """One series that changed. Times in ns; ``lo`` and ``hi`` bound ``delta_rel`` at 95 %, where so few runs allow it."""

    job_id: str
    device_name: str
    world_size: int
    framework_version: str
    verdict: str  # slower or faster
    since_run: str
    since_unix_ns: int | None
    before_ns: float
    after_ns: float
    delta_rel: float
    lo: float | None
    hi: float | None
    q: float
    runs: int


def _series(runs: Iterable[dict[str, Any]]) -> dict[tuple[Any, ...], list[dict[str, Any]]]:
    found: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for run in runs:
        key = (run["job_id"], run["device_name"], run["world_size"], run["framework_version"])
        found.setdefault(key, []).append(run)
    for of in found.values():
        of.sort(key=lambda run: (run["start_unix_ns"] or 0, run["run_id"]))
    return found


def find(runs: Iterable[dict[str, Any]]) -> list[Regression]:
    """Finds the most likely change among the last 25 runs of every series, with 5 % of false discoveries over all
    series; the largest change comes first.

    Over thousands of series the rank test alone cannot say anything: five runs against twenty give no p below 4e-5. So
    the trimmed t of the logarithms, times the number of places at which the change may be, controls false discoveries,
    and the rank test of ``diff`` has to agree, so that one wild run makes no change."""
    tested = []
    for key, of in _series(runs).items():
        recent = of[-(LAST_RUNS + RUNS_BEFORE):]
        values = [run["step_ns"] for run in recent]
        if len(values) < LAST_RUNS + LEAST_SIDE or min(values) <= 0:
            continue
        logs = [math.log(value) for value in values]
        split = _statistics.change_point(logs, LEAST_SIDE)
        if split is None:  # all runs are equal
            continue
        places = len(values) - 2 * LEAST_SIDE + 1
        p = min(1.0, _statistics.trimmed_t(logs[:split], logs[split:], LEAST_DEVIATION) * places)
        tested.append((key, recent, split, p))
    rates = _statistics.false_discovery_rates([row[-1] for row in tested])
    found = []
    for (key, recent, split, _), q in zip(tested, rates):
        regression = _judge(key, recent, split, q)
        if regression is not None:
            found.append(regression)
    return sorted(found, key=lambda row: (-abs(row.delta_rel), row.job_id))


def _judge(key: tuple[Any, ...], recent: list[dict[str, Any]], split: int, q: float) -> Regression | None:
    values = [run["step_ns"] for run in recent]
    before, after = values[:split], values[split:]
    base = _statistics.median(before)
    delta = _statistics.median(after) / base - 1
    last = _statistics.median(values[-LAST_RUNS:]) / base - 1
    if q > FALSE_DISCOVERIES or abs(delta) < SMALLEST_CHANGE or _statistics.mann_whitney(before, after) > RANK_TEST:
        return None
    if last * delta < 0 or abs(last) < SMALLEST_CHANGE:  # it went away again
        return None
    interval = _statistics.shift_interval(before, after)
    first = recent[split]
    job_id, device_name, world_size, framework_version = key
    return Regression(job_id, device_name, world_size, framework_version,
                      "slower" if delta > 0 else "faster", first["run_id"], first["start_unix_ns"], base,
                      _statistics.median(after), delta, interval[0] / base if interval else None,
                      interval[1] / base if interval else None, q, len(recent))
