"""What the tests share: the examples, and the files of tests/data."""

import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
UNPACKED = ROOT / "build" / "data"


def pytest_configure(config):
    config.addinivalue_line("markers", "documents: needs the guides whose programs it runs: STEPSCOPE_DOCUMENTS=dir")
    subprocess.run([ROOT / "tests" / "unpack-data", UNPACKED], check=True)


def pytest_collection_modifyitems(config, items):
    """The guides are other people's: a run without STEPSCOPE_DOCUMENTS leaves their programs out."""
    if os.environ.get("STEPSCOPE_DOCUMENTS"):
        return
    left_out = [item for item in items if item.get_closest_marker("documents")]
    items[:] = [item for item in items if item not in left_out]
    config.hook.pytest_deselected(items=left_out)


@pytest.fixture(scope="session")
def examples():
    return EXAMPLES


@pytest.fixture(scope="session")
def data():
    """What the archives of tests/data hold."""
    return UNPACKED


@pytest.fixture(autouse=True)
def in_the_checkout(monkeypatch):
    monkeypatch.chdir(ROOT)


@pytest.fixture(scope="session")
def has_page():
    """Whether this build carries the page: release builds and wheels do."""
    import stepscope

    try:
        stepscope.open(EXAMPLES / "cudagraph_infer.pt.trace.json.gz", progress=False).save_html("/dev/null")
    except stepscope.Error:
        return False
    return True
