"""Cuts recordings to a few steps and a small file: cut.py OUT FILE... [--steps N] writes OUT/NAME.zst for each.

Of a Kineto trace the last N steps stay (launches with the device work they started), other files stay whole. Needs the program zstd.
"""
import argparse
import json
import os
import subprocess


def time_of(event):
    return event["ts"], event["ts"] + event.get("dur", 0)


def cut(trace, count):
    events = trace["traceEvents"]
    steps = sorted((e for e in events if e.get("ph") == "X" and str(e.get("name", "")).startswith("ProfilerStep#") and e.get("cat") == "user_annotation"), key=time_of)
    if len(steps) <= count:
        return trace
    began = steps[-count]["ts"]
    ended = max(time_of(step)[1] for step in steps)
    started = {
        e["args"]["correlation"] for e in events
        if e.get("cat") in ("cuda_runtime", "cuda_driver") and "correlation" in e.get("args", {}) and began <= e["ts"] < ended
    }

    def stays(event):
        if event.get("ph") == "M" or "ts" not in event:
            return True
        if event.get("cat") in ("kernel", "gpu_memcpy", "gpu_memset", "cuda_sync", "ac2g"):
            correlation = event.get("args", {}).get("correlation", event.get("id"))
            return correlation in started
        return began <= event["ts"] < ended

    trace["traceEvents"] = [event for event in events if stays(event)]
    return trace


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out")
    parser.add_argument("files", nargs="+")
    parser.add_argument("--steps", type=int, default=3)
    args = parser.parse_args()
    os.makedirs(args.out, exist_ok=True)
    for path in args.files:
        with open(path, "rb") as file:
            content = file.read()
        if path.endswith(".json"):
            content = json.dumps(cut(json.loads(content), args.steps), separators=(",", ":")).encode()
        target = f"{args.out}/{os.path.basename(path)}.zst"
        subprocess.run(["zstd", "-19", "-q", "-f", "-o", target], input=content, check=True)
        print(target, os.path.getsize(target))


if __name__ == "__main__":
    main()
