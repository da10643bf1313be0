"""Wrong types, wrong files, closed profiles, Ctrl-C, many threads: exceptions, never a crash."""

import os
import signal
import subprocess
import sys
import threading
import time

import pytest

import stepscope

SMALL = "examples/cudagraph_infer.pt.trace.json.gz"


def test_missing_file():
    with pytest.raises(stepscope.ReadError) as caught:
        stepscope.open("/no/such/file")
    assert caught.value.file == "/no/such/file"
    assert caught.value.offset is None
    assert "/no/such/file: " in str(caught.value)
    assert isinstance(caught.value, stepscope.Error)


def test_the_sentence_is_that_of_the_command_line(tmp_path):
    from stepscope._binary import program

    wrong = tmp_path / "picture.png"
    wrong.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(100))
    with pytest.raises(stepscope.ReadError) as caught:
        stepscope.open(wrong)
    told = subprocess.run([program(), "report", str(wrong)], capture_output=True, text=True).stderr
    assert told == f"stepscope report: {caught.value}\n"
    assert caught.value.next_step


@pytest.mark.parametrize("content", [b"", b"{}", b"[1,2]", b"\x1f\x8b broken", bytes(1000), b'{"traceEvents": 5}', b"\xff" * 70_000])
def test_bytes_that_are_no_profile(content):
    with pytest.raises(stepscope.ReadError) as caught:
        stepscope.open(content)
    assert caught.value.file == "<bytes>"


@pytest.mark.parametrize("wrong", [None, 5, 2.5, object(), {"path": 1}, [None], [5]])
def test_wrong_types(wrong):
    with pytest.raises(TypeError):
        stepscope.open(wrong)


def test_wrong_options():
    with pytest.raises(ValueError):
        stepscope.open([])
    with pytest.raises(ValueError):
        stepscope.open(SMALL, threads=-1)
    with pytest.raises(ValueError):
        stepscope.open(SMALL, threads="many")
    with pytest.raises(TypeError):
        stepscope.open(SMALL, progress=7)
    with pytest.raises(stepscope.ReadError):
        stepscope.open("a\udc80b")  # a name that is no UTF-8
    with pytest.raises(TypeError):
        stepscope.open(SMALL, run=5)


def test_a_cut_file_is_read_up_to_the_cut():
    with open(SMALL, "rb") as file:
        whole = file.read()
    report = stepscope.open(whole[: len(whole) * 2 // 3]).report()
    assert any(entry.severity == "error" for entry in report.quality)


def test_a_closed_profile(tmp_path):
    profile = stepscope.open(SMALL)
    start = profile.slices["start_ns"]
    kernels = profile.kernels
    total = int(start.sum())
    profile.close()
    profile.close()
    for use in (
        profile.report,
        lambda: profile.ops,
        lambda: profile.findings,
        lambda: profile.view("scope"),
        lambda: profile.timeline(tmp_path / "never.json"),
        lambda: profile.save_html(tmp_path / "never.html"),
        lambda: len(profile),
    ):
        with pytest.raises(ValueError, match="closed"):
            use()
    assert profile.closed and "closed" in repr(profile)
    # What was taken from it stays.
    assert int(start.sum()) == total and len(kernels["name"]) == len(kernels)
    with pytest.raises(ValueError, match="closed"):
        with profile:
            profile.report()


def test_columns_cannot_be_changed():
    profile = stepscope.open(SMALL)
    with pytest.raises(ValueError):
        profile.slices["start_ns"][0] = 1
    with pytest.raises(TypeError):
        profile.slices.buffer("start_ns")[0] = 1
    with pytest.raises(KeyError, match="start_ns"):
        profile.slices["start"]
    with pytest.raises(TypeError, match="numbers"):
        profile.slices.codes("start_ns")


def test_output_that_cannot_be_written(tmp_path):
    profile = stepscope.open(SMALL)
    for write in (profile.timeline, profile.save_html):
        with pytest.raises(stepscope.WriteError):
            write("/no/such/folder/out.json")
    with pytest.raises(TypeError):
        profile.timeline(None)
    with pytest.raises(stepscope.UsageError, match="epoch"):
        profile.timeline(tmp_path / "never.json", align="sideways")


@pytest.fixture
def endless(tmp_path):
    """A trace that never ends: a pipe that a thread of this process goes on filling until the reader has left."""
    path = tmp_path / "endless.json"
    os.mkfifo(path)
    event = '{"ph":"X","cat":"cpu_op","name":"aten::add","pid":1,"tid":1,"ts":1,"dur":1,"args":{"text":"' + "x" * 4000 + '"}},'
    block = (event * 64).encode()

    def fill():
        with open(path, "wb", buffering=0) as pipe:
            try:
                pipe.write(b"[")
                while True:
                    pipe.write(block)
            except BrokenPipeError:
                pass

    writer = threading.Thread(target=fill)
    writer.start()
    yield path
    writer.join(timeout=60)
    assert not writer.is_alive()


def test_a_callback_that_raises_stops_the_read(endless):
    """The pipe is filled by Python code meanwhile: the GIL is released."""
    told = []

    def complain(share, what):
        told.append(what)
        if len(told) == 3:
            raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        stepscope.open(endless, threads=1, progress=complain)
    assert told == ["reading"] * 3


def start_reading(path):
    """A process that says when it reads and when it is interrupted."""
    code = f"""
import signal, stepscope
signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background starts with it ignored
print("reading", flush=True)
try:
    stepscope.open({str(path)!r})
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""
    return subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)


def test_ctrl_c_stops_a_long_read(endless):
    child = start_reading(endless)
    assert child.stdout.readline() == "reading\n"
    threading.Timer(1.0, lambda: os.kill(child.pid, signal.SIGINT)).start()
    out, _ = child.communicate(timeout=60)
    assert out == "interrupted\n" and child.returncode == 0


@pytest.mark.parametrize("writer", [False, True], ids=["nobody writes", "the writer is silent"])
def test_ctrl_c_stops_waiting_for_a_pipe(tmp_path, writer):
    path = tmp_path / "silent.json"
    os.mkfifo(path)
    child = start_reading(path)
    pipe = os.open(path, os.O_WRONLY) if writer else -1
    assert child.stdout.readline() == "reading\n"
    time.sleep(0.5)
    sent = time.monotonic()
    os.kill(child.pid, signal.SIGINT)
    out, _ = child.communicate(timeout=60)
    assert out == "interrupted\n" and child.returncode == 0
    assert time.monotonic() - sent < 5
    if writer:
        os.close(pipe)
