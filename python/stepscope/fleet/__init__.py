"""Thousands of profiles: tables of them, and the questions that a fleet asks.

``analyze(paths)`` gives the tables of a batch as Arrow; ``spark(df)`` gives them as DataFrames, read by the tasks of a
Spark job; ``python -m stepscope.fleet`` has both as commands, and asks the tables. docs/fleet.md tells the whole story.
"""
from __future__ import annotations

from stepscope.fleet._analyze import AnalyzeFailed, analyze
from stepscope.fleet._listing import list_source as list_profiles
from stepscope.fleet._listing import pack
from stepscope.fleet._spark import SparkTables, spark, tables_of, write
from stepscope.fleet._tables import FleetError, open_tables
from stepscope.fleet._views import NAMES as VIEWS
from stepscope.fleet._views import create_all as create_views
from stepscope.fleet._views import sql

__all__ = ["AnalyzeFailed", "FleetError", "SparkTables", "VIEWS", "analyze", "create_views", "list_profiles", "open_tables",
           "pack", "spark", "sql", "tables_of", "write"]
