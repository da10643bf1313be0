"""What `stepscope record` and `stepscope capture` cost and see on a machine with an NVIDIA GPU, side by side in one run. Needs
build/device of bench/device/pack.sh, PyTorch, JAX and nvcc; what is missing is said. The most important rows come first; each
part has its own limit, and parts for which no time is left are named.

    python3 bench/device/record_rows.py OUT [SECONDS [PART...]]
"""

import collections
import json
import os
import signal
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
STEPSCOPE = os.path.join(ROOT, "build", "device", "stepscope")
OUT = os.path.abspath(sys.argv[1])
WANTED = sys.argv[3:]  # parts whose names hold one of these; none: all
DEADLINE = time.monotonic() + (float(sys.argv[2]) if len(sys.argv) > 2 else 470)
ENVIRONMENT = dict(os.environ, XLA_PYTHON_CLIENT_PREALLOCATE="false", PYTHONDONTWRITEBYTECODE="1")
PYTHON = sys.executable
sys.path.insert(0, os.path.join(HERE, "programs"))
rows = {}


def program(name):
    return os.path.join(HERE, "programs", name)


def left():
    return DEADLINE - time.monotonic()


def save():
    with open(os.path.join(OUT, "rows.json"), "w") as file:
        json.dump(rows, file, indent=1)


def log(command, code, took, out, err):
    with open(os.path.join(OUT, "log.txt"), "a") as file:
        file.write("\n$ %s\n[%s, %.1f s]\n%s\n%s\n" % (" ".join(command), code, took, out[-4000:], err[-8000:]))
    print("%6.0f s left  exit %s, %.1f s: %s" % (left(), code, took, " ".join(os.path.basename(word) for word in command)[:100]), flush=True)


class Running:
    """A command in a process group of its own, so that a limit ends all of it."""

    def __init__(self, command, limit, **variables):
        self.command, self.limit, self.begin = command, min(limit, max(left(), 5)), time.monotonic()
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd="/tmp",
                                        env=ENVIRONMENT | variables, start_new_session=True)

    def done(self):
        try:
            self.out, self.err = self.process.communicate(timeout=self.limit)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.out, self.err = self.process.communicate()
        self.ended = time.time()
        self.code = self.process.returncode
        log(self.command, self.code, time.monotonic() - self.begin, self.out, self.err)
        return self

    def json(self):
        for line in reversed(self.out.strip().splitlines()):
            if line.startswith(("{", "[")):
                return json.loads(line)
        return None


def recording(name, options, *command, limit=90, **variables):
    folder = "/tmp/rec-" + name
    subprocess.run(["rm", "-rf", folder])
    return Running([STEPSCOPE, "record", "--out", folder, *options, "--", *command], limit, **variables), folder


def record(name, options, *command, **rest):
    running, folder = recording(name, options, *command, **rest)
    return running.done(), folder


def report(folder):
    done = Running([STEPSCOPE, "report", "--json", folder], 60).done()
    return json.loads(done.out) if done.out.startswith("{") else {}


def kernels(one):
    return {row["name"]: row["calls"] for row in one.get("kernels", []) if row["kind"] in ("kernel", "collective")}


def without_series(answer):
    return {key: value for key, value in (answer or {}).items() if key not in ("off", "on")}


def native(name, loop, calls, pairs, steps):
    """The library that CUDA loads, off and on in turn."""
    variables = {"STEPSCOPE_CALLS_AFTER": "0" if calls else "1e9", "STEPSCOPE_CALLS_FOR": "1e9"}
    done, folder = record("toggled", ["--native", "--report", "none"], PYTHON, program("toggled.py"), "native", loop, str(pairs), str(steps),
                          **variables)
    rows[name] = without_series(done.json())


def hook():
    """Outside the window: the hook's own CPU time a step, and whole steps without and with."""
    for what in ("hook", "samples"):
        done, folder = record("outside-" + what, ["--steps", "100000-100001", "--report", "none"], PYTHON, program("toggled.py"), what,
                              "launch_bound", "60", "10")
        rows["outside the window, " + what] = without_series(done.json())
        recorded = report(folder).get("recording", {})
        steps = len(recorded.get("steps", []))
        if what == "hook" and steps:
            rows["hook's own CPU a step, µs"] = recorded.get("hook_cpu_ns", 0) / steps / 1e3


def window_series():
    done, folder = record("windows", ["--every", "200", "--steps", "20", "--report", "none"], PYTHON, program("windows.py"), "20", limit=150)
    rows["window against the framework's own"] = done.json()
    first = next((name for name in sorted(os.listdir(folder)) if name.endswith(".pt.trace.json") and "window" not in name), None)
    if first:
        with open(os.path.join(folder, first)) as file:
            rows["kernels in the recorder's first window"] = sum(event.get("cat") == "kernel" for event in json.load(file)["traceEvents"])
    subprocess.run(["rm", "-rf", folder])


def count():
    """Kernels natively against Kineto's, by name: the same fifty steps, and what set-up ran before them."""
    kineto = Running([PYTHON, program("counted.py"), "/tmp/counted.json"], 60).done().json() or {}
    _, folder = record("counted", ["--native", "--report", "none"], PYTHON, program("counted.py"))
    one = report(folder)
    seen = kernels(one)
    rows["kernels"] = {"kineto": sum(kineto.values()), "native": sum(seen.values()),
                       "different": {name: (number, kineto.get(name, 0)) for name, number in seen.items() if number != kineto.get(name, 0)},
                       "missing": {name: number for name, number in kineto.items() if name not in seen},
                       "quality": [entry["code"] for entry in one.get("quality", [])]}


def captures():
    """PyTorch and JAX on the GPU, from Enter to the report."""
    done = Running([PYTHON, os.path.join(ROOT, "bench", "peers", "capture_frameworks.py"), STEPSCOPE], 150, TEARDOWN_CUPTI="1").done()
    rows["captures"] = done.out.splitlines()


def programs():
    """Ordinary programs, all at once: none of them is timed."""
    wanted = [("gpt2", [], [PYTHON, program("gpt2.py")]), ("vision", [], [PYTHON, program("vision.py")]),
              ("jax", [], [PYTHON, program("jax_loop.py")]), ("jax-native", ["--native"], [PYTHON, program("jax_loop.py")]),
              ("torchrun", [], [PYTHON, "-m", "torch.distributed.run", "--nproc-per-node", "2", program("ddp.py")])]
    compiled = Running(["nvcc", "-O2", "-arch=sm_90", "-o", "/tmp/saxpy", program("saxpy.cu")], 60,
                       PATH="/usr/local/cuda/bin:" + os.environ["PATH"]).done()
    if compiled.code == 0:
        wanted.append(("cuda", [], ["/tmp/saxpy"]))
    started = [(name, *recording(name, options, *command, limit=100)) for name, options, command in wanted]
    for name, running, folder in started:
        running.done()
        one = report(folder)
        rows["program " + name] = [{"exit": running.code, "verdict": part.get("verdict", {}).get("sentence") or part.get("verdict"),
                                    "framework": part.get("profile", {}).get("framework"), "rank": part.get("profile", {}).get("rank"),
                                    "steps": part.get("steps", {}).get("count"), "kernels": sum(kernels(part).values()),
                                    "findings": [finding.get("rule") for finding in part.get("findings", [])][:6],
                                    "quality": [entry["code"] for entry in part.get("quality", [])],
                                    "python": len(part.get("python", [])),
                                    "counters": sorted({row.get("name") for row in part.get("counters", [])})}
                                   for part in one.get("reports", [one])]
        save()
    folders = [os.path.basename(folder) for name, _, folder in started if name in ("gpt2", "cuda", "torchrun", "jax")]
    subprocess.run(["tar", "czf", os.path.join(OUT, "recordings.tgz"), "-C", "/tmp", *folders])


def one_window():
    """What the first window of a process leaves behind, and how long the report takes after the end."""
    found = rows.setdefault("one window", collections.defaultdict(list))
    for _ in range(3):
        for kind in ("recorded", "bare", "own"):
            if left() < 20:
                return
            if kind != "recorded":
                found[kind].append(Running([PYTHON, program("window.py"), kind], 40).done().json())
                continue
            done, folder = record("window", ["--steps", "201-220"], PYTHON, program("window.py"), kind, limit=40)
            answer = done.json() or {}
            begin = time.monotonic()
            report(folder)
            found[kind].append(answer | {"end_to_report_s": done.ended - answer.get("end", 0), "report_s": time.monotonic() - begin})
            save()


def forked():
    """Whole runs, bare and recorded in turn."""
    import loops

    limit = left() - 10
    command = [PYTHON, program("forked.py")]
    subprocess.run(["rm", "-rf", "/tmp/rec-forked"])
    sides = {"bare": command, "recorded": [STEPSCOPE, "record", "--out", "/tmp/rec-forked", "--report", "none", "--", *command]}
    processes = {name: subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                                        env=ENVIRONMENT, start_new_session=True) for name, words in sides.items()}
    times = {name: [] for name in sides}
    try:
        for process in processes.values():
            process.stdout.readline()
        until = time.monotonic() + limit - 10
        for pair in range(40):
            if time.monotonic() > until:
                break
            for name in (("bare", "recorded"), ("recorded", "bare"))[pair % 2]:
                processes[name].stdin.write("go\n")
                processes[name].stdin.flush()
                times[name].append(float(processes[name].stdout.readline()))
    finally:
        for process in processes.values():
            os.killpg(process.pid, signal.SIGKILL)
    pairs = list(zip(times["bare"], times["recorded"]))
    rows["whole runs"] = {"pairs": len(pairs), "percent": loops.median_with_interval([100 * (b / a - 1) for a, b in pairs]),
                          **{name: loops.median_with_interval(values) for name, values in times.items()}}


# name, seconds it needs, what it does
PARTS = [
    ("native, launch-bound", 45, lambda: native("native, launch-bound", "launch_bound", False, 100, 10)),
    ("native, launch-bound, with calls", 45, lambda: native("native, launch-bound, with calls", "launch_bound", True, 100, 10)),
    ("native, ResNet-50", 50, lambda: native("native, ResNet-50", "resnet", False, 50, 10)),
    ("native, ResNet-50, 256 pictures", 40, lambda: native("native, ResNet-50, 256 pictures", "resnet_large", False, 24, 5)),
    ("kernels", 30, count),
    ("outside the window", 60, hook),
    ("window", 100, window_series),
    ("captures", 90, captures),
    ("programs", 50, programs),
    ("one window", 45, one_window),
    ("whole runs", 40, forked),
]

os.makedirs(OUT, exist_ok=True)
rows["machine"] = subprocess.run("nvidia-smi -L; uname -r; nproc; python3 -c 'import torch, jax; print(torch.__version__, jax.__version__)'",
                                 shell=True, capture_output=True, text=True, env=ENVIRONMENT).stdout.splitlines()
for name, needs, part in PARTS:
    if WANTED and not any(word in name for word in WANTED):
        continue
    if left() < needs:
        rows[name + ": not run"] = "no time left"
        continue
    begin = time.monotonic()
    try:
        part()
    except Exception as error:  # one part that fails costs no other
        rows[name + ": failed"] = repr(error)
    rows.setdefault("seconds", {})[name] = round(time.monotonic() - begin, 1)
    save()
save()
print(json.dumps(rows, indent=1)[:9000])
