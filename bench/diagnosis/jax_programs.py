"""JAX programs with a known cause of slowness, for an accelerator or a CPU. See harness.py."""
import glob
import os
import shutil
import tempfile
import time

import jax
import jax.numpy as jnp
import numpy as np
from harness import OUT, case, healthy, main

ON_CPU = jax.default_backend() == "cpu"
SUFFIX = "_cpu" if ON_CPU else ""
WIDE = 256 if ON_CPU else 2048
ROWS = 128 if ON_CPU else 2048


def spin(ms):
    until = time.perf_counter() + ms / 1e3
    while time.perf_counter() < until:
        pass


def layers(depth, width, dtype=jnp.bfloat16):
    keys = jax.random.split(jax.random.PRNGKey(0), depth)
    return [jax.random.normal(key, (width, width), dtype) / width**0.5 for key in keys]


def forward(weights, x):
    for weight in weights:
        x = jax.nn.gelu(x @ weight)
    return x


def sgd(weights, x):
    gradients = jax.grad(lambda w: forward(w, x).astype(jnp.float32).mean())(weights)
    return [w - 0.01 * g for w, g in zip(weights, gradients)]


def training(depth=8, width=WIDE, rows=ROWS, fetch=None, update=None):
    state = {"weights": layers(depth, width), "x": jnp.ones((rows, width), jnp.bfloat16)}
    update = update or jax.jit(sgd)

    def step(i):
        x = fetch(i) if fetch else state["x"]
        state["weights"] = update(state["weights"], x)
        state["last"] = state["weights"][0]

    step.state = state
    return step


@case(["input-bound-step", "python-in-input", "gpu-idle-gap-attribution", "inter-step-gap"], "tune")
def jax_slow_generator(bad):
    host = np.ones((ROWS, WIDE), np.float32)

    def slow(i):
        if bad:
            spin(12)
        return jnp.asarray(host, jnp.bfloat16)

    return training(fetch=slow)


@case(["eager-execution-overhead", "kernel-launch-bound", "python-loop-of-ops"], "held")
def jax_without_jit(bad):
    weights, x = layers(12, 128), jnp.ones((64, 128), jnp.bfloat16)
    run = forward if bad else jax.jit(forward)

    def step(i):
        run(weights, x).block_until_ready()

    return step


@case(["dynamic-shape-recompile", "compile-time-dominates-startup"], "held", rounds=1, steps=3, warmup=1)
def jax_recompiles(bad):
    weights = layers(6, 512)
    run = jax.jit(forward)

    def step(i):
        run(weights, jnp.ones((64 + (8 * i if bad else 0), 512), jnp.bfloat16)).block_until_ready()

    return step


@case(["per-step-scalar-readback", "blocking-sync-calls", "gpu-idle-gap-attribution"], "tune")
def jax_float_every_layer(bad):
    weights, x = layers(40, 512), jnp.ones((256, 512), jnp.bfloat16)
    one = jax.jit(lambda w, x: jax.nn.gelu(x @ w))
    norm = jax.jit(lambda x: jnp.abs(x).mean())

    def step(i):
        y, seen = x, []
        for weight in weights:
            y = one(weight, y)
            seen.append(float(norm(y)) if bad else norm(y))
        jax.block_until_ready((y, seen))

    return step


@case(["tensor-cores-unused", "tf32-disabled"], "tune")
def jax_highest_precision(bad):
    weights, x = layers(8, WIDE, jnp.float32), jnp.ones((ROWS, WIDE), jnp.float32)
    run = jax.jit(forward)

    def step(i):
        with jax.default_matmul_precision("highest" if bad else "bfloat16"):
            run(weights, x).block_until_ready()

    return step


@case(["host-callback-in-step", "pyfunc-in-step", "gpu-idle-gap-attribution"], "held")
def jax_host_callback(bad):
    weights, x = layers(8, 1024), jnp.ones((1024, 1024), jnp.bfloat16)

    def look(value):
        spin(2)
        return np.float32(value)

    def run(weights, x):
        for n, weight in enumerate(weights):
            x = jax.nn.gelu(x @ weight)
            if bad and n % 2:
                mean = jax.pure_callback(look, jax.ShapeDtypeStruct((), jnp.float32), x.astype(jnp.float32).mean())
                x = x * mean.astype(jnp.bfloat16)
        return x

    compiled = jax.jit(run)

    def step(i):
        compiled(weights, x).block_until_ready()

    return step


@case(["h2d-pageable", "h2d-not-overlapped", "input-bound-step"], "held")
def jax_batch_from_host(bad):
    rows = 1024 if ON_CPU else 16384
    host = np.ones((rows, 2048), np.float32)
    at_device = jax.device_put(host)
    weights = layers(2, 2048, jnp.float32)
    run = jax.jit(lambda w, x: forward([a.astype(jnp.bfloat16) for a in w], x.astype(jnp.bfloat16)).sum())

    def step(i):
        run(weights, jax.device_put(host) if bad else at_device).block_until_ready()

    return step


@healthy("tune")
def healthy_jax_training(bad):
    return training(depth=12, width=2 * WIDE, rows=2 * ROWS)


@healthy("held")
def healthy_jax_scan(bad):
    weights = jnp.stack(layers(16, WIDE))
    run = jax.jit(lambda w, x: jax.lax.scan(lambda y, a: (jax.nn.gelu(y @ a), None), x, w)[0])
    x = jnp.ones((ROWS, WIDE), jnp.bfloat16)

    def step(i):
        run(weights, x).block_until_ready()

    return step


def sync():
    for array in jax.live_arrays():
        array.block_until_ready()


def record(known, side, step, at):
    folder = tempfile.mkdtemp()
    for _ in range(2):
        step(at[0])
        at[0] += 1
    sync()
    with jax.profiler.trace(folder):
        for n in range(known.options.get("active", 4)):
            with jax.profiler.StepTraceAnnotation("train", step_num=n):
                step(at[0])
                at[0] += 1
        sync()
    found = glob.glob(f"{folder}/**/*.xplane.pb", recursive=True)[0]
    shutil.copy(found, f"{OUT}/{known.name}.{side}.xplane.pb")
    shutil.rmtree(folder)


if __name__ == "__main__":
    main(sync, record, suffix=SUFFIX)
