"""The recorder's library switched off and on in turn inside one program, so that drift hits both: prints the median step of
each side as JSON. Run under `stepscope record --native`. Arguments: launch_bound or resnet, rounds, steps a round."""

import ctypes
import json
import os
import statistics
import sys
import time

import torch

kind, rounds, steps = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
if kind == "resnet":
    import torchvision

    model = torchvision.models.resnet50().cuda().to(memory_format=torch.channels_last)
    data = torch.randn(64, 3, 224, 224, device="cuda").to(memory_format=torch.channels_last)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
else:
    layers = []
    for _ in range(24):
        layers += [torch.nn.Linear(256, 256), torch.nn.GELU(), torch.nn.LayerNorm(256)]
    model = torch.nn.Sequential(*layers).cuda()
    data = torch.randn(64, 256, device="cuda")
    optimizer = torch.optim.AdamW(model.parameters(), foreach=True)


def step():
    optimizer.zero_grad(set_to_none=True)
    with torch.autocast("cuda", torch.bfloat16, enabled=kind == "resnet"):
        loss = model(data).square().mean()
    loss.backward()
    optimizer.step()


library = ctypes.CDLL(os.environ["CUDA_INJECTION64_PATH"])
for _ in range(30):
    step()
torch.cuda.synchronize()
times = {"off": [], "on": []}
for i in range(2 * rounds):
    side = "off" if i % 2 == 0 else "on"
    library.StepscopePause() if side == "off" else library.StepscopeResume()
    for _ in range(10):  # what switching itself costs is not the question
        step()
    torch.cuda.synchronize()
    start = time.perf_counter()
    for _ in range(steps):
        step()
    torch.cuda.synchronize()
    times[side].append((time.perf_counter() - start) / steps * 1e3)
# A pair is a round without and the round with right after it: the median of their ratios is what drift touches least.
pairs = sorted(100 * (on / off - 1) for off, on in zip(times["off"], times["on"]))
quartiles = statistics.quantiles(pairs, n=4)
print(json.dumps({side: statistics.median(values) for side, values in times.items()} | {"percent": quartiles[1], "quartiles": quartiles, "all": times}))
