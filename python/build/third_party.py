"""The licence texts of everything in a wheel that others wrote, as one text.

A library's text is its Debian package's /usr/share/doc/PACKAGE/copyright. web/scripts/pack.mjs wrote those of the page's packages
into licences.txt.
"""

import pathlib
import re
import shutil
import subprocess
import sys

RULE = "\n" + "=" * 80 + "\n"


def third_party_licences(libraries, page, extension=True, root=pathlib.Path("/")):
    """Libraries: {name in the wheel: file it was copied from}. Page: where the page was built. Extension: pybind11 is in it.
    Root: the system that the libraries are from."""
    sections = [section(package, sorted(names), root) for package, names in sorted(by_package(libraries, root).items())]
    if extension:
        sections.append(pybind11_section(root))
    texts = page / "licences.txt"
    if texts.is_file() and texts.stat().st_size > 0:
        sections.append(texts.read_text(encoding="utf-8"))
    head = (
        "Stepscope's own licence is in LICENSE. This package also holds the following, under the licences below.\n"
        "Where one of them refers to the Apache License 2.0, LICENSE has its text.\n"
    )
    return RULE.join([head, *sections])


def by_package(libraries, root):
    packages = {}
    for name, path in libraries.items():
        packages.setdefault(package_of(path, root), []).append(name)
    return packages


def package_of(path, root):
    """The Debian package that a file came with; None where nobody knows it."""
    if root != pathlib.Path("/"):
        return unpacked_package_of(path, root)
    if shutil.which("dpkg-query") is None:
        return None
    real = pathlib.Path(path).resolve()
    # Where /lib is a link to /usr/lib, dpkg knows a file by either name.
    for known in (str(path), str(real), re.sub("^/usr", "", str(real))):
        found = subprocess.run(["dpkg-query", "--search", known], capture_output=True, text=True, check=False)
        if found.returncode == 0:
            return found.stdout.split(":")[0]
    return None


def unpacked_package_of(path, root):
    """The same in a folder that packages were unpacked into: python/build/aarch64-root leaves a list of each package's files."""
    real = str(pathlib.Path(path).resolve().relative_to(root.resolve()))
    for files in sorted((root / "packages").iterdir()):
        if real in files.read_text(encoding="utf-8").split("\n"):
            return files.name
    return None


def section(package, names, root=pathlib.Path("/")):
    held = ", ".join(names)
    text = root / "usr" / "share" / "doc" / str(package) / "copyright"
    if package is None or not text.is_file():
        print(f"stepscope_build: no licence text found for {held}: do not pass this wheel on", file=sys.stderr)
        return f"{held}: the licence text was not on the machine that built this package\n"
    return f"{held}, from Debian's package {package}\n\n{text.read_text(encoding='utf-8', errors='replace')}"


def pybind11_section(root):
    """pybind11 is headers only: compiled into the extension."""
    try:
        from importlib import metadata

        files = metadata.files("pybind11") or []
        texts = [path.read_text() for path in files if path.name == "LICENSE"]
    except ImportError:  # PackageNotFoundError is one
        texts = []
    if texts:
        return f"pybind11, compiled into the extension\n\n{texts[0]}"
    return section("pybind11-dev", ["pybind11 (compiled into the extension)"], root)
