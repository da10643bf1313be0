"""The recorder switched off and on in turn inside one program, so that drift hits both sides: pairs of neighbouring rounds, the
order of each pair turned round. Prints JSON. Run under `stepscope record`, `native` with --native.

    toggled.py native|hook|samples launch_bound|resnet|resnet_large PAIRS STEPS_A_ROUND

A round is the median of its steps, each waited for: a machine that others use, too, has slow steps of its own.

native: the library that CUDA loads. hook: what marks steps, with the sampling parent stopped. samples: that parent, with the
hook off."""

import ctypes
import json
import os
import signal
import statistics
import sys
import time

import loops
import torch

what, loop, pairs, steps = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
parent = os.getppid()
recorder = sys.modules["_stepscope_hook"]._recorder


def switch(on):
    if what == "native":
        library.StepscopeResume() if on else library.StepscopePause()
    elif what == "hook":
        recorder.closed = not on
    else:
        os.kill(parent, signal.SIGCONT if on else signal.SIGSTOP)


def rounds(on):
    switch(on)
    for _ in range(3):  # what switching itself costs is not the question
        step()
    torch.cuda.synchronize()
    times = []
    for _ in range(steps):
        start = time.perf_counter()
        step()
        torch.cuda.synchronize()
        times.append((time.perf_counter() - start) * 1e3)
    return statistics.median(times)


if what == "native":
    library = ctypes.CDLL(os.environ["CUDA_INJECTION64_PATH"])
else:
    recorder.done = True  # no window
if what == "hook":
    os.kill(parent, signal.SIGSTOP)
if what == "samples":
    recorder.closed = True
step = getattr(loops, loop)()
try:
    for _ in range(30):
        step()
    torch.cuda.synchronize()
    off, on = [], []
    for pair in range(pairs):
        for side in ((False, True), (True, False))[pair % 2]:
            (on if side else off).append(rounds(side))
finally:
    os.kill(parent, signal.SIGCONT)
print(json.dumps({"off_ms": loops.median_with_interval(off), "on_ms": loops.median_with_interval(on),
                  "percent": loops.median_with_interval([100 * (b / a - 1) for a, b in zip(off, on)]),
                  "pairs": pairs, "off": off, "on": on}))
