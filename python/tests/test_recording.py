"""``stepscope.record``, what callbacks share, and the pytest plugin: none of it raises into training."""

import os
import time
import warnings

import pytest

import stepscope
from stepscope._loop import Loop
from stepscope._told import harmless

pytest_plugins = ["pytester"]


def work(recording, steps=8):
    for _ in range(steps):
        time.sleep(0.004)
        recording.step()


def test_steps_are_timed(tmp_path, capsys):
    with stepscope.record(directory=tmp_path / "run") as recording:
        work(recording)
    assert capsys.readouterr().out.startswith("stepscope: ")
    times = recording.report.recording.steps
    assert [step.number for step in times] == list(range(7))  # from the end of the first
    assert all(step.duration_ns >= 4_000_000 for step in times)
    assert recording.report.recording.step_source == "given"
    assert recording.profile.report().recording.steps == times
    assert (tmp_path / "run" / "recording.ssrec").exists()


def test_it_can_be_done_again(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for expected in ("stepscope-run", "stepscope-run-2"):
        with stepscope.record(quiet=True) as recording:
            work(recording, 4)
        assert recording.directory == expected and len(recording.report.recording.steps) == 3


def test_what_goes_wrong_is_a_warning(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.warns(RuntimeWarning, match="could not record"):
        with stepscope.record(directory=tmp_path / "file" / "below") as recording:
            work(recording, 2)
    assert recording.report is None and recording.profile is None
    with stepscope.record(directory=tmp_path / "outer", quiet=True):
        with pytest.warns(RuntimeWarning, match="recorded already"):
            with stepscope.record(directory=tmp_path / "inner"):
                pass


def test_wrong_options_are_said_at_once():
    for steps in (0, -1, "five", (3, 2), (1, 2, 3)):
        with pytest.raises(ValueError, match="steps is a number"):
            stepscope.record(steps=steps)


def test_an_exception_goes_through_and_the_next_recording_works(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(KeyError):
            with stepscope.record(directory=tmp_path / "a") as recording:
                recording.step()
                raise KeyError("mine")
        with stepscope.record(directory=tmp_path / "b", quiet=True) as recording:
            work(recording, 4)
    assert len(recording.report.recording.steps) == 3


def test_warnings_point_at_the_program_and_never_raise(tmp_path, capsys):
    @harmless("count")
    def fails():
        raise OSError("no")

    with pytest.warns(RuntimeWarning, match="stepscope could not count: no") as seen:
        fails()
    assert seen[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert fails() is None
    assert "could not count: no" in capsys.readouterr().err


def test_a_loop_that_an_exception_left_open_ends(tmp_path):
    left = Loop(directory=tmp_path / "left", quiet=True)
    left.start()
    left.step()
    following = Loop(directory=tmp_path / "following", quiet=True)
    following.start()
    for _ in range(4):
        following.step()
    following.stop()
    assert left.report is None and len(following.report.recording.steps) == 3


# ---- pytest

TEST = """
import os, time, pytest
@pytest.mark.stepscope(baseline="baselines/step.json", threshold=0.2)
def test_step(stepscope_steps):
    for _ in range(12):
        time.sleep(float(os.environ["NAP"]))
        stepscope_steps.step()
"""


def test_the_plugin_fails_a_slower_step(pytester, monkeypatch):
    pytester.makeconftest('pytest_plugins = ["stepscope.pytest"]')
    pytester.makepyfile(TEST)
    monkeypatch.setenv("NAP", "0.004")
    missing = pytester.runpytest_subprocess()
    missing.assert_outcomes(failed=1)
    missing.stdout.fnmatch_lines(["*there is no baseline*--stepscope-update*"])
    pytester.runpytest_subprocess("--stepscope-update").assert_outcomes(passed=1)
    assert os.path.exists(pytester.path / "baselines" / "step.json")
    pytester.runpytest_subprocess().assert_outcomes(passed=1)
    monkeypatch.setenv("NAP", "0.012")
    slower = pytester.runpytest_subprocess()
    slower.assert_outcomes(failed=1)
    slower.stdout.fnmatch_lines(["*the steps got slower than baselines/step.json*"])


def test_the_plugin_says_what_is_missing(pytester):
    pytester.makeconftest('pytest_plugins = ["stepscope.pytest"]')
    pytester.makepyfile("import pytest\n@pytest.mark.stepscope(baseline='b', treshold=1)\ndef test_it(stepscope_steps): pass\n")
    pytester.runpytest_subprocess().stdout.fnmatch_lines(["*mark test_it with stepscope(baseline=*"])
