"""What `stepscope record` costs and sees on a machine with an NVIDIA GPU, side by side in one run. Needs build/device of
bench/device/pack.sh, PyTorch, JAX and nvcc.
    python3 bench/device/record_rows.py OUT"""

import glob
import json
import os
import statistics
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
STEPSCOPE = os.path.join(ROOT, "build", "device", "stepscope")
OUT = sys.argv[1]
os.makedirs(OUT, exist_ok=True)
ENVIRONMENT = dict(os.environ, XLA_PYTHON_CLIENT_PREALLOCATE="false")


def program(name):
    return os.path.join(HERE, "programs", name)


def run(command, log):
    begin = time.time()
    done = subprocess.run(command, capture_output=True, text=True, env=ENVIRONMENT)
    with open(os.path.join(OUT, "log.txt"), "a") as file:
        file.write("\n$ %s\n[%d, %.1f s]\n%s\n%s\n" % (" ".join(command), done.returncode, time.time() - begin, done.stdout[-3000:], done.stderr[-6000:]))
    print("%-28s exit %d, %.1f s" % (log, done.returncode, time.time() - begin), flush=True)
    return done


def record(name, options, *command):
    folder = os.path.join("/tmp", "rec-" + name)
    subprocess.run(["rm", "-rf", folder])
    done = run([STEPSCOPE, "record", "--out", folder, *options, "--", *command], name)
    return done, folder


def last_json(done):
    try:
        return json.loads(done.stdout.strip().splitlines()[-1])
    except Exception:  # the log has it
        return None


def report(folder):
    done = subprocess.run([STEPSCOPE, "report", "--json", folder], capture_output=True, text=True)
    try:
        return json.loads(done.stdout)
    except Exception:
        return {}


def kernels(one):
    return {row["name"]: row["calls"] for row in one.get("kernels", []) if row["kind"] in ("kernel", "collective")}


rows = {}
python = sys.executable

# 1. the native library off and on in one program.
for kind, calls, rounds, steps in (("launch_bound", "1e9", 30, 40), ("launch_bound", "0", 30, 40), ("resnet", "1e9", 10, 15)):
    ENVIRONMENT["STEPSCOPE_CALLS_AFTER"] = calls
    ENVIRONMENT["STEPSCOPE_CALLS_FOR"] = "1e9"
    done, _ = record("toggled-%s-%s" % (kind, calls), ["--native", "--report", "none"], python, program("toggled.py"), kind, str(rounds), str(steps))
    got = last_json(done)
    if got:
        rows["native %s%s" % (kind, " with calls" if calls == "0" else "")] = {"off_ms": got["off"], "on_ms": got["on"], "percent": got["percent"], "quartiles": got["quartiles"]}
ENVIRONMENT.pop("STEPSCOPE_CALLS_AFTER")
ENVIRONMENT.pop("STEPSCOPE_CALLS_FOR")

# 2. the window, against the framework's own profiler; what is left after it.
for i in range(3):
    own = last_json(run([python, program("window.py"), "own"], "window own"))
    bare = last_json(run([python, program("window.py"), "bare"], "window bare"))
    done, folder = record("window%d" % i, ["--steps", "301-330", "--report", "none"], python, program("window.py"), "recorded")
    rows.setdefault("window", []).append({"own": own, "bare": bare, "recorded": last_json(done)})

# 3. kernels natively against Kineto's, by name: the same fifty steps, and what set-up ran before them.
kineto = last_json(run([python, program("counted.py"), "/tmp/counted.json"], "counted own")) or {}
done, folder = record("counted", ["--native", "--report", "none"], python, program("counted.py"))
native = kernels(report(folder))
more = {name: (count, kineto.get(name, 0)) for name, count in native.items() if count != kineto.get(name, 0)}
less = {name: count for name, count in kineto.items() if name not in native}
rows["kernels"] = {"kineto": sum(kineto.values()), "native": sum(native.values()), "different": more, "missing": less,
                   "quality": [entry["code"] for entry in report(folder).get("quality", [])]}

# 4. hook installed, outside the window: bare and recorded in turn.
bare, hooked = [], []
for _ in range(5):
    bare += last_json(run([python, program("launch_bound.py"), "4", "100"], "bare")) or []
    done, folder = record("hooked", ["--steps", "100000-100001", "--report", "none"], python, program("launch_bound.py"), "4", "100")
    hooked += last_json(done) or []
rows["hook"] = {"bare_ms": statistics.median(bare), "hooked_ms": statistics.median(hooked), "bare": bare, "hooked": hooked,
                "recording": {key: value for key, value in report(folder).get("recording", {}).items() if key != "steps"}}

# 5. ordinary programs.
for name, options, command in (
    ("gpt2", [], [python, program("gpt2.py")]),
    ("vision", [], [python, program("vision.py")]),
    ("jax", [], [python, program("jax_loop.py")]),
    ("torchrun", [], ["torchrun", "--nproc-per-node", "2", program("ddp.py")]),
    ("jax-native", ["--native"], [python, program("jax_loop.py")]),
):
    done, folder = record(name, options, *command)
    one = report(folder)
    many = one.get("reports", [one])
    rows["program " + name] = [{"verdict": r.get("verdict", {}).get("sentence") or r.get("verdict"), "steps": r.get("steps", {}).get("count"),
                                "kernels": sum(kernels(r).values()), "quality": [e["code"] for e in r.get("quality", [])],
                                "counters": sorted({c.get("name") for c in r.get("counters", []) if isinstance(c, dict)})} for r in many]
binary = "/tmp/saxpy"
if run(["nvcc", "-O2", "-arch=sm_90", "-o", binary, program("saxpy.cu")], "nvcc").returncode == 0:
    done, folder = record("cuda", [], binary)
    rows["program cuda"] = kernels(report(folder))
    subprocess.run(["tar", "czf", os.path.join(OUT, "cuda.tgz"), "-C", "/tmp", "rec-cuda"])
subprocess.run(["tar", "czf", os.path.join(OUT, "gpt2.tgz"), "-C", "/tmp", "rec-gpt2"])
with open(os.path.join(OUT, "rows.json"), "w") as file:
    json.dump(rows, file, indent=1)
print(json.dumps(rows, indent=1)[:9000])
