"""Steps before, in and after a window of torch.profiler that the program starts itself: what the recorder's window is
compared with. Prints the median step of each part as JSON."""

import json
import statistics
import sys
import time

import torch

own = sys.argv[1] == "own"
layers = []
for _ in range(24):
    layers += [torch.nn.Linear(256, 256), torch.nn.GELU(), torch.nn.LayerNorm(256)]
model = torch.nn.Sequential(*layers).cuda()
optimizer = torch.optim.AdamW(model.parameters(), foreach=True)
data = torch.randn(64, 256, device="cuda")
times = []
profiler = None
for i in range(600):
    start = time.perf_counter()
    optimizer.zero_grad(set_to_none=True)
    model(data).square().mean().backward()
    torch.cuda.synchronize()
    optimizer.step()
    times.append((time.perf_counter() - start) * 1e3)
    if own and i == 300:
        activities = [torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.CUDA]
        profiler = torch.profiler.profile(activities=activities, record_shapes=True,
                                          schedule=lambda _: torch.profiler.ProfilerAction.RECORD)
        profiler.start()
    elif own and profiler is not None and i < 331:
        profiler.step()
    if own and i == 331:
        profiler.stop()
        kernels = sum(e.device_type() == torch.autograd.DeviceType.CUDA for e in profiler.profiler.kineto_results.events())
median = statistics.median
print(json.dumps({"before": median(times[100:300]), "in": median(times[305:329]), "after": median(times[400:])}
                 | ({"kernels": kernels} if own else {})))
