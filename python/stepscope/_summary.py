"""The traces of a report side by side."""

import array
import statistics

from stepscope import _native
from stepscope._table import Table

_PARTS = ("compute_ns", "exposed_communication_ns", "exposed_copy_ns", "exposed_memset_ns", "idle_ns")


def summary(report):
    """A table with one row for each trace."""
    rows = [_row(trace, part) for trace, part in enumerate(report.parts)]
    return Table(_native.table_from([_column(name, [row[name] for row in rows]) for name in rows[0]]), "summary")


def _row(trace, part):
    steps = part["steps"]
    row = {
        "trace": trace,
        "rank": _known(part["profile"]["rank"]),
        "host": part["profile"]["host"] or "",
        "bound_by": part["verdict"]["bound_by"],
        "steps": steps["count"],
        "median_ns": _known(steps["median_ns"]),
    }
    busiest = [max(step["devices"], key=lambda device: device["busy_ns"]) for step in steps["items"] if step["devices"] and step["used"]]
    for name in _PARTS:
        row[name] = int(statistics.median(device[name] for device in busiest)) if busiest else 0
    row["findings"] = len(part["findings"])
    row["path"] = ", ".join(part["profile"]["paths"])
    return row


def _known(number):
    return -1 if number is None else number


def _column(name, values):
    """As the engine takes it: numbers, or codes of texts."""
    if isinstance(values[0], str):
        texts = list(dict.fromkeys(values))
        return (name, "I", array.array("I", map(texts.index, values)), texts)
    return (name, "q", array.array("q", values), None)
