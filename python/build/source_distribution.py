"""The source distribution: every file that git knows, as it is in the checkout, and the built page, so that no node is needed."""

import gzip
import io
import os
import pathlib
import subprocess
import tarfile

from project_metadata import ROOT, VERSION, metadata
from web_page import BUILT, READY_MADE

NOT_SOURCES = {"build", "node_modules", "__pycache__", "PKG-INFO"}


def source_files():
    """Paths below ROOT. Without git this is an unpacked source distribution: all of it but what was built in it."""
    if not (ROOT / ".git").exists():
        every = (path.relative_to(ROOT) for path in ROOT.rglob("*") if path.is_file())
        return [path for path in every if not NOT_SOURCES.intersection(path.parts) and path.suffix != ".so"]
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode != 0:
        raise SystemExit(f"stepscope_build: git cannot list the files of the checkout: {listed.stderr.strip()}")
    paths = [pathlib.Path(name) for name in listed.stdout.split("\0") if name]
    return [path for path in paths if (ROOT / path).is_file()]


def write_source_distribution(directory):
    """The same files give the same bytes. Returns the file's name."""
    name = f"stepscope-{VERSION}"
    files = {path.as_posix(): ROOT / path for path in source_files()}
    if not READY_MADE.is_dir():
        files.update({f"web/page/{path.name}": path for path in BUILT.iterdir()})
    target = pathlib.Path(directory) / f"{name}.tar.gz"
    with target.open("wb") as raw, gzip.GzipFile(fileobj=raw, mode="wb", mtime=0, filename="") as packed:
        with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
            add(archive, f"{name}/PKG-INFO", metadata("sdist").encode(), 0o644)
            for path, source in sorted(files.items()):
                add(archive, f"{name}/{path}", source.read_bytes(), 0o755 if os.access(source, os.X_OK) else 0o644)
    return target.name


def add(archive, path, content, mode):
    entry = tarfile.TarInfo(path)
    entry.size, entry.mode = len(content), mode
    entry.mtime = int(os.environ.get("SOURCE_DATE_EPOCH", "315532800"))  # 1980, the earliest that a zip can say
    archive.addfile(entry, io.BytesIO(content))
