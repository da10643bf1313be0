#!/usr/bin/env python3
"""Are sampled stacks right? Records a program whose lines are known, with each interpreter, until there are 1,000 samples.

usage: bench/record/stacks.py STEPSCOPE PYTHON...

The program only ever executes the lines in KNOWN, each under the line that calls it. A sample that shows any other line of
it, or whose callers do not add up, is wrong."""

import json
import os
import subprocess
import sys
import tempfile

PROGRAM = '''import time

def leaf(until):
    total = 0
    while time.monotonic() < until:
        total += sum(range(50))
    return total

def middle(until):
    values = [
        leaf(until)
        for _ in range(1)]
    return values

class Outer:
    def run(self, until):
        return middle(
            until)

def main():
    end = time.monotonic() + 20
    while time.monotonic() < end:
        Outer().run(time.monotonic() + 0.5)

main()
'''
# Function (its last name), the lines it executes, and how many of the samples in leaf must show it.
LEAF = {("leaf", line) for line in (4, 5, 6, 7)}
KNOWN = LEAF | {("middle", line) for line in (10, 11, 12, 13)} | {("<listcomp>", line) for line in (10, 11, 12)}
KNOWN |= {("run", line) for line in (17, 18)} | {("main", line) for line in (21, 22, 23)} | {("<module>", 25)}
KNOWN |= {("leaf", 3), ("middle", 9), ("run", 16), ("main", 20), ("Outer", 15), ("<module>", 1)}  # where functions begin


def check(stepscope, python):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "known.py")
        with open(path, "w") as file:
            file.write(PROGRAM)
        out = os.path.join(folder, "run")
        subprocess.run([stepscope, "record", "--quiet", "--out", out, "--", python, path], check=True)
        text = subprocess.run([stepscope, "report", "--json", out], check=True, capture_output=True).stdout
    rows = [row for row in json.loads(text)["python"] if row["file"] == path]
    samples = lambda names: sum(row["samples"] for row in rows if row["function"].split(".")[-1] in names)  # noqa: E731
    wrong = [row for row in rows if (row["function"].split(".")[-1], row["line"]) not in KNOWN]
    in_leaf, in_main = samples({"leaf"}), samples({"main"})
    good = not wrong and in_leaf >= 1000 and samples({"run"}) >= in_leaf and in_main >= in_leaf
    version = subprocess.run([python, "-c", "import sys; print('%d.%d.%d' % sys.version_info[:3])"], capture_output=True)
    print("%-8s %5d samples, %d wrong lines: %s" % (version.stdout.decode().strip(), in_main, len(wrong),
                                                   "right" if good else "WRONG %s" % wrong), flush=True)
    return good


if __name__ == "__main__":
    results = [check(sys.argv[1], python) for python in sys.argv[2:]]
    sys.exit(0 if all(results) else 1)
