"""METADATA and entry points of the package, from pyproject.toml, VERSION and README.md. Needs no compiler."""

import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
VERSION = (ROOT / "VERSION").read_text().strip()
INFO = f"stepscope-{VERSION}.dist-info"
THIRD_PARTY = "THIRD-PARTY-NOTICES"


def project():
    """The table [project] of pyproject.toml."""
    try:
        import tomllib
    except ImportError:  # before Python 3.11
        import tomli as tomllib

    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def metadata(kind="wheel"):
    """The text of METADATA, the same before the build as in the wheel, or of PKG-INFO in a source distribution ("sdist")."""
    table = project()
    # What a wheel is linked with is known when it is built.
    licences = [f"License-File: {THIRD_PARTY}"] if kind == "wheel" else ["Dynamic: License-File"]
    lines = [
        "Metadata-Version: 2.4",
        f"Name: {table['name']}",
        f"Version: {VERSION}",
        f"Summary: {table['description']}",
        *(f"Author: {author['name']}" for author in table["authors"]),
        f"License-Expression: {table['license']}",
        *(f"License-File: {name}" for name in table["license-files"]),
        *licences,
        f"Keywords: {','.join(table['keywords'])}",
        *(f"Classifier: {name}" for name in table["classifiers"]),
        *(f"Project-URL: {label}, {address}" for label, address in table.get("urls", {}).items()),
        f"Requires-Python: {table['requires-python']}",
        *(f"Requires-Dist: {package}" for package in table["dependencies"]),
        *extras(table),
        "Description-Content-Type: text/markdown",
        "",
        (ROOT / table["readme"]).read_text(encoding="utf-8"),
    ]
    return "\n".join(lines)


def extras(table):
    """What `pip install stepscope[NAME]` adds."""
    for name, packages in table.get("optional-dependencies", {}).items():
        yield f"Provides-Extra: {name}"
        yield from (f'Requires-Dist: {package}; extra == "{name}"' for package in packages)


def entry_points():
    scripts = [f"{name} = {place}" for name, place in project()["scripts"].items()]
    return "\n".join(["[console_scripts]", *scripts, ""])


def wheel_file(tag):
    return f"Wheel-Version: 1.0\nGenerator: stepscope_build\nRoot-Is-Purelib: false\nTag: {tag}\n"


def info_files():
    """What a wheel's dist-info holds whatever was built: path and content."""
    licences = {f"{INFO}/licenses/{name}": (ROOT / name).read_bytes() for name in project()["license-files"]}
    return {
        f"{INFO}/METADATA": metadata().encode(),
        f"{INFO}/entry_points.txt": entry_points().encode(),
        **licences,
    }
