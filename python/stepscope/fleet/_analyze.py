"""Runs the program over a batch of paths and gives its tables as Arrow."""
from __future__ import annotations

import hmac
import json
import os
import shutil
import subprocess
import tempfile
import time
from typing import Any, Callable, Sequence

from stepscope import _binary
from stepscope.fleet import _schema

# Of one line of the list: a path, or what the program's lists hold as JSON.
Entry = Any


class AnalyzeFailed(Exception):
    """The program as a whole ended with a failure: not one of its files, which become rows."""


def _run(entries: Sequence[dict[str, Any]], folder: str, threads: int, timeout: float, memory: str | None,
         pattern: str | None, hash_names: str | None = None) -> None:
    command = [_binary.program(), "fleet", "analyze", "--paths-from", "-", "--out", folder, "--format", "arrow",
               "--batch", str(max(1, len(entries))), "--threads", str(threads), "--timeout-per-file", str(timeout),
               "--json"]
    if memory:
        command += ["--memory-limit", memory]
    if pattern:
        command += ["--path-pattern", pattern]
    if hash_names:
        command += ["--hash-names", _key_file(folder, hash_names)]
    lines = "".join(json.dumps(entry) + "\n" for entry in entries)
    done = subprocess.run(command, input=lines.encode(), capture_output=True, check=False)
    if done.returncode != 0:
        raise AnalyzeFailed(done.stderr.decode(errors="replace").strip() or f"exit code {done.returncode}")


def _key_file(folder: str, key: str) -> str:
    """Command lines are seen by all users of a machine: the key goes into a file that only this one reads."""
    path = os.path.join(folder, "_key")
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600), "w", encoding="utf-8") as file:
        file.write(key)
    return "@" + path


def hashed(key: str, name: str) -> str:
    """A path or host as ``--hash-names`` keeps it."""
    return hmac.new(key.encode(), name.encode(), "sha256").hexdigest()[:32]


def read_tables(folder: str) -> dict[str, Any]:
    """The tables that the program wrote as Arrow into a folder."""
    import pyarrow as pa

    tables = {}
    for name in _schema.TABLES:
        schema = _schema.arrow_schema(name)
        parts = []
        for file in sorted(os.listdir(folder)):
            if file.startswith(name + "-") and file.endswith(".arrow"):
                with pa.OSFile(os.path.join(folder, file)) as source:
                    parts.append(pa.ipc.open_file(source).read_all().cast(schema))
        tables[name] = pa.concat_tables(parts) if parts else schema.empty_table()
    return tables


def _failed(entry: dict[str, Any], why: str, hash_names: str | None) -> dict[str, Any]:
    """The row of a path that ends the program itself."""
    import pyarrow as pa

    tables = {name: _schema.arrow_schema(name).empty_table() for name in _schema.TABLES}
    changed = entry.get("mtime_unix_ns")
    row: dict[str, Any] = {name: None for name, _ in _schema.TABLES["profiles"]}
    path = hashed(hash_names, entry["path"]) if hash_names else entry["path"]
    row.update(path=path, bytes=entry.get("bytes"), mtime_unix_ns=changed, weight=entry.get("weight", 1.0),
               day=time.strftime("%Y-%m-%d", time.gmtime((changed or 0) // 1_000_000_000)), status="failed",
               error_code="crashed", error=why, stepscope_version=_version())
    tables["profiles"] = pa.Table.from_pylist([row], schema=_schema.arrow_schema("profiles"))
    return tables


def _version() -> str:
    said = subprocess.run([_binary.program(), "--version"], capture_output=True, check=True).stdout.decode()
    return said.split()[-1]


def entry_of(path: Entry) -> dict[str, Any]:
    return dict(path) if isinstance(path, dict) else {"path": os.fspath(path)}


def analyze(paths: Sequence[Entry], *, threads: int = 1, timeout: float = 120, memory: str | None = None,
            pattern: str | None = None, hash_names: str | None = None, run: Callable[..., None] = _run) -> dict[str, Any]:
    """The tables of these profiles, as a dictionary of ``pyarrow.Table``; one row of ``profiles`` a path. A path is a
    string, or a dictionary with ``path`` and what else is known of it: ``local``, ``bytes``, ``mtime_unix_ns``,
    ``job_id``, ``run_id``, ``attempt``, ``rank``, ``world_size``, ``host``, ``weight``. Where the program itself ends
    with a failure the batch is halved until the culprit is alone. ``hash_names`` is a key: paths and hosts are kept as
    hashes."""
    import pyarrow as pa

    entries = [entry_of(path) for path in paths]
    folder = tempfile.mkdtemp(prefix="stepscope-fleet-")
    try:
        run(entries, folder, threads, timeout, memory, pattern, hash_names)
        return read_tables(folder)
    except AnalyzeFailed as failure:
        if len(entries) == 1:
            return _failed(entries[0], str(failure), hash_names)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    half = len(entries) // 2
    options: dict[str, Any] = {"threads": threads, "timeout": timeout, "memory": memory, "pattern": pattern, "hash_names": hash_names,
                               "run": run}
    first, second = analyze(entries[:half], **options), analyze(entries[half:], **options)
    return {name: pa.concat_tables([first[name], second[name]]) for name in _schema.TABLES}
