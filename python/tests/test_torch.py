"""The PyTorch recorders on the CPU; h200_handlers.py runs them on a GPU."""

import glob
import os
import warnings

import pytest

torch = pytest.importorskip("torch", reason="SKIPPED LOUDLY: PyTorch is not installed; its recorders were not tested")

import stepscope  # noqa: E402
import stepscope.torch  # noqa: E402


def step(model=torch.nn.Linear(64, 64), data=torch.ones(32, 64)):
    model(data).sum().backward()


def test_handler(tmp_path, capsys, has_page):
    handler = stepscope.torch.report_handler(tmp_path, "worker", html=has_page)
    schedule = torch.profiler.schedule(wait=1, warmup=1, active=3, repeat=1)
    with torch.profiler.profile(schedule=schedule, on_trace_ready=handler, record_shapes=True) as p:
        for _ in range(5):
            step()
            p.step()
    assert len(handler.paths) == 1 and os.path.basename(handler.paths[0]).startswith("worker.")
    assert "stepscope: " in capsys.readouterr().out
    report = handler.report
    assert handler.profile.report() == report
    if torch.autograd.kineto_available():  # builds without it (Debian's) record neither steps nor kinds of ops
        assert report.profile.framework == "PyTorch"
        assert report.steps.count in (2, 3)
        assert any(op["name"] == "aten::linear" for op in report.ops)
    assert len(glob.glob(f"{tmp_path}/*.html")) == has_page


def test_context_manager(tmp_path):
    with stepscope.torch.profile(wait=0, warmup=1, active=2, repeat=2, directory=tmp_path, html=False, quiet=True) as p:
        for _ in range(6):
            step()
            p.step()
    assert len(p.paths) == 2
    assert p.report.verdict.sentence and p.profile is not None
    assert stepscope.open(p.paths[0]).report()["schema"]


def test_too_few_steps(tmp_path):
    with pytest.warns(RuntimeWarning, match="nothing was recorded: 7 steps are needed and step\\(\\) was called 1 times"):
        with stepscope.torch.profile(wait=4, warmup=1, active=2, directory=tmp_path) as p:
            step()
            p.step()
    assert p.report is None and p.profile is None
    with pytest.raises(ValueError, match="active"):
        stepscope.torch.profile(active=0)


def test_the_loop_fails_on_its_own(tmp_path):
    """An exception of the loop goes through; nothing is added to it."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(KeyError):
            with stepscope.torch.profile(directory=tmp_path):
                raise KeyError("mine")


def test_an_unwritable_directory_is_a_warning(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.warns(RuntimeWarning, match="could not write the trace") as told:
        with stepscope.torch.profile(wait=0, warmup=0, active=1, directory=tmp_path / "file" / "below", quiet=True) as p:
            step()
            p.step()
    assert p.report is None and p.profile is None
    assert sum(each.category is RuntimeWarning for each in told) == 1


def test_a_second_profiler_is_a_warning(tmp_path):
    with torch.profiler.profile():
        with pytest.warns(RuntimeWarning, match="could not start torch.profiler: another profiler is running"):
            with stepscope.torch.profile(directory=tmp_path) as p:
                step()
                p.step()
    assert p.report is None and p.profiler is None


def test_many_cycles_keep_no_profile_open(tmp_path):
    handler = stepscope.torch.report_handler(tmp_path, html=False, quiet=True)
    schedule = torch.profiler.schedule(wait=0, warmup=0, active=1, repeat=5)
    with torch.profiler.profile(schedule=schedule, on_trace_ready=handler) as p:
        for _ in range(5):
            step()
            p.step()
    assert len(handler.paths) == 5 and handler._profile is None
    assert handler.report is not None and handler.profile.report() == handler.report


def test_record_uses_the_hook_of_the_command_line(tmp_path):
    model = torch.nn.Linear(64, 64)
    optimizer = torch.optim.SGD(model.parameters(), 0.01)
    with stepscope.record(steps=3, directory=tmp_path / "run", quiet=True) as recording:
        for _ in range(8):
            model(torch.ones(32, 64)).sum().backward()
            optimizer.step()
    assert recording.report.recording.step_source == "optimizer"
    assert len(recording.report.recording.steps) == 7
    assert [each.profiled for each in recording.report.recording.steps].count(True) == 3


def test_record_counts_the_steps_that_the_program_marks(tmp_path):
    """A batch of the loader and the optimizer mark steps too, and before the program does: they must not begin the window."""
    model = torch.nn.Linear(64, 64)
    optimizer = torch.optim.SGD(model.parameters(), 0.01)
    loader = torch.utils.data.DataLoader(torch.ones(8 * 4, 64), batch_size=4)
    with stepscope.record(steps=3, directory=tmp_path / "run", quiet=True) as recording:
        for batch in loader:
            model(batch).sum().backward()
            optimizer.step()
            recording.step()
    assert recording.report.recording.step_source == "given"
    assert recording.report.steps.count == 3
    assert len(recording.report.recording.steps) == 7
