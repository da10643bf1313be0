"""Every stored answer of TensorFlow's profiler, through the Python interface, byte for byte; no TensorFlow needed."""

import functools
import gzip
import json
import os
import pathlib

import pytest

from stepscope.tensorflow import profiler, timeline

ROOT = pathlib.Path(__file__).resolve().parents[2]
OWN = ROOT / "tests" / "tfprof"
ALL = ROOT / "build" / "data" / "tf"

# Of the command line that made the answers; Python's own builder has others.
DEFAULTS = {
    **{key: 0 for key in ("min_bytes", "min_micros", "min_params", "min_float_ops", "min_occurrence")},
    "max_depth": 10,
    "step": -1,
    "order_by": "name",
    "account_type_regexes": [".*"],
    "start_name_regexes": [".*"],
    "show_name_regexes": [".*"],
    "select": ["micros"],
}
METHODS = {"scope": "profile_name_scope", "graph": "profile_graph", "op": "profile_operations", "code": "profile_python"}


def content(path):
    data = path.read_bytes()
    return gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data


@functools.lru_cache(maxsize=8)
def made_profiler(folder, inputs):
    given = json.loads(inputs)
    p = profiler.Profiler(
        *(None if given.get(key) is None else folder / given[key] for key in ("graph", "op_log")),
    )
    if given.get("profile"):
        p._native.set_profile(content(folder / given["profile"]))
    for step, run in enumerate(given.get("run_meta", [])):
        p.add_step(step, folder / run)
    return p


def cases(root):
    return sorted(p for p in root.glob("*/cases/case_*.json") if p.name.count(".") == 1)


def check(path, capsys, tmp_path):
    case = json.loads(path.read_text())
    folder = path.parent.parent
    p = made_profiler(folder, json.dumps(case["inputs"], sort_keys=True))
    capsys.readouterr()
    if case["kind"] == "advise":
        p.advise()
    else:
        output = {"text": "file"}.get(case["kind"], case["kind"])
        options = {**DEFAULTS, **case["options"]}
        options["output"] = output if output == "stdout" else f"{output}:outfile={tmp_path}/out"
        getattr(p, METHODS[case["view"]])(options)
    said = capsys.readouterr()
    got = {}
    if case["kind"] in ("stdout", "advise"):
        got[".txt"] = said.out.encode()
    for file in tmp_path.iterdir():
        suffix = {"timeline": f".{file.name[4:]}.json", "pprof": ".pprof"}.get(case["kind"], ".txt")
        got[suffix] = content(file)
        os.remove(file)
    wanted = {}
    for answer in case["expect"]:
        suffix = answer[len(path.stem) :].removesuffix(".gz")
        if suffix != ".pbtxt":
            wanted[suffix] = content(path.parent / answer)
    assert got == wanted, path
    if not wanted:
        assert said.err, path


# A checkpoint cannot be given here, as it cannot in TensorFlow.
def without_checkpoint(paths):
    return [p for p in paths if "checkpoint" not in json.loads(p.read_text())["inputs"]]


def test_committed_cases(capsys, tmp_path):
    found = without_checkpoint(cases(OWN))
    assert len(found) >= 50
    for path in found:
        check(path, capsys, tmp_path)


def test_all_cases(capsys, tmp_path):
    found = without_checkpoint(cases(ALL))
    assert len(found) >= 650
    for path in found:
        check(path, capsys, tmp_path)


@pytest.mark.parametrize("root", [OWN, ALL], ids=["some", "all"])
def test_timelines(root):
    count = 0
    for answer in sorted(root.glob("*/timeline_py/*.json*")):
        run, flow, memory, op_time = answer.name.removesuffix(".gz").removesuffix(".json").rsplit(".", 3)
        file = answer.parent.parent / f"{run}.pb"
        file = file if file.exists() else file.with_suffix(".pb.gz")
        text = timeline.Timeline(content(file)).generate_chrome_trace_format(flow == "flow1", memory == "mem1", op_time)
        assert text == content(answer).decode(), answer
        count += 1
    assert count >= (24 if root == ALL else 1)
