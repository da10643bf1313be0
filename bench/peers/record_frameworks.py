"""`stepscope record` on real programs that know nothing of it: Keras `fit` and graph mode of TensorFlow 1, on the CPU.

    record_frameworks.py STEPSCOPE

Each program runs twice: recorded, and with a few lines of its own for the framework's profiler. Fails where the recorder
missed a step, or where its profile has other ops in a step than the framework's own. A framework that is not installed is
listed as not run.
"""

import collections
import importlib.util
import json
import os
import subprocess
import sys
import tempfile

STEPSCOPE = os.path.abspath(sys.argv[1])

KERAS = """
import sys
import numpy, tensorflow as tf
tf.keras.utils.set_random_seed(1)
model = tf.keras.Sequential([tf.keras.layers.Dense(64, activation="relu"), tf.keras.layers.Dense(10)])
model.compile("sgd", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
data = numpy.ones((32 * 40, 128), "float32"), numpy.zeros(32 * 40, "int32")
class Profiler(tf.keras.callbacks.Callback):
    def on_train_batch_begin(self, batch, logs=None):
        if batch == 10:
            tf.profiler.experimental.start(sys.argv[1])
        self.marker = tf.profiler.experimental.Trace("train", step_num=batch, _r=1)
        self.marker.__enter__()
    def on_train_batch_end(self, batch, logs=None):
        self.marker.__exit__(None, None, None)
        if batch == 19:
            tf.profiler.experimental.stop()
callbacks = [Profiler()] if len(sys.argv) > 1 else []
model.fit(*data, batch_size=32, epochs=1, verbose=0, shuffle=False, callbacks=callbacks)
"""

SESSION = """
import sys
import tensorflow.compat.v1 as tf
tf.disable_eager_execution()
x = tf.placeholder(tf.float32, [64, 64], "x")
weights = tf.Variable(tf.ones([64, 64]), name="weights")
loss = tf.reduce_sum(tf.tanh(tf.matmul(x, weights)))
train = tf.train.GradientDescentOptimizer(0.01).minimize(loss)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for step in range(40):
        feed = {x: [[1.0] * 64] * 64}
        if len(sys.argv) > 1 and step == 20:
            metadata = tf.RunMetadata()
            options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
            session.run([train, loss], feed, options, metadata)
            open(sys.argv[1], "wb").write(metadata.SerializeToString())
        else:
            session.run([train, loss], feed)
"""


def run(*words):
    environment = dict(os.environ, TF_CPP_MIN_LOG_LEVEL="3")
    done = subprocess.run(words, capture_output=True, text=True, timeout=600, env=environment)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(words)} failed:\n{done.stderr}")
    return done.stdout


def report(path):
    """One report; of a directory with several profiles the first with steps."""
    answer = json.loads(run(STEPSCOPE, "report", "--json", "--all", path))
    return next(part for part in answer.get("reports", [answer]) if part["profile"]["format"] != "recording")


def calls_per_step(of):
    """Ops by name with their calls in a step. What does not run in every step is no part of it."""
    calls = collections.Counter()
    for row in of["ops"]:
        calls[row["name"]] += row["calls"]
    steps = max(of["steps"]["count"], 1)
    return {name: count / steps for name, count in calls.items() if count >= steps}


def compare(name, recorded, own, steps):
    timed = recorded["recording"]["steps"]
    problems = []
    if len(timed) != steps:
        problems.append(f"{len(timed)} steps timed instead of {steps}")
    seen, expected = calls_per_step(recorded), calls_per_step(own)
    ops = sorted(seen.keys() | expected.keys())
    different = [op for op in ops if round(seen.get(op, 0)) != round(expected.get(op, 0))]
    if different or not seen:
        counts = (f"{op} {seen.get(op, 0):g} / {expected.get(op, 0):g}" for op in different[:10])
        problems.append("ops per step differ: " + ", ".join(counts))
    window = recorded["steps"]["count"]
    verdict = "; ".join(problems) or "as the framework has it"
    print(f"{name:<22} {len(timed)} steps timed · {window} in the profile · {len(seen)} ops, "
          f"{sum(seen.values()):g} calls a step · {verdict}")
    return not problems


def keras(folder):
    script, out, own = (os.path.join(folder, name) for name in ("fit.py", "run", "own"))
    with open(script, "w", encoding="utf-8") as file:
        file.write(KERAS)
    run(STEPSCOPE, "record", "--quiet", "--out", out, "--", sys.executable, script)
    run(sys.executable, script, own)
    return compare("Keras fit", report(out), report(own), 39)  # the first batch starts the clock


def sessions(folder):
    script, out, own = (os.path.join(folder, name) for name in ("graph.py", "run", "own.pb"))
    with open(script, "w", encoding="utf-8") as file:
        file.write(SESSION)
    run(STEPSCOPE, "record", "--quiet", "--out", out, "--", sys.executable, script)
    run(sys.executable, script, own)
    return compare("TensorFlow 1 sessions", report(out), report(own), 40)  # the initializer's run starts the clock


def main():
    if importlib.util.find_spec("tensorflow") is None:
        print("TensorFlow              not run: not installed")
        return 0
    fine = True
    for program in (keras, sessions):
        with tempfile.TemporaryDirectory() as folder:
            fine &= program(folder)
    return 0 if fine else 1


sys.exit(main())
