"""Opening profiles, and what goes wrong."""

import pytest

import stepscope


def test_version_is_that_of_the_file():
    with open("VERSION") as file:
        assert stepscope.__version__ == file.read().strip()


def test_report_has_the_contract(examples):
    report = stepscope.open(examples / "resnet50_inputbound.pt.trace.json.gz").report()
    assert report["schema"] == "stepscope.report/1"
    assert report.verdict.bound_by == "input"
    assert len(report.steps["items"]) == 4


def test_missing_file():
    with pytest.raises(stepscope.ReadError) as caught:
        stepscope.open("/no/such/file")
    assert caught.value.file == "/no/such/file"
    assert caught.value.next_step


def test_closed_profile(examples):
    with stepscope.open(examples / "cudagraph_infer.pt.trace.json.gz") as profile:
        pass
    with pytest.raises(ValueError, match="closed"):
        profile.report()
