"""pytest: a test fails when its step got slower than its baseline.

In ``conftest.py``: ``pytest_plugins = ["stepscope.pytest"]``. Then::

    @pytest.mark.stepscope(baseline="baselines/train.json", threshold=0.05)
    def test_step_time(stepscope_steps):
        for batch in batches:
            train(batch)
            stepscope_steps.step()

``pytest --stepscope-update`` writes the baselines. Without it the steps are compared with them as ``stepscope diff`` does
(docs/diff.md): the test fails when the steps are slower by more than the threshold and noise does not explain it.
"""

import os
import subprocess

import pytest

from stepscope._binary import program
from stepscope._diff import diff
from stepscope._recording import record

_MARKER = "stepscope"
_OPTIONS = {"baseline", "threshold", "alpha", "force"}
_STEPS = pytest.StashKey()


def pytest_addoption(parser):
    parser.getgroup("stepscope").addoption(
        "--stepscope-update", action="store_true", help="write the baselines of tests marked with stepscope(baseline=…)"
    )


def pytest_configure(config):
    config.addinivalue_line(
        "markers", f"{_MARKER}(baseline, threshold=0.03, alpha=0.05): fails when the steps got slower than the baseline"
    )


@pytest.fixture
def stepscope_steps(request, tmp_path):
    """Records the test; call ``step()`` at the end of each step, or let the framework's hooks mark them."""
    recording = record(directory=tmp_path / "stepscope-run", quiet=True)
    request.node.stash[_STEPS] = recording
    recording.__enter__()
    yield recording
    recording.__exit__(None, None, None)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_call(item):
    outcome = yield
    marker = item.get_closest_marker(_MARKER)
    recording = item.stash.get(_STEPS, None)
    if marker is None or outcome.excinfo is not None:
        return
    try:
        _judge(item, marker.kwargs, recording)
    except BaseException as failure:
        outcome.force_exception(failure)


def _judge(item, options, recording):
    """Compares what the test recorded with its baseline, or writes that."""
    unknown = set(options) - _OPTIONS
    if "baseline" not in options or unknown:
        raise pytest.UsageError(f"mark {item.name} with stepscope(baseline=…); it takes {', '.join(sorted(_OPTIONS))}")
    if recording is None:
        raise pytest.UsageError(f"{item.name} is marked with stepscope and does not use the fixture stepscope_steps")
    recording.__exit__(None, None, None)
    if recording.report is None:
        pytest.fail("nothing was recorded; the warnings say why", pytrace=False)
    baseline = os.path.join(os.path.dirname(str(item.path)), options["baseline"])
    if item.config.getoption("--stepscope-update"):
        _write(recording.directory, baseline)
        return
    if not os.path.exists(baseline):
        pytest.fail(f"there is no baseline {baseline}: write it with pytest --stepscope-update", pytrace=False)
    rest = {name: value for name, value in options.items() if name != "baseline"}
    compared = diff(baseline, recording.directory, progress=False, **rest)
    item.add_report_section("call", "stepscope", str(compared))
    if compared.verdict.result == "slower":
        pytest.fail(f"the steps got slower than {options['baseline']}: {compared.verdict.sentence}", pytrace=False)


def _write(directory, baseline):
    os.makedirs(os.path.dirname(baseline) or ".", exist_ok=True)
    if os.path.exists(baseline):
        os.remove(baseline)
    subprocess.run([program(), "diff", "--save-baseline", baseline, directory], check=True, stdout=subprocess.DEVNULL)
