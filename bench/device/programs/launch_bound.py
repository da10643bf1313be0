"""24 × Linear, GELU, LayerNorm with AdamW: 282 small kernels a step. Prints the mean step of each series as JSON."""

import json
import sys
import time

import torch

series, steps = int(sys.argv[1]), int(sys.argv[2])
layers = []
for _ in range(24):
    layers += [torch.nn.Linear(256, 256), torch.nn.GELU(), torch.nn.LayerNorm(256)]
model = torch.nn.Sequential(*layers).cuda()
optimizer = torch.optim.AdamW(model.parameters(), foreach=True)
data = torch.randn(64, 256, device="cuda")


def step():
    optimizer.zero_grad(set_to_none=True)
    model(data).square().mean().backward()
    optimizer.step()


for _ in range(5):
    step()
torch.cuda.synchronize()
times = []
for _ in range(series):
    start = time.perf_counter()
    for _ in range(steps):
        step()
    torch.cuda.synchronize()
    times.append((time.perf_counter() - start) / steps * 1e3)
print(json.dumps(times))
