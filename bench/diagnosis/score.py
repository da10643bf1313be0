"""How well `advise` diagnoses programs of known causes.

    score.py STEPSCOPE DIR [-v] [--split tune|held|forecast] [--markdown]

DIR holds NAME.SIDE.<ending> (one file a rank: NAME.SIDE.rank0.…) and truth.json of harness.py.

One cause: the first finding of the bad side that the fixed side does not have names it (or lists it among its causes); the measured
saving lies in the finding's interval, widened by 10 % of the step (covered), and the interval is at most half of the step long (tight).
Two causes: the one whose mending saved more comes first. Within 5 % of the step either may.
None: nothing of severity high or medium is claimed. The same holds where mending the cause saved under 5 % of the step.
Every side that was timed without a profiler: steps.unprofiled_median_ns is within 15 % of that time.
"""
import argparse
import json
import os
import subprocess
import sys

SLACK, HALF, WORTH, NEAR = 0.10, 0.50, 0.05, 0.15
SPLITS = ("tune", "held", "forecast")
SIDES = ("bad", "fixed", "without_first", "without_second")


def ask(exe, verb, files):
    """The parts of a verb's JSON, one a rank."""
    done = subprocess.run([exe, verb, "--json", *files], capture_output=True, timeout=60)
    if done.returncode != 0:
        return []
    said = json.loads(done.stdout)
    return said.get("advices") or said.get("reports") or [said]


def names(finding):
    return {finding["rule"]} | {cause["rule"] for cause in finding["causes"]}


class Programs:
    def __init__(self, exe, folder):
        self.exe, self.folder = exe, folder
        self.files = sorted(os.listdir(folder))

    def of(self, name, side):
        return [f"{self.folder}/{f}" for f in self.files if f.startswith(f"{name}.{side}.")]

    def findings(self, name, side):
        """Notes claim nothing. All ranks of a job are judged by the one whose first finding is worth most."""
        files = self.of(name, side)
        if not files:
            return []
        ranked = [[f for f in part["findings"] if f["severity"] != "note"] for part in ask(self.exe, "advise", files)]
        return max(ranked, key=lambda all: max([f["saving"]["hi_ns"] for f in all], default=0), default=[])

    def unprofiled(self, name, side):
        files = self.of(name, side)
        said = [part["steps"].get("unprofiled_median_ns") for part in ask(self.exe, "report", files)] if files else []
        said = [ns for ns in said if ns]
        return max(said) / 1e6 if said else None


def own(findings, beside, rules):
    """Without what is true of the mended side as well: the program's own, not the cause that was put in."""
    other = {rule for f in beside for rule in names(f)} - set(rules)
    return [f for f in findings if not names(f) <= other]


def interval(finding):
    saving = finding["saving"]
    return saving["lo_ns"] / 1e6, saving["hi_ns"] / 1e6


def first_named(findings, rules):
    return next((i for i, f in enumerate(findings) if names(f) & set(rules)), None)


def score_one(programs, name, truth, row):
    rules, bad = truth["rules"], truth["bad_ms"]
    beside = programs.findings(name, "fixed")
    found = own(programs.findings(name, "bad"), beside, rules)
    saved = bad - truth["fixed_ms"]
    hit = first_named(found, rules)
    row.update(saved=saved, said=found[hit]["rule"] if hit is not None else None)
    if saved <= WORTH * bad:
        row.update(kind="none", quiet=hit is None or found[hit]["severity"] == "low")
        return
    row.update(kind="one", first=hit == 0, named=hit is not None, covered=False, tight=False)
    if hit:
        row["instead"] = found[0]["rule"]
    if hit is None:
        row["instead"] = found[0]["rule"] if found else "nothing"
        return
    low, high = interval(found[hit])
    row.update(lo=low, hi=high, covered=low - SLACK * bad <= saved <= high + SLACK * bad)
    row["tight"] = row["covered"] and high - low <= HALF * bad


def score_two(programs, name, truth, row):
    first, second = truth["rules"]
    bad = truth["bad_ms"]
    worth = [bad - truth["without_first_ms"], bad - truth["without_second_ms"]]
    beside = programs.findings(name, "fixed")
    found = own(programs.findings(name, "bad"), beside, first + second)
    larger, smaller = (first, second) if worth[0] >= worth[1] else (second, first)
    at, other = first_named(found, larger), first_named(found, smaller)
    tie = abs(worth[0] - worth[1]) <= WORTH * bad
    right = at is not None and (other is None or at < other or (tie and at == 1 and other == 0))
    if at is not None and at > 0 and (other is None or other > 0):
        right = False  # a third thing stands before both
    if tie and other == 0:
        right = True
    row.update(kind="two", saved=max(worth), other_saved=min(worth), ordered=right)
    row["said"] = ", ".join(f["rule"] for f in found[:2]) or None


def score_none(programs, name, row):
    claims = [f for f in programs.findings(name, "bad") if f["severity"] in ("high", "medium")]
    row.update(kind="none", quiet=not claims, said=", ".join(f["rule"] for f in claims) or None)


def score(programs, name, truth):
    row = {"name": name, "split": truth.get("split", "tune"), "bad_ms": truth["bad_ms"], "steps": []}
    if not truth["rules"]:
        score_none(programs, name, row)
    elif isinstance(truth["rules"][0], list):
        score_two(programs, name, truth, row)
    else:
        score_one(programs, name, truth, row)
    for side in SIDES:
        if f"{side}_ms" in truth and programs.of(name, side):
            said = programs.unprofiled(name, side)
            row["steps"].append({"side": side, "ms": truth[f"{side}_ms"], "said": said})
    return row


def near(step):
    return step["said"] is not None and abs(step["said"] - step["ms"]) <= NEAR * step["ms"]


def line(row):
    text = f"{row['name']:30s} {row['split']:5s} {row['bad_ms']:8.2f} ms"
    if row["kind"] == "one":
        text += f"  saved {row['saved']:7.2f}  "
        if row["named"]:
            text += f"{row['said']} says {row['lo']:.2f} … {row['hi']:.2f} {'covered' if row['covered'] else 'OFF'}"
            text += "" if row["tight"] or not row["covered"] else " wide"
        else:
            text += "MISSED"
        if "instead" in row:
            text += f"; first was {row['instead']}"
    elif row["kind"] == "two":
        text += f"  saved {row['saved']:.2f} and {row['other_saved']:.2f}  {'in order' if row['ordered'] else 'OUT OF ORDER'}: {row['said']}"
    else:
        text += "  nothing to gain: " + ("quiet" if row["quiet"] else f"CLAIMED {row['said']}")
    for step in row["steps"]:
        if not near(step):
            said = "nothing" if step["said"] is None else f"{step['said']:.2f}"
            text += f"  [{step['side']} takes {step['ms']:.2f}, said {said}]"
    return text


def totals(rows):
    one = [r for r in rows if r["kind"] == "one"]
    two = [r for r in rows if r["kind"] == "two"]
    none = [r for r in rows if r["kind"] == "none"]
    steps = [s for r in rows for s in r["steps"]]
    count = lambda key, of: sum(bool(r[key]) for r in of)
    return {
        "one": len(one), "first": count("first", one), "named": count("named", one), "covered": count("covered", one),
        "tight": count("tight", one), "two": len(two), "ordered": count("ordered", two), "none": len(none),
        "quiet": count("quiet", none), "steps": len(steps), "near": sum(near(s) for s in steps),
    }


def summary(t):
    return (
        f"{t['first']} of {t['one']} causes named first, {t['named']} at all; saving covered {t['covered']}, and tight {t['tight']}; "
        f"two causes in order {t['ordered']} of {t['two']}; quiet where nothing is to gain {t['quiet']} of {t['none']}; "
        f"unprofiled step within 15 % {t['near']} of {t['steps']}"
    )


def markdown(rows):
    yes = lambda value: "yes" if value else "**no**"
    out = ["| program | split | step, ms | measured gain, ms | finding | promised, ms | first | covered | tight | unprofiled step |", "|---|---|---|---|---|---|---|---|---|---|"]
    for r in rows:
        steps = f"{sum(near(s) for s in r['steps'])} of {len(r['steps'])}"
        said = r.get("said") or "–"
        if r["kind"] == "one":
            promised = f"{r['lo']:.2f} … {r['hi']:.2f}" if r["named"] else "–"
            cells = [f"{r['saved']:.2f}", said, promised, yes(r["first"]), yes(r["covered"]), yes(r["tight"])]
        elif r["kind"] == "two":
            cells = [f"{r['saved']:.2f} and {r['other_saved']:.2f}", said, "", yes(r["ordered"]) + " (order)", "", ""]
        else:
            cells = ["none", said, "", yes(r["quiet"]) + " (quiet)", "", ""]
        out.append("| " + " | ".join([r["name"], r["split"], f"{r['bad_ms']:.2f}", *cells, steps]) + " |")
    return "\n".join(out)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stepscope")
    parser.add_argument("folder")
    parser.add_argument("-v", "--verbose", action="store_true", help="a line for each program")
    parser.add_argument("--split", choices=SPLITS)
    parser.add_argument("--markdown", action="store_true", help="the table of docs/diagnosis.md")
    parser.add_argument("--only", nargs="*", default=[], help="names of programs")
    args = parser.parse_args()
    truth = json.load(open(f"{args.folder}/truth.json"))
    programs = Programs(args.stepscope, args.folder)
    rows = []
    for name, known in truth.items():
        if args.split and known.get("split", "tune") != args.split or args.only and name not in args.only:
            continue
        if not programs.of(name, "bad"):
            continue
        rows.append(score(programs, name, known))
        if args.verbose:
            print(line(rows[-1]), flush=True)
    if args.markdown:
        print(markdown(rows))
    for split in SPLITS:
        of_split = [r for r in rows if r["split"] == split]
        if of_split:
            print(f"{split}: {summary(totals(of_split))}")
    good = totals(rows)
    return 0 if good["first"] >= 0.9 * good["one"] and good["tight"] >= 0.8 * good["one"] and good["quiet"] == good["none"] else 1


if __name__ == "__main__":
    sys.exit(main())
