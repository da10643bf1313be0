"""Windows of the recorder and windows of torch.profiler that the program opens itself, with the same options, in turn in one
program. Run under `stepscope record --every 200 --steps 20`. Prints JSON: the median step of each window and of what follows.

    windows.py ROUNDS"""

import collections
import json
import statistics
import sys
import time

import loops
import torch

rounds = int(sys.argv[1])
recorder = sys.modules["_stepscope_hook"]._recorder
step = loops.launch_bound()
median = statistics.median
activities = [torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.CUDA]
out = collections.defaultdict(list)
profiler = None
# Of each 200 steps the recorder's window takes the first twenty after its mark, the program's own begins at the hundredth.
times = {"bare": [], "ours": [], "own": []}


def close(kind):
    """The first steps of a stretch pay for the switch."""
    if len(times[kind]) > 12:
        out[kind].append(median(times[kind][4:]))
    times[kind].clear()


side = "bare"
for i in range(200 * (rounds + 1) + 60):
    start = time.perf_counter()
    step()
    torch.cuda.synchronize()
    took = (time.perf_counter() - start) * 1e3
    times[side].append(took)
    at = i % 200
    if i > 200 and at == 100:
        profiler = torch.profiler.profile(activities=activities, record_shapes=True,
                                          schedule=lambda _: torch.profiler.ProfilerAction.RECORD)
        profiler.start()
    elif profiler is not None and at == 120:
        profiler.stop()
        if not out["own_kernels"]:
            profiler.export_chrome_trace("/tmp/own.json")
            with open("/tmp/own.json") as file:
                out["own_kernels"].append(sum(event.get("cat") == "kernel" for event in json.load(file)["traceEvents"]))
        profiler = None
    elif profiler is not None:
        profiler.step()
    now = "own" if profiler is not None else "ours" if recorder.active else "bare"
    if now != side:
        close(side)
        side = now
close(side)
bare = out["bare"]
print(json.dumps({
    "ours_ms": loops.median_with_interval(out["ours"]), "own_ms": loops.median_with_interval(out["own"]),
    "ratio": loops.median_with_interval([ours / own for ours, own in zip(out["ours"], out["own"])]),
    "before_first_ms": bare[0], "after_ms": loops.median_with_interval(bare[1:]),
    "after_percent": loops.median_with_interval([100 * (after / bare[0] - 1) for after in bare[1:]]), "all": out}))
