#!/usr/bin/env python3
"""Runs the PyTorch recorders on a CUDA GPU and checks what they report.

    python h200_handlers.py [FOLDER]        # with stepscope and a CUDA build of PyTorch installed

Needs no other file of the repository. Prints one line per check and PASS or FAIL at the end; the exit code says the same.
"""

import glob
import gzip
import json
import os
import sys
import tempfile
import time
import traceback

CHECKS = []


def check(name, good, detail=""):
    CHECKS.append(bool(good))
    print(f"{'ok  ' if good else 'FAIL'}  {name}" + (f": {detail}" if detail != "" else ""), flush=True)


def model_and_step(torch, batch=256, width=2048):
    """A small model that keeps the GPU busy, and a step of training it."""
    torch.manual_seed(0)
    model = torch.nn.Sequential(*[m for _ in range(6) for m in (torch.nn.Linear(width, width), torch.nn.ReLU())]).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    data = torch.randn(batch, width, device="cuda")

    def step():
        optimizer.zero_grad(set_to_none=True)
        model(data).square().mean().backward()
        optimizer.step()

    for _ in range(5):
        step()
    torch.cuda.synchronize()
    return step


def kernels_in(path):
    """How many kernels the trace has, read with json alone."""
    with gzip.open(path, "rt") as file:
        return sum(event.get("cat") == "kernel" for event in json.load(file)["traceEvents"])


def report_handler(torch, stepscope, folder):
    step = model_and_step(torch)
    handler = stepscope.torch.report_handler(folder)
    schedule = torch.profiler.schedule(wait=1, warmup=1, active=4, repeat=1)
    with torch.profiler.profile(schedule=schedule, on_trace_ready=handler, record_shapes=True) as p:
        for _ in range(6):
            step()
            p.step()
    traces = glob.glob(os.path.join(folder, "*.pt.trace.json.gz"))
    pages = glob.glob(os.path.join(folder, "*.html"))
    check("report_handler writes one trace", len(traces) == 1, traces)
    check("report_handler writes one page", len(pages) == 1 and os.path.getsize(pages[0]) > 50_000, pages)
    check("report_handler keeps the report", len(handler.paths) == 1)
    report = handler.report
    check("the verdict is about a GPU", (report.verdict.device or "").startswith("gpu"), report.verdict.sentence)
    check("the steps of the window are there", 3 <= report.steps.count <= 4, report.steps.count)
    count = kernels_in(traces[0])
    ours = sum(k["calls"] for k in report.kernels if k["kind"] == "kernel")
    check("kernels of the report are those of the trace", ours == count > 0, (ours, count))


def context_manager(torch, stepscope, folder):
    step = model_and_step(torch)
    with stepscope.torch.profile(wait=1, warmup=1, active=3, directory=folder) as p:
        for _ in range(5):
            step()
            p.step()
    check("profile() writes a trace", len(p.paths) == 1, p.paths)
    check("profile() has a report with a verdict", bool(p.report.verdict.sentence), p.report.verdict.sentence)
    check("profile() knows CUDA kernels", len(p.profile.kernels) > 0, len(p.profile.kernels))


def input_bound(torch, stepscope, folder):
    """A loop that waits for its input three times as long as it computes must be called bound by input."""
    step = model_and_step(torch)
    with stepscope.torch.profile(wait=1, warmup=1, active=4, directory=folder, quiet=True) as p:
        for _ in range(6):
            with torch.profiler.record_function("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"):
                time.sleep(0.02)
            step()
            torch.cuda.synchronize()
            p.step()
    check("a loop that waits for input is bound by input", p.report.verdict.bound_by == "input", p.report.verdict.sentence)


def several_cycles(torch, stepscope, folder):
    step = model_and_step(torch)
    with stepscope.torch.profile(wait=1, warmup=1, active=2, repeat=2, directory=folder, html=False, quiet=True) as p:
        for _ in range(8):
            step()
            p.step()
    check("two cycles give two traces", len(p.paths) == 2, p.paths)
    check("html=False writes no page", not glob.glob(os.path.join(folder, "*.html")))


def too_few_steps(torch, stepscope, folder):
    import warnings

    step = model_and_step(torch)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with stepscope.torch.profile(wait=5, warmup=1, active=2, directory=folder) as p:
            step()
            p.step()
    check("too few steps are said", any("nothing was recorded" in str(w.message) for w in caught))
    check("and there is no report", p.report is None)


def picking(torch, stepscope, folder):
    """In processes of their own: here CUDA is in use already."""
    import subprocess

    early = "import stepscope, os; print(stepscope.gpus.pick(1, quiet=True), os.environ['CUDA_VISIBLE_DEVICES'])"
    environment = {k: v for k, v in os.environ.items() if k != "CUDA_VISIBLE_DEVICES"}
    said = subprocess.run([sys.executable, "-c", early], env=environment, capture_output=True, text=True)
    check("gpus.pick(1) chooses one", said.returncode == 0 and said.stdout.startswith("["), said.stdout + said.stderr)
    late = "import torch; torch.zeros(1).cuda(); import stepscope; stepscope.gpus.pick(1)"
    said = subprocess.run([sys.executable, "-c", late], env=environment, capture_output=True, text=True)
    check("gpus.pick says that it is too late", "PyTorch has looked at the GPUs already" in said.stderr, said.stderr[-200:])
    found = stepscope.gpus.all()
    check("gpus.all() sees as many as PyTorch", len(found) >= torch.cuda.device_count(), [g.name for g in found])


def main():
    try:
        import torch
    except ImportError:
        print("FAIL: PyTorch is not installed")
        return 1
    if not torch.cuda.is_available():
        print("FAIL: PyTorch sees no CUDA GPU")
        return 1
    import stepscope
    import stepscope.torch

    print(f"stepscope {stepscope.__version__}, PyTorch {torch.__version__}, {torch.cuda.get_device_name()}")
    folder = sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp(prefix="stepscope-h200-")
    for case in (report_handler, context_manager, input_bound, several_cycles, too_few_steps, picking):
        place = os.path.join(folder, case.__name__)
        os.makedirs(place, exist_ok=True)
        try:
            case(torch, stepscope, place)
        except Exception:
            traceback.print_exc()
            check(f"{case.__name__} runs", False)
    failed = CHECKS.count(False)
    print(f"\n{'FAIL' if failed else 'PASS'}: {len(CHECKS) - failed} of {len(CHECKS)} checks hold")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
