"""The questions as portable SQL: Spark SQL, DuckDB and Trino understand it."""
from __future__ import annotations

import os

# In the order in which they build on each other; the first ones are for the others.
NAMES = ("profiles_newest", "profiles_once", "findings_once", "ranks_once", "runs", "host_times", "waste", "savings", "trend",
         "slow_hosts", "stragglers", "regressions", "unreadable", "versions")


def sql(name: str) -> str:
    """The SELECT statement of a view."""
    if name not in NAMES:
        raise KeyError(f"there is no view {name}; the views are {', '.join(NAMES)}")
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "views")
    with open(os.path.join(folder, name + ".sql"), encoding="utf-8") as file:
        return file.read()


def create_all(execute) -> None:
    """Makes all views; ``execute`` runs one statement: ``connection.execute`` or ``spark.sql``."""
    for name in NAMES:
        execute(f"CREATE OR REPLACE TEMPORARY VIEW {name} AS\n{sql(name)}")
