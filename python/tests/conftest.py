"""What the tests share: the examples, and the larger profiles where they are beside the checkout."""

import pathlib

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
DATA = ROOT.parent / "shared" / "data"


@pytest.fixture(scope="session")
def examples():
    return EXAMPLES


@pytest.fixture(scope="session")
def data():
    """The profiles beside the checkout; tests that need them are skipped without."""
    if not DATA.is_dir():
        pytest.skip(f"SKIPPED: no profiles at {DATA}")
    return DATA


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
