"""Many small files of a table become few: what a year of nightly batches leaves is read in one go again.

A journal names the new files and those they replace before anything is replaced. A run that was killed is finished by the
next one; until then readers of this package leave out what is replaced.
"""
from __future__ import annotations

import glob
import hashlib
import json
import os
from typing import Any

from stepscope.fleet import _schema
from stepscope.fleet._tables import JOURNAL, FleetError, connect, quoted

SMALL = 128 << 20  # bytes: larger files stay as they are


def compact(directory: str, small: int = SMALL) -> tuple[int, int]:
    """Joins files smaller than ``small`` of each table, and of each day where the tables lie by day. Returns how many files
    there were and how many there are."""
    if "://" in directory:
        raise FleetError("compact works on a directory; Delta has OPTIMIZE and Iceberg rewrite_data_files for stores")
    _finish(directory)
    before = _count(directory)
    if before == 0:
        raise FleetError(f"{directory} has no tables of a fleet; stepscope fleet analyze --paths-from LIST --out DIR writes them")
    swaps = [_join(folder, table, files) for folder, table, files in _groups(directory, small)]
    if swaps:
        _write(os.path.join(directory, JOURNAL), json.dumps(swaps))
        _finish(directory)
    return before, _count(directory)


def _files(directory: str) -> list[tuple[str, str, list[str]]]:
    """Folder, table and its files: flat ones, and those of each day."""
    found = []
    root = glob.escape(directory)
    for table in _schema.ALL_TABLES:
        found.append((directory, table, sorted(glob.glob(os.path.join(root, f"{table}-*.parquet")))))
        for day in sorted(glob.glob(os.path.join(root, table, "day=*"))):
            found.append((day, table, sorted(glob.glob(os.path.join(glob.escape(day), "*.parquet")))))
    return found


def _count(directory: str) -> int:
    return sum(len(files) for _, _, files in _files(directory))


def _groups(directory: str, small: int) -> list[tuple[str, str, list[str]]]:
    """What to join: small files, as many as make a large one."""
    groups = []
    for folder, table, files in _files(directory):
        part: list[str] = []
        size = 0
        for file in files:
            own = os.path.getsize(file)
            if own >= small:
                continue
            part.append(file)
            size += own
            if size >= small:
                groups.append((folder, table, part))
                part, size = [], 0
        groups.append((folder, table, part))
    return [group for group in groups if len(group[2]) > 1]


def _join(folder: str, table: str, files: list[str]) -> dict[str, Any]:
    name = hashlib.sha256("\n".join(map(os.path.basename, files)).encode()).hexdigest()[:16]
    made = os.path.join(folder, f"_compact-{table}-{name}.unfinished")
    sources = ", ".join(quoted(file) for file in files)
    day = "" if os.path.basename(folder).startswith("day=") else " ORDER BY day"
    connect().execute(
        f"COPY (SELECT * FROM read_parquet([{sources}], union_by_name = true, hive_partitioning = false){day}) "
        f"TO {quoted(made)} (FORMAT parquet, COMPRESSION zstd, KV_METADATA {{'stepscope.schema': {quoted(_schema.VERSION)}}})")
    return {"made": made, "name": os.path.join(folder, f"{table}-c{name}.parquet"), "files": files}


def _write(path: str, text: str) -> None:
    unfinished = path + ".unfinished"
    with open(unfinished, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace(unfinished, path)


def _finish(directory: str) -> None:
    """Does what the journal says; each part may have been done before."""
    journal = os.path.join(directory, JOURNAL)
    if not os.path.exists(journal):
        return
    with open(journal, encoding="utf-8") as file:
        swaps = json.load(file)
    for swap in swaps:
        if os.path.exists(swap["made"]):
            os.replace(swap["made"], swap["name"])
        for old in swap["files"]:
            if os.path.exists(old) and old != swap["name"]:
                os.remove(old)
    os.remove(journal)
