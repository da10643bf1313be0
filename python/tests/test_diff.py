"""Comparing profiles gives what the command line gives."""

import gzip
import json
import os
import subprocess

import pytest

import stepscope
from stepscope._binary import program

BASE = "examples/cudagraph_infer.pt.trace.json.gz"
NEW = "examples/nograph_infer.pt.trace.json.gz"


def another_run(path, folder):
    """A run of its own: the file with all times a thousandth longer. A copy would be the same run again."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        trace = json.load(file)
    for event in trace["traceEvents"]:
        for key in {"ts", "dur"} & event.keys():
            event[key] = round(float(event[key]) * 1.001, 3)
    made = folder / os.path.basename(path)
    with gzip.open(made, "wt", encoding="utf-8") as file:
        json.dump(trace, file)
    return made


def command_line(*arguments):
    return subprocess.run([program(), *arguments], capture_output=True, check=True).stdout


def test_is_what_the_command_line_says():
    theirs = json.loads(command_line("diff", "--json", BASE, NEW))
    assert stepscope.diff(BASE, NEW).dict() == theirs


def test_takes_open_profiles_and_lists_of_runs(tmp_path):
    base = stepscope.open(BASE)
    assert stepscope.diff(base, NEW).dict() == stepscope.diff(BASE, NEW).dict()
    many = stepscope.diff([another_run(BASE, tmp_path), base], [NEW, another_run(NEW, tmp_path)])
    assert len(many.base.runs) == 2 and len(many.new.runs) == 2
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
