"""Event files: what TensorBoard read (stored answers), what the document's own code reads, and damage."""

import collections
import json
import math
import os
import pathlib
import struct
import sys
import warnings

import pytest

import stepscope
from documents import program_with, with_imports
from stepscope import events

EVENTS = pathlib.Path(__file__).resolve().parents[2] / "build" / "data" / "tf" / "events"
LOGS = EVENTS / "logs"


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ (0x82F63B78 if crc & 1 else 0)
    crc ^= 0xFFFFFFFF
    return ((crc >> 15) | (crc << 17)) + 0xA282EAD8 & 0xFFFFFFFF


def record(data):
    size = struct.pack("<Q", len(data))
    return size + struct.pack("<I", crc32c(size)) + data + struct.pack("<I", crc32c(data))


def field(number, content):
    return bytes([number << 3 | 2, len(content)]) + content


def event(step, **values):
    summary = b"".join(field(1, field(1, tag.encode()) + b"\x15" + struct.pack("<f", v)) for tag, v in values.items())
    return record(b"\x09" + struct.pack("<d", 1.5) + b"\x10" + bytes([step]) + field(5, summary))


@pytest.fixture
def folder(tmp_path):
    """Two files of metrics; step 3 is written twice, and later values take the place of earlier ones."""
    first = record(b"\x09" + struct.pack("<d", 1.0) + field(3, b"brain.Event:2"))
    first += event(5, loss=0.5, recall=0.25) + event(3, loss=1.5, recall=0.125)
    (tmp_path / "events.out.tfevents.1.host").write_bytes(first)
    (tmp_path / "events.out.tfevents.2.host").write_bytes(event(3, loss=2.5))
    (tmp_path / "notes.txt").write_text("no events")
    return tmp_path


def test_read_eval_metrics(folder):
    got = events.read_eval_metrics(folder)
    assert isinstance(got, collections.OrderedDict)
    assert list(got.items()) == [(3, {"loss": 2.5}), (5, {"loss": 0.5, "recall": 0.25})]
    assert events.read_eval_metrics(folder / "nothing") == {}


def test_summary_iterator(folder):
    if "tensorflow" in sys.modules:
        pytest.skip("covered by test_events_with_tensorflow")
    found = list(events.summary_iterator(folder / "events.out.tfevents.1.host"))
    assert found[0].file_version == "brain.Event:2" and found[0].HasField("file_version")
    assert not found[0].HasField("summary")
    assert [e.step for e in found] == [0, 5, 3]
    value = found[1].summary.value[0]
    assert (value.tag, value.simple_value, value.HasField("simple_value"), value.HasField("histo")) == ("loss", 0.5, True, False)
    assert found[1].WhichOneof("what") == "summary"
    with pytest.raises(ValueError):
        found[1].HasField("step")
    with pytest.raises(AttributeError):
        found[1].nonsense


def test_damage_is_read_around_and_said(folder):
    path = folder / "events.out.tfevents.1.host"
    data = bytearray(path.read_bytes())
    second = data.index(b"loss")
    data[second] ^= 1
    path.write_bytes(data)
    with pytest.warns(events.DamageWarning, match="at byte"):
        assert list(events.read_eval_metrics(folder)) == [3]
    with pytest.warns(events.DamageWarning):
        assert len(list(events.summary_iterator(path))) == 2
    with pytest.raises(stepscope.ReadError) as caught:
        list(events.summary_iterator(path, strict=True))
    assert caught.value.offset and caught.value.file == str(path)


def test_wrong_input(tmp_path):
    with pytest.raises(stepscope.ReadError):
        events.summary_iterator(tmp_path / "missing")
    with pytest.raises(stepscope.Error):
        events.read(tmp_path / "missing")
    with pytest.raises(TypeError):
        events.read_eval_metrics(3)
    (tmp_path / "events.out.tfevents.1.x").write_bytes(b"nothing of the kind" * 10)
    with pytest.warns(events.DamageWarning):
        assert events.read_eval_metrics(tmp_path) == {}
    with pytest.raises(stepscope.UsageError, match="regular expression"):
        events.read(tmp_path, tag="(")


def equal(got, wanted):
    return got == wanted or (isinstance(wanted, str) and str(got) == wanted) or (math.isnan(got) and wanted != wanted)


def test_read_is_what_tensorboard_reads():
    answers = json.loads((EVENTS / "answers.json").read_text())
    log = events.read(LOGS)
    compared = 0
    for run, answer in answers["runs"].items():
        if run == "late_start":  # a START at step 0 with nothing after it: TensorBoard forgets the run, we do not
            continue
        for tag, points in answer["scalars"].items():
            series = log[run][tag]
            assert len(series) == len(points), (run, tag)
            for step, wall_time, value, point in zip(series.steps, series.wall_times, series.values, points):
                assert step == point[0] and wall_time == point[1]
                assert equal(value, float(point[2]) if isinstance(point[2], str) else point[2]), (run, tag, step)
            compared += len(points)
    assert compared > 50
    assert len(events.read(LOGS, tag="^loss$")) == len(log)


def test_tensors_are_read_when_asked_for():
    with pytest.warns(UserWarning, match="tensors=True"):
        assert events.read_eval_metrics(LOGS / "new") == {}
    metrics = events.read_eval_metrics(LOGS / "new", tensors=True)
    series = events.read(LOGS / "new")["."]
    assert metrics and all(tag in series for values in metrics.values() for tag in values)


def test_columns_go_to_numpy_without_a_copy(folder):
    numpy = pytest.importorskip("numpy", reason="SKIPPED: numpy is not installed")
    series = events.read(folder)["."]["recall"]
    array = numpy.asarray(series.values)
    assert array.dtype == numpy.float64 and list(array) == [0.25, 0.125][: len(array)]
    assert numpy.shares_memory(array, numpy.asarray(series.values))
    assert list(series)[0] == (series.steps[0], series.values[0])


def document_code(tf_line):
    """read_eval_metrics of the document itself, with another import line."""
    names = {"__name__": "document", "print": lambda *_: None}
    exec(with_imports(program_with("def read_eval_metrics", "_summaries"), tensorflow=tf_line), names)
    return names["read_eval_metrics"]


def same_metrics(a, b):
    return list(a) == list(b) and all(
        list(a[s]) == list(b[s]) and all(equal(a[s][t], b[s][t]) for t in a[s]) for s in a
    )


@pytest.mark.documents
def test_the_document_code_runs_on_our_iterator():
    import glob
    import types

    tf = types.SimpleNamespace(
        gfile=types.SimpleNamespace(Exists=os.path.exists, Glob=lambda p: sorted(glob.glob(p))),
        train=types.SimpleNamespace(summary_iterator=events.summary_iterator),
    )
    sys.modules["document_tf"] = tf
    theirs = document_code("import document_tf as tf")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for run in sorted(p for p in LOGS.rglob("*") if p.is_dir()):
            assert same_metrics(events.read_eval_metrics(run), theirs(str(run))), run


@pytest.mark.documents
def test_events_with_tensorflow():
    tf = pytest.importorskip("tensorflow", reason="SKIPPED LOUDLY: TensorFlow is not installed; make peers brings it")
    import types

    iterator = tf.compat.v1.train.summary_iterator
    # TensorFlow lists files in no particular order; where a step is in two of them, the result would depend on it.
    gfile = types.SimpleNamespace(Exists=tf.io.gfile.exists, Glob=lambda pattern: sorted(tf.io.gfile.glob(pattern)))
    sys.modules["document_tf"] = types.SimpleNamespace(gfile=gfile, train=tf.compat.v1.train)
    theirs = document_code("import document_tf as tf")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for run in sorted(p for p in LOGS.rglob("*") if p.is_dir()):
            assert same_metrics(events.read_eval_metrics(run), theirs(str(run))), run
            for file in run.glob("*tfevents*"):
                assert list(events.summary_iterator(file)) == list(iterator(str(file))), file
