"""Comparing profiles gives what the command line gives."""

import json
import subprocess

import pytest

import stepscope
from stepscope._binary import program

BASE = "examples/cudagraph_infer.pt.trace.json.gz"
NEW = "examples/nograph_infer.pt.trace.json.gz"


def command_line(*arguments):
    return subprocess.run([program(), *arguments], capture_output=True, check=True).stdout


def test_is_what_the_command_line_says():
    theirs = json.loads(command_line("diff", "--json", BASE, NEW))
    assert stepscope.diff(BASE, NEW).dict() == theirs


def test_takes_open_profiles_and_lists_of_runs():
    base = stepscope.open(BASE)
    assert stepscope.diff(base, NEW).dict() == stepscope.diff(BASE, NEW).dict()
    many = stepscope.diff([BASE, base], [NEW, NEW])
    assert len(many.base.runs) == 2
    assert many.settings.unit == "run"


def test_text():
    assert str(stepscope.diff(BASE, NEW)).startswith("Step")


def test_wrong_arguments():
    with pytest.raises(TypeError):
        stepscope.diff(BASE, 3)
    with pytest.raises(ValueError):
        stepscope.diff(BASE, [])
    with pytest.raises(ValueError):
        stepscope.diff(BASE, NEW, threshold=3)
    with pytest.raises(stepscope.UsageError):
        stepscope.diff(BASE, NEW, by="colour")
    with pytest.raises(stepscope.ReadError):
        stepscope.diff(BASE, "absent.json")
