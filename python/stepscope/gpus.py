"""Choosing GPUs before a framework takes them all.

>>> from stepscope import gpus
>>> gpus.pick(1)                                  # doctest: +SKIP
[3]
"""

import collections
import ctypes
import os
import sys
import warnings

from stepscope._errors import UsageError

Gpu = collections.namedtuple("Gpu", ("index", "uuid", "name", "memory_free", "memory_total", "utilization"))
Gpu.__doc__ = """A GPU as the driver numbers it; bytes, and per cent of the last second in which a kernel ran."""


class _Memory(ctypes.Structure):
    _fields_ = [("total", ctypes.c_ulonglong), ("free", ctypes.c_ulonglong), ("used", ctypes.c_ulonglong)]


class _Utilization(ctypes.Structure):
    _fields_ = [("gpu", ctypes.c_uint), ("memory", ctypes.c_uint)]


def _library():
    """NVML, or None where there is no driver."""
    for name in ("libnvidia-ml.so.1", "libnvidia-ml.so"):
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    return None


def _text(call, device):
    buffer = ctypes.create_string_buffer(96)
    return buffer.value.decode() if call(device, buffer, ctypes.c_uint(len(buffer))) == 0 else ""


def _gpu(nvml, index):
    device, memory, used = ctypes.c_void_p(), _Memory(), _Utilization()
    if nvml.nvmlDeviceGetHandleByIndex_v2(ctypes.c_uint(index), ctypes.byref(device)) != 0:
        return None
    if nvml.nvmlDeviceGetMemoryInfo(device, ctypes.byref(memory)) != 0:
        return None
    # Unknown on some virtual GPUs: memory decides alone then.
    if nvml.nvmlDeviceGetUtilizationRates(device, ctypes.byref(used)) != 0:
        used.gpu = 0
    uuid, name = _text(nvml.nvmlDeviceGetUUID, device), _text(nvml.nvmlDeviceGetName, device)
    return Gpu(index, uuid, name, memory.free, memory.total, used.gpu)


def all():
    """Every GPU of this machine, by the driver's number; empty where there is none. Loads no framework."""
    nvml = _library()
    if nvml is None or nvml.nvmlInit_v2() != 0:
        return []
    try:
        count = ctypes.c_uint()
        if nvml.nvmlDeviceGetCount_v2(ctypes.byref(count)) != 0:
            return []
        found = [_gpu(nvml, index) for index in range(count.value)]
        return [gpu for gpu in found if gpu is not None]
    finally:
        nvml.nvmlShutdown()


def _allowed(gpus):
    """Those that an earlier CUDA_VISIBLE_DEVICES leaves."""
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    if visible is None:
        return gpus
    wanted = [entry.strip() for entry in visible.split(",") if entry.strip()]
    return [
        gpu
        for gpu in gpus
        if any(str(gpu.index) == entry or (entry.startswith("GPU-") and gpu.uuid.startswith(entry)) for entry in wanted)
    ]


def _too_late():
    """The framework of this process that has looked at the GPUs already, or None."""
    torch = sys.modules.get("torch")
    if torch is not None and hasattr(torch, "cuda") and torch.cuda.is_initialized():
        return "PyTorch"
    tensorflow = sys.modules.get("tensorflow")
    if tensorflow is not None:
        context = sys.modules.get("tensorflow.python.eager.context")
        made = getattr(context, "_context", None)
        if made is not None and getattr(made, "_initialized", False):
            return "TensorFlow"
    bridge = sys.modules.get("jax._src.xla_bridge")
    if bridge is not None and getattr(bridge, "_backends", None):
        return "JAX"
    return None


def pick(n=1, *, quiet=False):
    """Makes the ``n`` least used GPUs the only ones this process sees, and returns their numbers.

    Least used is: lowest utilization in steps of ten per cent, then most free memory. Sets ``CUDA_VISIBLE_DEVICES``
    (and ``CUDA_DEVICE_ORDER``, so that numbers mean what the driver means); an earlier ``CUDA_VISIBLE_DEVICES`` limits
    the choice. Call it before a framework has looked at the GPUs: where it is too late, nothing is changed for that
    framework, and a RuntimeWarning says so. Prints what it chose unless ``quiet``.

    Raises UsageError where there are not so many GPUs; ``n=0`` hides all of them.
    """
    if not isinstance(n, int) or isinstance(n, bool) or n < 0:
        raise UsageError(f"pick() takes a number of GPUs, not {n!r}")
    late = _too_late()
    found = _allowed(all())
    if len(found) < n:
        raise UsageError(
            f"{n} GPUs are wanted and {len(found)} are there", next_step="pick fewer, or see stepscope doctor"
        )
    order = sorted(found, key=lambda gpu: (gpu.utilization // 10, -gpu.memory_free, gpu.index))
    chosen = sorted(gpu.index for gpu in order[:n])
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
    os.environ["CUDA_VISIBLE_DEVICES"] = ",".join(map(str, chosen))
    if late:
        warnings.warn(
            f"{late} has looked at the GPUs already and keeps those it saw; call stepscope.gpus.pick() before the first "
            f"use of {late}",
            RuntimeWarning,
            stacklevel=2,
        )
    elif not quiet:
        for gpu in (gpu for gpu in order[:n]):
            print(
                f"GPU {gpu.index} ({gpu.name}): {gpu.memory_free / 2**30:.1f} of {gpu.memory_total / 2**30:.1f} GiB free, "
                f"{gpu.utilization} % busy"
            )
    return chosen
