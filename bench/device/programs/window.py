"""Steps before, in and after one window: "own" opens torch.profiler itself, "recorded" leaves it to `stepscope record --steps
201-220`, "bare" has none. Prints JSON: the median step of each part, and when the program ended."""

import json
import statistics
import sys
import time

import loops
import torch

own = sys.argv[1] == "own"
step = loops.launch_bound()
times = []
for i in range(520):
    start = time.perf_counter()
    step()
    torch.cuda.synchronize()
    times.append((time.perf_counter() - start) * 1e3)
    if own and i == 201:
        activities = [torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.CUDA]
        profiler = torch.profiler.profile(activities=activities, record_shapes=True,
                                          schedule=lambda _: torch.profiler.ProfilerAction.RECORD)
        profiler.start()
    elif own and 201 < i < 221:
        profiler.step()
    elif own and i == 221:
        profiler.stop()
median = statistics.median
print(json.dumps({"before": median(times[60:200]), "in": median(times[206:219]), "after": median(times[260:]), "end": time.time()}))
