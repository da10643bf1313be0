"""What there is to read: a directory, a pattern, a list or an object store, and how it is spread over tasks."""
from __future__ import annotations

import datetime
import fnmatch
import os
from typing import Any, Callable, Iterable, Iterator

TASK_BYTES = 256 << 20
TASK_FILES = 500
LEAST_TASK_FILES = 25
ENDINGS = (".json", ".json.gz", ".json.zst", ".xplane.pb", ".sqlite", ".nsys-rep", ".pftrace", ".perfetto-trace", ".db",
           ".trace.json.gz", ".pt.trace.json", ".stepscope")


def _is_profile(name: str) -> bool:
    return name.endswith(ENDINGS)


def list_source(source: str, pattern: str | None = None) -> Iterator[dict[str, Any]]:
    """Files below a directory or an address like ``s3://bucket/profiles/`` (by fsspec), with size and time. Without a
    pattern those whose names end as profiles' do; else those that the pattern (``*.json.gz``) fits."""
    def wanted(name: str) -> bool:
        return fnmatch.fnmatch(os.path.basename(name), pattern) if pattern else _is_profile(name)

    if "://" in source:
        yield from _list_store(source, wanted)
        return
    if os.path.isfile(source):
        yield _local(source)
        return
    for folder, folders, names in os.walk(source):
        folders.sort()
        for name in sorted(names):
            if wanted(name):
                yield _local(os.path.join(folder, name))


def _local(path: str) -> dict[str, Any]:
    status = os.stat(path)
    return {"path": path, "bytes": status.st_size, "mtime_unix_ns": status.st_mtime_ns}


def _list_store(source: str, wanted: Any) -> Iterator[dict[str, Any]]:
    import fsspec

    system, root = fsspec.core.url_to_fs(source)
    for path, facts in sorted(system.find(root, detail=True).items()):
        if wanted(path):
            yield {"path": system.unstrip_protocol(path), "bytes": int(facts.get("size") or 0),
                   "mtime_unix_ns": _changed(facts)}


def _changed(facts: dict[str, Any]) -> int | None:
    """Stores spell it differently."""
    for key in ("LastModified", "mtime", "last_modified", "updated", "created"):
        value = facts.get(key)
        if value is None:
            continue
        if hasattr(value, "timestamp"):
            return int(value.timestamp()) * 1_000_000_000
        if isinstance(value, (int, float)):
            return int(value * 1_000_000_000)
    return None


def pack(entries: Iterable[dict[str, Any]], task_bytes: int = TASK_BYTES,
         task_files: int = TASK_FILES) -> list[list[dict[str, Any]]]:
    """Bins of about so many bytes, the largest files first and alone where they fill a bin: a large file does not wait
    behind a thousand small ones. The same entries give the same bins."""
    bins: list[list[dict[str, Any]]] = []
    current: list[dict[str, Any]] = []
    size = 0
    for entry in sorted(entries, key=lambda each: (-(each.get("bytes") or 0), each["path"])):
        own = entry.get("bytes") or 0
        if current and (size + own > task_bytes or len(current) >= task_files):
            bins.append(current)
            current, size = [], 0
        current.append(entry)
        size += own
    if current:
        bins.append(current)
    return bins


def new_or_changed(entries: Iterable[dict[str, Any]], known: Iterable[tuple[str, int | None, int | None]],
                   named: Callable[[str], str] = str) -> Iterator[dict[str, Any]]:
    """Entries that the tables do not have as they are now; ``known`` has path, bytes and mtime of what they have, and
    ``named`` says how they call a path."""
    have = set(known)
    for entry in entries:
        if (named(entry["path"]), entry.get("bytes"), entry.get("mtime_unix_ns")) not in have:
            yield entry


def changed_since(entries: Iterable[dict[str, Any]], day: str) -> Iterator[dict[str, Any]]:
    """Entries that changed on this day (UTC) or later; those of unknown time stay."""
    first = datetime.datetime.strptime(day, "%Y-%m-%d").replace(tzinfo=datetime.timezone.utc).timestamp()
    for entry in entries:
        changed = entry.get("mtime_unix_ns")
        if changed is None or changed >= first * 1_000_000_000:
            yield entry


class Fetched:
    """The entries with a ``local`` path each: objects of a store are copied into a scratch folder, which goes with it."""

    def __init__(self, entries: list[dict[str, Any]], folder: str) -> None:
        self.entries = [self._fetch(entry, os.path.join(folder, str(at))) for at, entry in enumerate(entries)]

    @staticmethod
    def _fetch(entry: dict[str, Any], local: str) -> dict[str, Any]:
        if "://" not in entry["path"] or entry.get("local"):
            return entry
        import fsspec

        # Readers recognise files by their content; the name helps people who look at scratch folders.
        local += "-" + os.path.basename(entry["path"])
        try:
            with fsspec.open(entry["path"], "rb") as source, open(local, "wb") as target:
                while block := source.read(1 << 22):
                    target.write(block)
        except Exception:  # noqa: BLE001: whatever a store raises, the path becomes a row that says it cannot be read
            pass
        return {**entry, "local": local}
