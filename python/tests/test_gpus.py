"""Choosing GPUs, with an NVML that says what the test wants."""

import ctypes
import os
import subprocess
import sys

import pytest

import stepscope
from stepscope import gpus


def machine(monkeypatch, *states):
    """GPUs with (free bytes, utilization) each."""
    made = [gpus.Gpu(i, f"GPU-{i}{i}{i}", "H200", free, 100, busy) for i, (free, busy) in enumerate(states)]
    monkeypatch.setattr(gpus, "all", lambda: made)
    monkeypatch.setattr(gpus, "_too_late", lambda: None)
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    monkeypatch.setenv("CUDA_DEVICE_ORDER", "FASTEST_FIRST")


def test_least_used_first(monkeypatch, capsys):
    machine(monkeypatch, (90, 95), (50, 3), (80, 4), (99, 12))
    assert gpus.pick(2) == [1, 2]
    assert os.environ["CUDA_VISIBLE_DEVICES"] == "1,2"
    assert os.environ["CUDA_DEVICE_ORDER"] == "PCI_BUS_ID"
    assert "GPU 2 (H200)" in capsys.readouterr().out
    assert gpus.pick(1, quiet=True) == [2]
    assert capsys.readouterr().out == ""


def test_an_earlier_choice_limits(monkeypatch):
    machine(monkeypatch, (10, 0), (90, 0), (50, 0))
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0,GPU-222")
    assert gpus.pick(1, quiet=True) == [2]


def test_too_many_or_nonsense(monkeypatch):
    machine(monkeypatch, (10, 0))
    with pytest.raises(stepscope.UsageError, match="2 GPUs are wanted and 1 are there"):
        gpus.pick(2)
    for bad in (-1, 1.5, "1", True, None):
        with pytest.raises(stepscope.UsageError):
            gpus.pick(bad)
    assert gpus.pick(0, quiet=True) == [] and os.environ["CUDA_VISIBLE_DEVICES"] == ""


def test_too_late_is_said(monkeypatch):
    machine(monkeypatch, (10, 0))
    monkeypatch.setattr(gpus, "_too_late", lambda: "PyTorch")
    with pytest.warns(RuntimeWarning, match="PyTorch has looked at the GPUs already"):
        gpus.pick(1)


FAKE_NVML = r"""
#include <string.h>
typedef struct { unsigned long long total, free, used; } Memory;
typedef struct { unsigned gpu, memory; } Utilization;
int nvmlInit_v2(void) { return 0; }
int nvmlShutdown(void) { return 0; }
int nvmlDeviceGetCount_v2(unsigned* n) { *n = 3; return 0; }
int nvmlDeviceGetHandleByIndex_v2(unsigned i, void** d) { *d = (void*)(size_t)(i + 1); return i == 1 ? 3 : 0; }
int nvmlDeviceGetMemoryInfo(void* d, Memory* m) { m->total = 1000; m->free = 100 * (size_t)d; m->used = 0; return 0; }
int nvmlDeviceGetUtilizationRates(void* d, Utilization* u) { u->gpu = 7; return (size_t)d == 3 ? 3 : 0; }
int nvmlDeviceGetUUID(void* d, char* s, unsigned n) { strncpy(s, "GPU-abc", n); return 0; }
int nvmlDeviceGetName(void* d, char* s, unsigned n) { strncpy(s, "Fake H200", n); return 0; }
"""


def test_what_the_driver_says(monkeypatch, tmp_path):
    """Through ctypes, against a library with NVML's functions: one GPU is lost, one does not tell its utilization."""
    (tmp_path / "nvml.c").write_text(FAKE_NVML)
    library = tmp_path / "libnvidia-ml.so.1"
    try:
        subprocess.run(["cc", "-shared", "-fPIC", "-o", library, tmp_path / "nvml.c"], check=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("SKIPPED: no C compiler")
    real = ctypes.CDLL
    monkeypatch.setattr(ctypes, "CDLL", lambda name: real(str(library)))
    assert gpus.all() == [
        gpus.Gpu(0, "GPU-abc", "Fake H200", 100, 1000, 7),
        gpus.Gpu(2, "GPU-abc", "Fake H200", 300, 1000, 0),
    ]


def test_without_a_driver():
    program = "import stepscope; print(stepscope.gpus.all())"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment, check=True)
    assert said.stdout.startswith("[")
