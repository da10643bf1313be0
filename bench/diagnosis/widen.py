"""How far the replay of a change is off: the three numbers of src/advise/forecast.h, and what the widened intervals cover.

    widen.py                      from replayed.csv: what the replay said of the whole recordings
    widen.py STEPSCOPE DIR        from recordings, as score.py reads them
    widen.py STEPSCOPE DIR --csv  writes such rows instead

The numbers come from the half `tune` alone; `held` and `forecast` only show what they are worth. For each program: how large the error has to be
so that the widened interval holds what was measured. Half the length of the replay's interval and the error add up in squares. kErrorOfStep is
the 0.9 quantile of that error as a share of the step. Small savings are off by less: kErrorBelow and kErrorAbove are the largest shares of the
replay's lower and upper end that the error takes, of the programs within the first number.
"""
import argparse
import csv
import json
import math
import pathlib
import sys

import score

COLUMNS = ("program", "split", "rule", "bad_ms", "fixed_ms", "replay_lo_ms", "replay_hi_ms")
QUANTILE = 0.9


class Row:
    def __init__(self, program, split, rule, bad_ms, fixed_ms, replay_lo_ms, replay_hi_ms):
        self.program, self.split, self.rule = program, split, rule
        self.step, self.fixed = float(bad_ms), float(fixed_ms)
        self.lo, self.hi = float(replay_lo_ms), float(replay_hi_ms)
        self.gain = self.step - self.fixed
        self.middle, self.half = (self.lo + self.hi) / 2, (self.hi - self.lo) / 2

    def needed(self):
        """The error that the widened interval needs to hold the gain, as a share of the step."""
        return math.sqrt(max((self.gain - self.middle) ** 2 - self.half**2, 0)) / self.step

    def below(self):
        """The same error as a share of the replay's lower end, where less was gained."""
        return self.needed() * self.step / self.lo if self.gain < self.lo else 0

    def above(self):
        """The same error as a share of the replay's upper end, where more was gained."""
        return self.needed() * self.step / self.hi if self.gain > self.hi > 0 else 0

    def widened(self, of_step, of_lo, of_hi):
        less = math.hypot(self.half, min(of_step * self.step, of_lo * self.lo))
        more = math.hypot(self.half, min(of_step * self.step, of_hi * self.hi))
        return max(self.middle - less, 0), min(self.middle + more, max(self.step, self.hi))

    def cells(self):
        return [self.program, self.split, self.rule, *(f"{x:.3f}" for x in (self.step, self.fixed, self.lo, self.hi))]


def stored():
    with open(pathlib.Path(__file__).with_name("replayed.csv")) as file:
        return [Row(*(row[c] for c in COLUMNS)) for row in csv.DictReader(file)]


def recorded(exe, folder):
    truth = json.load(open(f"{folder}/truth.json"))
    programs = score.Programs(exe, folder)
    rows = []
    for name, known in truth.items():
        rules, bad = known["rules"], known["bad_ms"]
        one_cause = rules and not isinstance(rules[0], list) and bad - known.get("fixed_ms", bad) > score.WORTH * bad
        if not one_cause or not programs.of(name, "bad"):
            continue
        found = score.own(programs.findings(name, "bad"), programs.findings(name, "fixed"), rules)
        hit = score.first_named(found, rules)
        if hit is None:
            continue
        saving = found[hit]["saving"]
        ends = saving["replay_lo_ns"] / 1e6, saving["replay_hi_ns"] / 1e6
        rows.append(Row(name, known.get("split", "tune"), found[hit]["rule"], bad, known["fixed_ms"], *ends))
    return rows


def quantile(values, q):
    """Between the two nearest values, in proportion."""
    values = sorted(values)
    at = q * (len(values) - 1)
    low = values[math.floor(at)]
    return low + (values[math.ceil(at)] - low) * (at - math.floor(at))


def fit(rows):
    of_step = quantile([r.needed() for r in rows], QUANTILE)
    usual = [r for r in rows if r.needed() <= of_step]
    return of_step, max(r.below() for r in usual), max(r.above() for r in usual)


def show(rows, errors):
    for split in score.SPLITS:
        part = [r for r in rows if r.split == split]
        if not part:
            continue
        ends = [r.widened(*errors) for r in part]
        inside = [lo <= r.gain <= hi for r, (lo, hi) in zip(part, ends)]
        near = [lo - score.SLACK * r.step <= r.gain <= hi + score.SLACK * r.step for r, (lo, hi) in zip(part, ends)]
        tight = [hi - lo <= score.HALF * r.step for r, (lo, hi) in zip(part, ends)]
        before = [r.lo <= r.gain <= r.hi for r in part]
        print(
            f"{split}: of {len(part)} gains the replay holds {sum(before)}, the forecast {sum(inside)}, "
            f"as score.py counts {sum(near)}; and tight {sum(n and t for n, t in zip(near, tight))}"
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stepscope", nargs="?")
    parser.add_argument("folder", nargs="?")
    parser.add_argument("--csv", action="store_true")
    parser.add_argument("-v", "--verbose", action="store_true", help="a line for each program")
    args = parser.parse_args()
    rows = recorded(args.stepscope, args.folder) if args.folder else stored()
    if args.csv:
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows(row.cells() for row in rows)
        return
    if args.verbose:
        for row in rows:
            print(f"{row.program:32s} {row.split:8s} needs {row.needed():.3f} of the step, {row.below():.2f} below, {row.above():.2f} above")
    tune = [r for r in rows if r.split == "tune"]
    errors = fit(tune)
    print(f"{len(tune)} programs of tune: kErrorOfStep {errors[0]:.3f}, kErrorBelow {errors[1]:.2f}, kErrorAbove {errors[2]:.2f}")
    show(rows, errors)


if __name__ == "__main__":
    main()
