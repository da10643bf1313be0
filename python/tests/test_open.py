"""Opening profiles, the report, and what else an open profile offers."""

import json
import os
import pickle
import subprocess

import pytest

import stepscope
from stepscope._binary import program

INPUT_BOUND = "examples/resnet50_inputbound.pt.trace.json.gz"
SMALL = "examples/cudagraph_infer.pt.trace.json.gz"


@pytest.fixture(scope="module")
def profile(request):
    import pathlib

    root = pathlib.Path(__file__).resolve().parents[2]
    return stepscope.open(root / INPUT_BOUND)


def command_line(*arguments):
    return subprocess.run([program(), *arguments], capture_output=True, check=True).stdout


def test_version_is_that_of_the_file_and_of_the_program():
    with open("VERSION") as file:
        assert stepscope.__version__ == file.read().strip()
    assert command_line("--version").decode().split()[1] == stepscope.__version__


def test_report_is_what_the_command_line_says():
    ours = stepscope.open(INPUT_BOUND).report()
    theirs = json.loads(command_line("report", "--json", INPUT_BOUND))
    assert ours.dict() == theirs


def test_report_as_attributes(profile):
    report = profile.report()
    assert report.schema == "stepscope.report/1"
    assert report.verdict.bound_by == "input"
    # A member that is called like a method of dict is still the member.
    assert len(report.steps.items) == report.steps.count == 4
    with pytest.raises(AttributeError, match="verdict"):
        report.verdikt
    assert type(report.dict()["verdict"]) is dict
    assert json.loads(json.dumps(report.dict())) == report.dict()
    assert pickle.loads(pickle.dumps(report.steps)) == report.steps
    assert dict(report.verdict)["bound_by"] == "input"


def test_report_as_text():
    text = command_line("report", "--width", "100", INPUT_BOUND).decode()
    ours = str(stepscope.open(INPUT_BOUND).report())
    assert [line for line in text.splitlines()[:6]] == ours.splitlines()[:6]


def test_report_in_chinese():
    profile = stepscope.open(INPUT_BOUND)
    report = profile.report(lang="zh")
    theirs = json.loads(command_line("report", "--json", "--lang", "zh", INPUT_BOUND))
    assert report.dict() == theirs
    assert "等输入" in report.verdict.sentence
    assert report.verdict.id == profile.report().verdict.id
    assert "等输入" in report.text() and "等输入" not in report.text(lang="en")
    with pytest.raises(stepscope.UsageError, match="fr"):
        profile.report(lang="fr")


def test_bytes_are_as_good_as_a_path(profile):
    with open(INPUT_BOUND, "rb") as file:
        from_bytes = stepscope.open(file.read())
    assert from_bytes.paths == ["<bytes>"]
    there, here = profile.report().dict(), from_bytes.report().dict()
    there["profile"].pop("paths"), here["profile"].pop("paths")
    assert here == there


def test_several_are_ranks():
    both = stepscope.open([SMALL, INPUT_BOUND])
    assert len(both) == 2
    assert both.report().schema == "stepscope.reports/1"
    alone = [stepscope.open(path) for path in (SMALL, INPUT_BOUND)]
    assert len(both.slices) == sum(len(one.slices) for one in alone)
    assert both.kernels["trace"].tolist() == [0] * len(alone[0].kernels) + [1] * len(alone[1].kernels)
    for finding in both.findings:
        for item in finding.evidence:
            assert set(both.slices["event"][item.slices].tolist()) == set(item.events)


def test_view_equals_the_command_line(profile):
    view = profile.view("scope", max_depth=4, order_by="micros")
    theirs = json.loads(command_line("view", "scope", "--json", "-max_depth=4", "-order_by=micros", *profile.paths))
    assert view.data == theirs
    assert view.rows
    assert str(view).count("\n") > 3


def test_view_refuses_as_the_command_line_does(profile):
    with pytest.raises(ValueError, match="scope, graph, op or code"):
        profile.view("scoop")
    with pytest.raises(stepscope.UsageError):
        profile.view("scope", max_dept=4)
    with pytest.raises(stepscope.UsageError, match="Invalid option"):
        profile.view("scope", max_depth="deep")


def test_view_of_run_metadata(data):
    assert stepscope.open(data / "tf/conv/run_meta_0.pb").view("op", order_by="micros").rows


@pytest.mark.parametrize("name", ["out.json", "out.json.gz", "out.pftrace"])
def test_timeline(profile, tmp_path, name):
    ours, theirs = tmp_path / name, tmp_path / ("their_" + name)
    profile.timeline(ours)
    command_line("timeline", INPUT_BOUND, "-o", str(theirs))
    assert ours.stat().st_size > 1000
    if name == "out.json":
        assert len(json.loads(ours.read_text())["traceEvents"]) == len(json.loads(theirs.read_text())["traceEvents"])


def test_save_html(profile, tmp_path):
    profile.save_html(tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text()
    assert page.lstrip().lower().startswith("<!doctype html") and len(page) > 100_000


def test_import_is_lazy():
    import sys

    code = "import sys, stepscope; print('stepscope._native' in sys.modules, 'numpy' in sys.modules)"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.split() == ["False", "False"]


def test_python_dash_m():
    import sys

    out = subprocess.run([sys.executable, "-m", "stepscope", "--version"], capture_output=True, text=True, check=True)
    assert out.stdout == f"stepscope {stepscope.__version__}\n"


def test_settings_of_the_rules(tmp_path, monkeypatch):
    profile = os.path.abspath(INPUT_BOUND)
    settings = tmp_path / "stepscope.toml"
    settings.write_text('[ignore]\ninput-bound-step = "synthetic data"\n')

    def rules(**options):
        return [finding.rule for finding in stepscope.open(profile, **options).findings]

    assert rules()[0] == "input-bound-step"
    assert "input-bound-step" not in rules(config=settings)
    ignored = stepscope.open(profile, config=settings).report().dict()["rules"]["ignored"]
    assert ignored == [{"rule": "input-bound-step", "reason": "synthetic data"}]
    with pytest.raises(stepscope.ReadError):
        stepscope.open(profile, config=tmp_path / "absent.toml")

    monkeypatch.chdir(tmp_path)
    assert "input-bound-step" not in rules()
    settings.write_text("[ignore]\ninput-bound-step = 5\n")
    with pytest.raises(stepscope.UsageError) as caught:
        stepscope.open(profile)
    assert caught.value.file == "stepscope.toml"
    assert "Line 2" in str(caught.value)


def test_runs_and_their_graph_given_as_bytes_are_called_by_what_they_are():
    folder = os.path.join(os.path.dirname(__file__), "../../tests/tfprof/conv")
    given = []
    for name in ("graph.pb.gz", "run_meta_0.pb.gz"):
        with open(os.path.join(folder, name), "rb") as file:
            given.append(file.read())
    paths = stepscope.open(given, progress=False).report().profile.paths
    assert len(paths) == 2
    assert not any(path.startswith("/") for path in paths), paths
