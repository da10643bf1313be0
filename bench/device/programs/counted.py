"""Fifty steps; with "own", torch.profiler sees all of them and its kernels are printed as JSON, by name."""

import collections
import contextlib
import json
import sys

import torch

model = torch.nn.Sequential(*[layer for _ in range(24) for layer in (torch.nn.Linear(256, 256), torch.nn.GELU(), torch.nn.LayerNorm(256))])
model = model.cuda()
optimizer = torch.optim.AdamW(model.parameters(), foreach=True)
data = torch.randn(64, 256, device="cuda")
torch.cuda.synchronize()
own = len(sys.argv) > 1
activities = [torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.CUDA]
with torch.profiler.profile(activities=activities) if own else contextlib.nullcontext() as profiler:
    for _ in range(50):
        optimizer.zero_grad(set_to_none=True)
        model(data).square().mean().backward()
        optimizer.step()
    torch.cuda.synchronize()
if own:
    profiler.export_chrome_trace(sys.argv[1])
    with open(sys.argv[1]) as file:
        events = json.load(file)["traceEvents"]
    print(json.dumps(collections.Counter(event["name"] for event in events if event.get("cat") == "kernel")))
