"""Ranks of a job that is as large as wanted: make_ranks.py TEMPLATE COUNT MEGABYTES FOLDER.

TEMPLATE is a Kineto trace of one rank (plain or .gz). Its events are repeated, one window after the other, until a file has so
many megabytes uncompressed. All files share one compressed body; a gzip member before it says which rank a file is. So a job of
128 times 20 MB is written in a second. For the memory and time rows of docs/benchmarks.md.
"""
import gzip
import json
import os
import re
import sys


def main():
    template, count, megabytes, folder = sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), sys.argv[4]
    opened = gzip.open if template.endswith(".gz") else open
    with opened(template, "rt") as file:
        trace = json.load(file)
    events = trace["traceEvents"]
    timed = [event for event in events if event.get("ph") == "X"]
    first = min(event["ts"] for event in timed)
    span = max(event["ts"] + event["dur"] for event in timed) - first + 1000
    steps = sum(event["name"].startswith("ProfilerStep#") for event in timed if event.get("cat") == "user_annotation")
    limit = megabytes * 1e6
    whole = sum(len(json.dumps(event)) + 2 for event in events)
    if limit < whole:  # the first steps only
        end = first + span * limit / whole
        events = [event for event in events if "ts" not in event or event["ts"] + event.get("dur", 0) <= end]
        whole = limit
    body, size = [], 0
    for window in range(max(1, round(limit / whole))):
        for event in events:
            if window > 0 and event.get("ph") != "X":
                continue
            event = dict(event, args=dict(event.get("args", {})))
            if window > 0:
                event["ts"] = round(event["ts"] + window * span, 3)
                for key in ("correlation", "External id"):  # no two windows launch the same work
                    if key in event["args"]:
                        event["args"][key] += window * 10_000_000
            if event["name"].startswith("ProfilerStep#"):
                event["name"] = f"ProfilerStep#{int(re.sub(r'[^0-9]', '', event['name'])) + window * steps}"
            body.append(json.dumps(event))
            size += len(body[-1]) + 2
    packed = gzip.compress((",\n".join(body) + "\n]}").encode(), 1)
    os.makedirs(folder, exist_ok=True)
    for rank in range(count):
        info = {"backend": "gloo", "rank": rank, "world_size": count, "pg_config": [{"pg_name": "0", "pg_desc": "default_pg", "pg_size": count}]}
        head = json.dumps({"schemaVersion": 1, "distributedInfo": info, "baseTimeNanoseconds": trace.get("baseTimeNanoseconds", 0)})
        with open(os.path.join(folder, f"rank{rank}.pt.trace.json.gz"), "wb") as file:
            file.write(gzip.compress((head[:-1] + ', "traceEvents": [\n').encode(), 1) + packed)
    print(f"{count} files of {size / 1e6:.1f} MB, {len(body)} events each")


if __name__ == "__main__":
    main()
