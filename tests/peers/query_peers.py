"""Every row of `slice` by `stepscope query` against Perfetto's own engine: name, time and length, on the same JSON file.

Usage: query_peers.py STEPSCOPE ENGINE_FOLDER TRACE.json.gz...   (the engine: bench/peers/perfetto_engine.mjs)

Perfetto has instants among its slices and drops spans that overlap without nesting. Both are counted, so that the rest has to
be equal row by row.
"""

import collections
import gzip
import json
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SLICES = "SELECT name, ts - (SELECT min(ts) FROM slice) AS ts, dur FROM slice"
DROPPED = "SELECT coalesce(sum(value), 0) AS n FROM stats WHERE name = 'slice_drop_overlapping_complete_event'"
# Answers that do not depend on what Perfetto drops or adds.
QUESTIONS = [
    "SELECT name, count(*) AS n, sum(dur) AS total FROM slice WHERE dur > 0 AND name LIKE 'aten::%' GROUP BY name ORDER BY 3 DESC, 1",
    "SELECT name, dur FROM slice WHERE name LIKE 'aten::%' ORDER BY dur DESC, name LIMIT 100",
    "SELECT a.name AS outer, count(*) AS n FROM slice a JOIN slice b ON b.parent_id = a.id WHERE a.name LIKE 'aten::%' "
    "AND b.dur > 0 GROUP BY a.name ORDER BY 1",
    "SELECT t.name AS thread, count(*) AS n FROM slice s JOIN thread_track tt ON s.track_id = tt.id JOIN thread t USING (utid) "
    "WHERE s.name LIKE 'aten::%' GROUP BY 1 ORDER BY 1",
]

# What events carry: the same SQL on our .pftrace of the trace.
DETAILS = ("SELECT s.name, s.dur, a.key, a.flat_key, a.int_value, a.string_value, a.real_value FROM slice s "
           "JOIN args a ON a.arg_set_id = s.arg_set_id WHERE a.flat_key GLOB 'debug.*' AND s.dur > 0")


def theirs(engine, sql, trace):
    script = os.path.join(ROOT, "bench", "peers", "perfetto_query.mjs")
    answer = subprocess.run(["node", script, engine, sql, trace], check=True, capture_output=True, text=True).stdout
    return [tuple(row.values()) for row in json.loads(answer.splitlines()[-1])]


def ours(stepscope, sql, trace):
    answer = subprocess.run([stepscope, "query", "--json", sql, trace], check=True, capture_output=True, text=True).stdout
    return [tuple(row) for row in json.loads(answer)["rows"]]


def check(stepscope, engine, trace):
    with open(trace, encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    instants = sum(event.get("ph") in ("i", "I", "R") for event in events)
    mine = collections.Counter(ours(stepscope, SLICES, trace))
    other = collections.Counter(theirs(engine, SLICES, trace))
    dropped = theirs(engine, DROPPED, trace)[0][0]
    added = other - mine
    assert sum(added.values()) == instants and all(length == 0 for _, _, length in added), (sum(added.values()), instants)
    missing = mine - other
    assert sum(missing.values()) == dropped, (sum(missing.values()), dropped)
    for sql in QUESTIONS:
        assert ours(stepscope, sql, trace) == theirs(engine, sql, trace), sql
    return sum((mine & other).values()), instants, dropped


def check_details(stepscope, engine, trace):
    packets = trace + ".pftrace"
    subprocess.run([stepscope, "timeline", trace, "-o", packets], check=True, capture_output=True)
    mine = collections.Counter(ours(stepscope, DETAILS, packets))
    other = collections.Counter(theirs(engine, DETAILS, packets))
    assert mine == other, ((mine - other).most_common(3), (other - mine).most_common(3))
    return sum(mine.values())


def main():
    stepscope, engine, *traces = sys.argv[1:]
    for packed in traces:
        with tempfile.TemporaryDirectory() as folder:
            trace = os.path.join(folder, "trace.json")
            with gzip.open(packed) as source, open(trace, "wb") as plain:
                plain.write(source.read())
            equal, instants, dropped = check(stepscope, engine, trace)
            details = check_details(stepscope, engine, trace)
            print(f"{os.path.basename(packed)}: {equal} slices and {len(QUESTIONS)} questions equal in Perfetto's engine "
                  f"(which has {instants} instants more and dropped {dropped} spans); {details} details of .pftrace events too",
                  flush=True)


main()
