#!/usr/bin/env python3
"""Writes a memory snapshot of PyTorch's form and any size: stacks are shared, as in real ones.

usage: make_snapshot.py FILE [EVENTS]    1,000,000 events by default, about 80 bytes each
"""
import pickle
import sys


def frames(site):
    own = [{"name": f"forward_{site}", "filename": f"/src/model_{site % 7}.py", "line": 10 + site}]
    torch = {"name": "_call_impl", "filename": "/opt/torch/nn/modules/module.py", "line": 1790}
    machinery = [{"name": f"at::native::op_{site}_{i}", "filename": "??", "line": 0} for i in range(20)]
    return machinery + own + [torch, {"name": "step", "filename": "/src/train.py", "line": 20}]


def main():
    path = sys.argv[1]
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 1_000_000
    stacks = [frames(site) for site in range(400)]
    events, marks, live = [], [], []
    time = 1_700_000_000_000_000
    for i in range(count // 3):
        time += 7
        stack = stacks[i * 37 % len(stacks)]
        address = 0x7F0000000000 + i * 4096
        base = {"size": 4096 + i % 512, "stream": 0, "compile_context": "N/A", "user_metadata": "", "frames": stack}
        events.append({"action": "alloc", "addr": address, "time_us": time, **base})
        if i % 100 == 0:
            live.append((address, base))
        else:
            for action in ("free_requested", "free_completed"):
                events.append({"action": action, "addr": address, "time_us": time + 3, **base})
        if i % 10_000 == 0:
            for stage in ("START", "END"):
                marks.append({"stage": stage, "name": "Optimizer.step#Adam.step", "device": 0, "time_us": time})
    blocks = [{"address": address, "size": 8192, "requested_size": base["size"], "state": "active_allocated",
               "frames": base["frames"]} for address, base in live]
    total = 8192 * len(blocks)
    segment = {"device": 0, "address": 0x7F0000000000, "total_size": total, "allocated_size": total, "stream": 0,
               "active_size": total, "requested_size": total, "segment_type": "large", "segment_pool_id": (0, 0),
               "is_expandable": False, "frames": [], "blocks": blocks}
    snapshot = {"segments": [segment], "device_traces": [events], "allocator_settings": {"expandable_segments": False},
                "external_annotations": marks}
    with open(path, "wb") as file:
        pickle.dump(snapshot, file, protocol=4)


main()
