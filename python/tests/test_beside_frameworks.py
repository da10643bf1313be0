"""One process with stepscope and a framework, imported in either order: both work, and nothing of ours is visible."""

import importlib.util
import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]

# A regex (RE2), gzip, threads, a report, a view: what could run into a framework's libraries.
OURS = """
import stepscope
from stepscope.tensorflow.profiler import Profiler, ProfileOptionBuilder
profile = stepscope.open("examples/resnet50_inputbound.pt.trace.json.gz", progress=False)
assert profile.report().verdict.bound_by == "input"
p = Profiler("tests/tfprof/conv/graph.pb.gz", "tests/tfprof/conv/op_log.gz")
p.add_step(0, "tests/tfprof/conv/run_meta_0.pb.gz")
options = ProfileOptionBuilder().with_node_names(show_name_regexes=["net.*(conv|bn)[0-9]"]).with_empty_output().build()
for view in (p.profile_name_scope, p.profile_graph, p.profile_operations, p.profile_python):
    view(options)
"""

FRAMEWORKS = {
    "tensorflow": """
import tensorflow as tf
assert float(tf.reduce_sum(tf.matmul(tf.ones([64, 64]), tf.ones([64, 64])))) == 64 ** 3
assert bool(tf.strings.regex_full_match("step_12", "step_[0-9]+"))  # its own RE2
""",
    "jax": """
import jax, jax.numpy as jnp
assert float(jax.jit(lambda x: (x @ x).sum())(jnp.ones((64, 64)))) == 64 ** 3
""",
    "torch": """
import torch
assert float((torch.ones(64, 64) @ torch.ones(64, 64)).sum()) == 64 ** 3
""",
}


def run(program):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "TF_CPP_MIN_LOG_LEVEL": "3", "JAX_PLATFORMS": "cpu"}
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr[-2000:]


def need(framework):
    if importlib.util.find_spec(framework) is None:
        pytest.skip(f"SKIPPED LOUDLY: {framework} is not installed, so nothing was tested beside it")


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_framework_first(framework):
    need(framework)
    run(FRAMEWORKS[framework] + OURS + FRAMEWORKS[framework])


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_stepscope_first(framework):
    need(framework)
    run(OURS + FRAMEWORKS[framework] + OURS)


def test_all_that_are_there():
    present = [name for name in FRAMEWORKS if importlib.util.find_spec(name)]
    missing = [name for name in FRAMEWORKS if name not in present]
    if not present:
        pytest.skip("SKIPPED LOUDLY: no framework is installed")
    all_of_them = "".join(FRAMEWORKS[name] for name in present)
    run(all_of_them + OURS + all_of_them)
    run(OURS + all_of_them + OURS)
    if missing:
        pytest.skip(f"SKIPPED LOUDLY: {', '.join(missing)} not installed; tested beside {', '.join(present)}")


def test_importing_brings_no_framework():
    run("""
import sys, stepscope, stepscope.tensorflow.timeline, stepscope.tensorflow.profiler, stepscope.events, stepscope.nan
import stepscope.torch, stepscope.jax, stepscope.gpus
stepscope.tensorflow.ProfileCallback, stepscope.tensorflow.is_input_bound, stepscope.tensorflow.thread_settings
assert not {"tensorflow", "torch", "jax", "keras", "numpy", "google.protobuf"} & sys.modules.keys()
""")


def test_another_allocator():
    """The engine finds its own libraries first, but memory comes from the program's allocator: nothing is freed elsewhere."""
    found = [p for pattern in ("libjemalloc.so.*", "libtcmalloc*.so.*") for p in pathlib.Path("/usr/lib").rglob(pattern)]
    if not found:
        pytest.skip("SKIPPED: neither jemalloc nor tcmalloc is installed")
    # Columns of several megabytes: those are asked for in another way.
    large = """
event = b'{"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":%d,"dur":1}'
trace = b"[" + b",".join(event % i for i in range(400_000)) + b"]"
assert len(stepscope.open(trace, progress=False).slices) == 400_000
"""
    os.environ["LD_PRELOAD"] = str(found[0])
    try:
        run(OURS + large)
    finally:
        del os.environ["LD_PRELOAD"]


def test_nothing_is_visible():
    """The extension shows its entry point and nothing else."""
    from stepscope import _native

    try:
        said = subprocess.run(["nm", "-D", "--defined-only", _native.__file__], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("SKIPPED: no nm")
    names = [line.split()[-1].split("@")[0] for line in said.stdout.splitlines() if " A " not in line]
    assert names == ["PyInit__native"]
