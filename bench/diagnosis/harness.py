"""What every benchmark program shares: cases, the clock, truth.json.

A case is a program with a known cause of slowness (or two, or none) and the same program without it. Each side's step is timed
without a profiler, the two sides in turn, so that a machine that drifts hits both. Then each side is profiled.
OUT/NAME.SIDE.<ending> are the profiles, OUT/truth.json says what is known: the rules that name the cause, the split (`tune`:
rules may be tuned on it; `held`: only reported; `forecast`: scored before any rule had seen it), and the median step of each side in ms.
"""
import gc
import json
import os
import statistics
import sys
import time

OUT = os.environ.get("OUT", "build/diagnosis")
ROUNDS, STEPS = 4, 8


class Case:
    def __init__(self, make, rules, split, sides=("bad", "fixed"), order=None, **options):
        self.name, self.make, self.rules, self.split = make.__name__, make, rules, split
        self.sides, self.order, self.options = sides, order, options


CASES = {}


def case(rules, split, **options):
    """One cause: make(bad: bool) returns step(i). rules: the ids that name the cause."""

    def add(make):
        CASES[make.__name__] = Case(make, rules, split, **options)
        return make

    return add


def healthy(split, **options):
    """Nothing to gain: make(bad) is called with False only."""

    def add(make):
        CASES[make.__name__] = Case(make, [], split, sides=("bad",), **options)
        return make

    return add


def two(first, second, split, **options):
    """Two causes: make(a: bool, b: bool) where each is switched on by its flag; rules of each."""

    def add(make):
        CASES[make.__name__] = Case(
            make, [first, second], split, sides=("bad", "without_first", "without_second", "fixed"), **options
        )
        return make

    return add


def build(known, side):
    if known.sides == ("bad",):
        return known.make(False)
    if len(known.sides) == 2:
        return known.make(side == "bad")
    return known.make(side in ("bad", "without_second"), side in ("bad", "without_first"))


def timed(step, sync, at, count):
    sync()
    began = time.perf_counter()
    for _ in range(count):
        step(at[0])
        at[0] += 1
    sync()
    return (time.perf_counter() - began) / count * 1e3


def measure(known, sync, profile):
    """Times all sides in turn, then profiles each. Returns {side: mean ms} and the medians' spread."""
    steps, at, times = {}, {}, {}
    steady = known.options.get("rounds", ROUNDS)
    count = known.options.get("steps", STEPS)
    for side in known.sides:
        steps[side], at[side], times[side] = build(known, side), [0], []
        timed(steps[side], sync, at[side], known.options.get("warmup", 5))
    for _ in range(steady):
        for side in known.sides:
            times[side].append(timed(steps[side], sync, at[side], count))
    for side in known.sides:
        profile(known, side, steps[side], at[side])
        times[side].append(timed(steps[side], sync, at[side], count))
    steps.clear()
    gc.collect()
    return times


def entry(known, times):
    said = {"rules": known.rules, "split": known.split}
    for side, values in times.items():
        said[f"{side}_ms"] = round(statistics.median(values), 3)
        said[f"{side}_spread_ms"] = round(max(values) - min(values), 3)
    return said


def main(sync, profile, prepare=lambda known: None, suffix=""):
    """Measures the cases that the command line names, else all. `suffix`: ends their names where another device runs them."""
    os.makedirs(OUT, exist_ok=True)
    path = f"{OUT}/truth.json"
    truth = json.load(open(path)) if os.path.exists(path) else {}
    limit = float(os.environ.get("LIMIT_S", "1e9"))
    began = time.monotonic()
    for name in sys.argv[1:] or list(CASES):
        if time.monotonic() - began > limit:
            print("no time left for", name, flush=True)
            continue
        known = CASES[name]
        name = known.name = name + suffix
        started = time.monotonic()
        try:
            prepare(known)
            truth[name] = entry(known, measure(known, sync, profile))
            print(f"{name} {time.monotonic() - started:.1f} s", json.dumps(truth[name]), flush=True)
        except Exception as error:  # a case that fails is left out, and said
            print(name, "FAILED", type(error).__name__, str(error)[:300], flush=True)
        gc.collect()
        json.dump(truth, open(path, "w"), indent=1)
