"""Two versions of ONNX Runtime compared, as its release notes tell the change: diff_versions.py STEPSCOPE OLD_PYTHON NEW_PYTHON.

Version 1.10 got an optimizer that pushes a Transpose through the graph until it meets its inverse, and then removes both. The
model here has such a pair around a Relu and one Transpose that nothing cancels. So `stepscope diff` has to say: two Transposes
are removed, nothing is added, and the other ops are the same ones. Runs of one version must not differ in their ops at all.
OLD_PYTHON has onnxruntime 1.9, NEW_PYTHON 1.10; only the standard library and numpy are used beside it.
"""
import json
import os
import subprocess
import sys
import tempfile

RUNS, CALLS = 4, 30
# Calls a step with the old and the new version, by the names of the model's nodes.
EXPECTED = {"Transpose_a": (1, 0), "Relu_b": (1, 1), "Transpose_c": (1, 0), "Sigmoid_d": (1, 1), "Softmax_e": (1, 1), "Transpose_y": (1, 1)}
PROGRAM = """
import sys, numpy, onnxruntime
options = onnxruntime.SessionOptions()
options.enable_profiling, options.profile_file_prefix = True, sys.argv[2]
options.intra_op_num_threads = 1
session = onnxruntime.InferenceSession(sys.argv[1], options, providers=["CPUExecutionProvider"])
x = numpy.random.RandomState(0).rand(1, 16, 96, 96).astype("float32")
for _ in range(int(sys.argv[3])):
    session.run(None, {"x": x})
print(session.end_profiling())
"""


# ---- an ONNX model, written as protobuf: fields as onnx.proto numbers them
def varint(value):
    out = bytearray()
    while True:
        out.append(value & 0x7F | (0x80 if value > 0x7F else 0))
        value >>= 7
        if not value:
            return bytes(out)


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def node(op, source, target, axes=()):
    attribute = field(1, "perm") + b"".join(field(8, axis) for axis in axes) + field(20, 7)
    return field(1, source) + field(2, target) + field(3, op + "_" + target) + field(4, op) + (field(5, attribute) if axes else b"")


def value(name, *dims):
    shape = b"".join(field(1, field(1, dim)) for dim in dims)
    return field(1, name) + field(2, field(1, field(1, 1) + field(2, shape)))


def model():
    nodes = [
        node("Transpose", "x", "a", (0, 2, 3, 1)),
        node("Relu", "a", "b"),
        node("Transpose", "b", "c", (0, 3, 1, 2)),
        node("Sigmoid", "c", "d"),
        node("Softmax", "d", "e"),
        node("Transpose", "e", "y", (0, 2, 3, 1)),
    ]
    graph = b"".join(field(1, one) for one in nodes) + field(2, "pair") + field(11, value("x", 1, 16, 96, 96))
    graph += field(12, value("y", 1, 96, 96, 16))
    return field(1, 7) + field(7, graph) + field(8, field(2, 13))


def record(python, path, folder, name):
    done = subprocess.run([python, "-c", PROGRAM, path, os.path.join(folder, name), str(CALLS)], check=True, capture_output=True, text=True)
    return done.stdout.strip().splitlines()[-1]


def compare(stepscope, base, new):
    done = subprocess.run([stepscope, "diff", "--json", *base, "--", *new], check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


def main():
    stepscope, old, new = sys.argv[1:4]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "pair.onnx")
        with open(path, "wb") as file:
            file.write(model())
        before, after = [], []
        for run in range(RUNS):  # in turn, so that a slow minute of the machine meets both
            before.append(record(old, path, folder, f"old{run}"))
            after.append(record(new, path, folder, f"new{run}"))
        said = compare(stepscope, before, after)
        same = compare(stepscope, before[:2], before[2:])
    faults = []
    ops = {}
    for row in said["nodes"]:
        ops.setdefault(row["key"]["op"], []).append(row)
    calls = {op: tuple(sum((row[side] or {}).get("calls") or 0 for row in rows) for side in ("base", "new")) for op, rows in ops.items()}
    for op, (base, now) in sorted(calls.items()):
        print(f"{op:30} {base:g} -> {now:g} calls a step")
    print(said["verdict"]["result"], "-", said["verdict"]["sentence"])
    for op, counts in EXPECTED.items():
        found = calls.get(op + "_kernel_time")
        if found != counts:
            faults.append(f"{op}: {found} calls a step, expected {counts}")
    gone = {f"{op}_kernel_time" for op, counts in EXPECTED.items() if counts == (1, 0)}
    changed = {row["key"]["op"] for row in said["nodes"] if row["state"] != "matched"}
    if changed != gone:
        faults.append(f"{sorted(changed)} changed, expected {sorted(gone)}")
    if {row["key"]["op"] for row in said["nodes"][:2]} != gone:
        faults.append("what was removed does not come first")
    if said["verdict"]["result"] not in ("faster", "cannot_tell"):
        faults.append(f"less work is called {said['verdict']['result']}")
    for row in same["nodes"]:
        if row["state"] != "matched":
            faults.append(f"one version against itself: {row['key']['op']} is called {row['state']}")
    if same["verdict"]["result"] in ("slower", "faster"):
        faults.append(f"one version against itself is called {same['verdict']['result']}")
    for fault in faults:
        print("FAULT:", fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
