"""Progress while a long file is read: a line on a terminal, a bar in a notebook, nothing where nobody looks."""

import os
import pty
import subprocess
import sys
import threading

import pytest

import stepscope

EVENT = b'{"ph":"X","cat":"cpu_op","name":"aten::add","pid":1,"tid":1,"ts":%d,"dur":1,"args":{"text":"' + b"x" * 4000 + b'"}},\n'
# A trace that takes a second and a half to arrive. Runs in the process that reads it, or in another.
SLOW = f"""
import os, threading, time
def feed(path):
    with open(path, "wb", buffering=0) as pipe:
        pipe.write(b"[")
        for i in range(15):
            pipe.write(b"".join({EVENT!r} % (i * 1000 + j) for j in range(1000)))
            time.sleep(0.1)
        pipe.write(b'{{"ph":"X","name":"last","pid":1,"tid":1,"ts":99999,"dur":1}}]')
"""


@pytest.fixture
def slow(tmp_path):
    """The path of a pipe that a thread of this process fills."""
    path = tmp_path / "slow.json"
    os.mkfifo(path)
    names = {}
    exec(SLOW, names)
    writer = threading.Thread(target=names["feed"], args=(path,))
    writer.start()
    yield path
    writer.join(timeout=60)


def test_a_function_is_told(slow):
    told = []
    profile = stepscope.open(slow, progress=lambda share, what: told.append((share, what)))
    assert len(profile.slices) == 15_001
    assert told and all(0 <= share <= 1 and what == "reading" for share, what in told)


def drawn(slow, stderr):
    code = f"import stepscope; print(len(stepscope.open({str(slow)!r}).slices))"
    return subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=stderr, text=True)


def test_a_line_on_a_terminal(slow):
    master, terminal = pty.openpty()
    child = drawn(slow, terminal)
    os.close(terminal)
    shown = b""
    while True:
        try:
            piece = os.read(master, 4096)
        except OSError:  # the other end is closed
            break
        if not piece:
            break
        shown += piece
    os.close(master)
    assert child.communicate(timeout=60)[0] == "15001\n"
    text = shown.decode()
    assert text.count("reading") >= 3 and " %" in text
    assert text.endswith("\r\x1b[2K")  # wiped at the end


def test_nothing_where_nobody_looks(slow):
    out, shown = drawn(slow, subprocess.PIPE).communicate(timeout=60)
    assert out == "15001\n" and shown == ""


def test_a_bar_in_a_notebook(tmp_path):
    nbformat = pytest.importorskip("nbformat", reason="SKIPPED: nbformat is not installed")
    nbclient = pytest.importorskip("nbclient", reason="SKIPPED: nbclient is not installed")
    pytest.importorskip("ipykernel", reason="SKIPPED: ipykernel is not installed")
    path = tmp_path / "slow.json"
    os.mkfifo(path)
    seen = []

    class Client(nbclient.NotebookClient):
        def process_message(self, msg, cell, cell_index):
            seen.append((msg["msg_type"], msg["content"].get("data", {}).get("text/html", "")))
            return super().process_message(msg, cell, cell_index)

    cell = SLOW + (
        f"threading.Thread(target=feed, args=({str(path)!r},)).start()\n"
        f"import stepscope\nlen(stepscope.open({str(path)!r}).slices)"
    )
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell)])
    Client(notebook, timeout=120, kernel_name="python3").execute()
    bars = [html for kind, html in seen if kind in ("display_data", "update_display_data")]
    assert "<progress" in bars[0] and "reading" in bars[0] and len(bars) >= 3
    assert bars[-1] == ""  # gone when it is done
    assert notebook.cells[0].outputs[-1]["data"]["text/plain"] == "15001"
