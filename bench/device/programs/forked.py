"""Whole runs in turn without the time that importing PyTorch takes: for each line on standard input a process is forked, which
runs 150 steps and prints the mean step in ms. Run bare and under `stepscope record`, side by side."""

import os
import sys
import time

import loops
import torch

print("ready", flush=True)
for _ in sys.stdin:
    child = os.fork()
    if child == 0:
        step = loops.launch_bound()
        for _ in range(30):
            step()
        torch.cuda.synchronize()
        start = time.perf_counter()
        for _ in range(150):
            step()
        torch.cuda.synchronize()
        print((time.perf_counter() - start) / 150 * 1e3, flush=True)
        os._exit(0)
    os.waitpid(child, 0)
