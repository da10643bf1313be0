"""TensorFlow programs with a known cause of slowness, for a CPU. See harness.py.

Steps are recorded by tf.profiler (an XPlane), or run by run (RunMetadata) where the program uses a session.
"""
import glob
import os
import shutil
import tempfile
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import numpy as np
import tensorflow as tf
from harness import OUT, case, healthy, main, two

tf.config.threading.set_intra_op_parallelism_threads(1)
tf.config.threading.set_inter_op_parallelism_threads(1)
WIDE, ROWS = 384, 256


def spin(ms):
    until = time.perf_counter() + ms / 1e3
    while time.perf_counter() < until:
        pass


def layers(depth, width=WIDE):
    return [tf.Variable(tf.random.normal((width, width)) / width**0.5) for _ in range(depth)]


def forward(weights, x):
    for weight in weights:
        x = tf.nn.relu(x @ weight)
    return x


def trained(weights):
    """One compiled step of plain gradient descent."""

    @tf.function(reduce_retracing=False)
    def update(x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(forward(weights, x)))
        for weight, gradient in zip(weights, tape.gradient(loss, weights)):
            weight.assign_sub(0.01 * gradient)
        return loss

    return update


def batch():
    return tf.random.normal((ROWS, WIDE))


# ---- input
@case(["input-bound-step", "python-in-input", "pyfunc-in-step", "tfdata-slow-iterator", "gpu-idle-gap-attribution"], "held")
def tf_generator_in_python(bad):
    """A data set fed by a slow Python generator; mended: the generator is quick."""

    def rows():
        one = np.ones((ROWS, WIDE), np.float32)
        while True:
            if bad:
                spin(80)
            yield one

    update = trained(layers(2))
    data = iter(tf.data.Dataset.from_generator(rows, output_signature=tf.TensorSpec((ROWS, WIDE), tf.float32)))

    def step(i):
        update(next(data)).numpy()

    return step


@case(["sequential-map", "missing-prefetch", "input-bound-step", "tfdata-slow-iterator", "hot-op-dominates"], "tune")
def tf_map_in_the_step(bad):
    """Each batch is made by a costly map when the step asks for it; mended: it was cached before."""
    update = trained(layers(4))

    def costly(x):
        for _ in range(5):
            x = tf.matmul(x, x, transpose_b=True)[:, :WIDE] / 100.0
        return x

    data = tf.data.Dataset.from_tensors(tf.ones((WIDE, WIDE))).repeat(1 if not bad else -1).map(costly)
    data = iter(data if bad else data.cache().repeat())

    def step(i):
        update(next(data)[:ROWS]).numpy()

    return step


# ---- Python inside the step
@case(["pyfunc-in-step", "python-in-input"], "tune")
def tf_numpy_function_in_model(bad):
    weights = layers(6)

    def look(x):
        spin(15)
        return x

    @tf.function
    def run(x):
        x = forward(weights[:3], x)
        if bad:
            x = tf.ensure_shape(tf.numpy_function(look, [x], tf.float32), (ROWS, WIDE))
        return tf.reduce_sum(forward(weights[3:], x))

    x = batch()

    def step(i):
        run(x).numpy()

    return step


# ---- how it is run
@case(["eager-execution-overhead", "kernel-launch-bound", "python-loop-of-ops"], "held")
def tf_without_function(bad):
    """Many small layers op by op; mended: tf.function."""
    weights = [tf.Variable(tf.random.normal((32, 32)) / 6) for _ in range(150)]
    x = tf.ones((16, 32))

    def run():
        return tf.reduce_sum(forward(weights, x))

    run = run if bad else tf.function(run)

    def step(i):
        run().numpy()

    return step


@case(["dynamic-shape-recompile", "compile-time-dominates-startup"], "tune", rounds=2, steps=3, warmup=1)
def tf_retraces(bad):
    """A new length of the batch each step: tf.function traces again; mended: one length."""
    weights = layers(8, 128)

    @tf.function(reduce_retracing=False)
    def run(x):
        return tf.reduce_sum(forward(weights, x))

    def step(i):
        run(tf.ones((64 + (i if bad else 0), 128))).numpy()

    return step


@case(["map-fn-while-loop-serial"], "held")
def tf_map_fn(bad):
    """Rows one after the other in a loop; mended: all at once."""
    weight = tf.Variable(tf.random.normal((64, 64)))

    @tf.function
    def run(x):
        one = lambda row: tf.reduce_sum(tf.linalg.matvec(weight, row))
        return tf.reduce_sum(tf.map_fn(one, x)) if bad else tf.reduce_sum(x @ tf.transpose(weight))

    x = tf.random.normal((400, 64))

    def step(i):
        run(x).numpy()

    return step


# ---- two causes
@two(
    ["input-bound-step", "python-in-input", "tfdata-slow-iterator", "gpu-idle-gap-attribution"], ["pyfunc-in-step"], "held"
)
def tf_generator_and_numpy_function(first, second):
    weights = layers(4)

    def rows():
        one = np.ones((ROWS, WIDE), np.float32)
        while True:
            if first:
                spin(120)
            yield one

    def look(x):
        spin(20)
        return x

    @tf.function
    def run(x):
        x = forward(weights, x)
        return tf.reduce_sum(tf.numpy_function(look, [x], tf.float32) if second else x)

    data = iter(tf.data.Dataset.from_generator(rows, output_signature=tf.TensorSpec((ROWS, WIDE), tf.float32)))

    def step(i):
        run(next(data)).numpy()

    return step


# ---- nothing to gain
@healthy("tune")
def healthy_tf_training(bad):
    update, x = trained(layers(6)), batch()

    def step(i):
        update(x).numpy()

    return step


@healthy("held")
def healthy_tf_fed(bad):
    update = trained(layers(6))
    data = iter(tf.data.Dataset.from_tensors(tf.ones((ROWS, WIDE))).repeat().prefetch(4))

    def step(i):
        update(next(data)).numpy()

    return step


def record(known, side, step, at):
    folder = tempfile.mkdtemp()
    options = tf.profiler.experimental.ProfilerOptions(host_tracer_level=2, python_tracer_level=0)
    tf.profiler.experimental.start(folder, options)
    for n in range(known.options.get("active", 5)):
        with tf.profiler.experimental.Trace("train", step_num=n, _r=1):
            step(at[0])
            at[0] += 1
    tf.profiler.experimental.stop()
    found = glob.glob(f"{folder}/**/*.xplane.pb", recursive=True)[0]
    shutil.copy(found, f"{OUT}/{known.name}.{side}.xplane.pb")
    shutil.rmtree(folder)


if __name__ == "__main__":
    main(lambda: None, record)
