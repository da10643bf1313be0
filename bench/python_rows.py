"""Rows of `make bench` for the Python package: python_rows.py TRACE PROGRAM."""

import os
import resource
import subprocess
import sys

RUNS = int(os.environ.get("BENCH_RUNS", "3"))


def cpu(*command):
    """User and system seconds of a command that has to work."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def printed(code, *arguments):
    out = subprocess.run([sys.executable, "-c", code, *arguments], check=True, capture_output=True, text=True).stdout
    return float(out)


def row(work, measured, must="", met=None):
    word = "" if met is None else "yes" if met else "NO"
    print(f"| {work:<66} | {measured:>10} | {must:>6} | {word:>3} | {'':>6} |", flush=True)


def main():
    trace, program = sys.argv[1:]
    name = os.path.basename(trace)
    imported = min(printed("import time; a = time.process_time(); import stepscope; print(time.process_time() - a)") for _ in range(10))
    row("Python: import stepscope (CPU)", f"{imported * 1e3:.1f} ms", "<= 30", imported <= 0.030)

    # The same work on both sides: read, analyse, write the report as JSON. Interleaved, least of all runs; the interpreter's
    # own start and end are taken off the Python side.
    code = "import stepscope, sys; stepscope.open(sys.argv[1], progress=False)._native.report_json()"
    load = "import stepscope, sys; stepscope.open"
    ours, theirs, start = [], [], []
    for _ in range(RUNS):
        theirs.append(cpu(program, "report", "--json", trace))
        ours.append(cpu(sys.executable, "-c", code, trace))
        start.append(cpu(sys.executable, "-c", load))
    ratio = (min(ours) - min(start)) / min(theirs)
    row(f"Python: open and report {name} against the command line (CPU)", f"{ratio:.2f} x", "<= 1.05", ratio <= 1.05)
    row("  the same with the interpreter's start and end", f"{min(ours) / min(theirs):.2f} x")

    code = (
        "import stepscope, sys, time, numpy; p = stepscope.open(sys.argv[1], progress=False); t = p.slices; a = time.process_time();"
        "c = [numpy.asarray(t._native.column(n, 0)) for n in t.columns]; print(time.process_time() - a)"
    )
    columns = min(printed(code, trace) for _ in range(RUNS))
    row(f"Python: all columns of {name} as numpy, no copy", f"{columns * 1e3:.2f} ms", "<= 1", columns <= 0.001)


main()
