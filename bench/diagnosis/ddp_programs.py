"""Two ranks of DDP over gloo on one device, with a known cause of slowness. Starts its own ranks; see harness.py for the files."""
import json
import os
import statistics
import sys
import time

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel
from torch.profiler import ProfilerActivity, profile, schedule

OUT = os.environ.get("OUT", "build/diagnosis")
# name: (rules, split, how each side is made)
PROGRAMS = {
    "ddp_late_rank": (["straggler-or-imbalance"], "tune", {"bad": dict(late=20), "fixed": {}}),
    "ddp_all_reduce_exposed": (["comm-exposed"], "held", {"bad": dict(width=2048), "fixed": dict(width=2048, every=4)}),
}


def rank(index, world, name, side, how, results):
    os.environ |= dict(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(29500), RANK=str(index), WORLD_SIZE=str(world))
    dist.init_process_group("gloo", rank=index, world_size=world)
    torch.manual_seed(0)
    width = how.get("width", 512)
    model = DistributedDataParallel(nn.Sequential(*[nn.Linear(width, width) for _ in range(6)]).cuda())
    optimizer = torch.optim.SGD(model.parameters(), 0.1, foreach=True)
    x = torch.randn(256, width, device="cuda")

    def step(i):
        with torch.profiler.record_function("next_batch"):
            if index == 1 and how.get("late"):
                time.sleep(how["late"] / 1e3)
        if i % how.get("every", 1):
            with model.no_sync():
                model(x).square().mean().backward()
            return
        model(x).square().mean().backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)

    at, times = 0, []
    for _ in range(4):
        step(at)
        at += 1
    for _ in range(3):
        dist.barrier()
        torch.cuda.synchronize()
        began = time.perf_counter()
        for _ in range(8):
            step(at)
            at += 1
        torch.cuda.synchronize()
        times.append((time.perf_counter() - began) / 8 * 1e3)
    with profile(
        activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA], schedule=schedule(wait=1, warmup=2, active=4, repeat=1), record_shapes=True
    ) as profiler:
        for _ in range(7):
            step(at)
            at += 1
            profiler.step()
    profiler.export_chrome_trace(f"{OUT}/{name}.{side}.rank{index}.pt.trace.json")
    if index == 0:
        results.put(statistics.median(times))
    dist.destroy_process_group()


if __name__ == "__main__":
    os.makedirs(OUT, exist_ok=True)
    path = f"{OUT}/truth.json"
    truth = json.load(open(path)) if os.path.exists(path) else {}
    for name in sys.argv[1:] or list(PROGRAMS):
        rules, split, sides = PROGRAMS[name]
        truth[name] = {"rules": rules, "split": split}
        for side, how in sides.items():
            results = mp.get_context("spawn").SimpleQueue()
            mp.spawn(rank, (2, name, side, how, results), nprocs=2)
            truth[name][f"{side}_ms"] = round(results.get(), 3)
        print(name, truth[name], flush=True)
        json.dump(truth, open(path, "w"), indent=1)
