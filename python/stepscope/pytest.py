"""pytest: a test fails when its step got slower than its baseline.

In ``conftest.py``: ``pytest_plugins = ["stepscope.pytest"]``. Then::

    @pytest.mark.stepscope(baseline="baselines/train.json", threshold=0.05)
    def test_step_time(stepscope_steps):
        for batch in batches:
            train(batch)
            stepscope_steps.step()

``pytest --stepscope-update`` writes the baselines. Without it the steps are compared with them as ``stepscope diff`` does
(docs/diff.md): the test fails when the steps are slower by more than the threshold and noise does not explain it. One run proves
nothing about a host, so the test runs several times (``runs=5``), each a run of its own.
"""

import os
import subprocess

import pytest

from stepscope._binary import program
from stepscope._diff import diff
from stepscope._recording import record

_MARKER = "stepscope"
_OPTIONS = {"baseline", "threshold", "alpha", "force", "runs"}


def pytest_addoption(parser):
    parser.getgroup("stepscope").addoption(
        "--stepscope-update", action="store_true", help="write the baselines of tests marked with stepscope(baseline=…)"
    )


def pytest_configure(config):
    config.addinivalue_line(
        "markers", f"{_MARKER}(baseline, threshold=0.03, alpha=0.05, runs=5): fails when the steps got slower than the baseline"
    )


class Steps:
    """What the fixture gives: the recordings of a test, one for each run of it."""

    def __init__(self, folder):
        self._folder = folder
        self._recording = None
        self.directories = []

    def run(self):
        """A context manager around one run."""
        name = os.path.join(self._folder, f"run-{len(self.directories) + 1}")
        self.directories.append(name)
        self._recording = record(directory=name, quiet=True)
        return self._recording

    def step(self):
        """Says that a step has ended."""
        if self._recording is not None:
            self._recording.step()


@pytest.fixture
def stepscope_steps(tmp_path):
    """Call ``step()`` at the end of each step, or let the framework's hooks mark them."""
    return Steps(tmp_path)


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem):
    """Runs a marked test several times and judges it; others run as always."""
    marker = pyfuncitem.get_closest_marker(_MARKER)
    if marker is None:
        return None
    options = marker.kwargs
    unknown = set(options) - _OPTIONS
    if "baseline" not in options or unknown or marker.args:
        raise pytest.UsageError(f"mark {pyfuncitem.name} with stepscope(baseline=…); it takes {', '.join(sorted(_OPTIONS))}")
    steps = pyfuncitem.funcargs.get("stepscope_steps")
    if steps is None:
        raise pytest.UsageError(f"{pyfuncitem.name} is marked with stepscope and does not use the fixture stepscope_steps")
    given = {name: pyfuncitem.funcargs[name] for name in pyfuncitem._fixtureinfo.argnames}
    for _ in range(options.get("runs", 5)):
        with steps.run():
            pyfuncitem.obj(**given)
    _judge(pyfuncitem, options, steps.directories)
    return True


def _judge(item, options, directories):
    """Compares what the test recorded with its baseline, or writes that."""
    baseline = os.path.join(os.path.dirname(str(item.path)), options["baseline"])
    if item.config.getoption("--stepscope-update"):
        _write(directories, baseline)
        return
    if not os.path.exists(baseline):
        pytest.fail(f"there is no baseline {baseline}: write it with pytest --stepscope-update", pytrace=False)
    rest = {name: value for name, value in options.items() if name in ("threshold", "alpha", "force")}
    compared = diff(baseline, directories, progress=False, **rest)
    item.add_report_section("call", "stepscope", str(compared))
    if compared.verdict.result == "slower":
        pytest.fail(f"the steps got slower than {options['baseline']}: {compared.verdict.sentence}", pytrace=False)


def _write(directories, baseline):
    os.makedirs(os.path.dirname(baseline) or ".", exist_ok=True)
    if os.path.exists(baseline):
        os.remove(baseline)
    done = subprocess.run([program(), "diff", "--save-baseline", baseline, *directories], capture_output=True, text=True)
    if done.returncode:
        pytest.fail(f"the baseline could not be written: {done.stderr.strip()}", pytrace=False)
