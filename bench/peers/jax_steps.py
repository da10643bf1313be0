"""Steps of real JAX loops without markers: all of them are found.

    jax_steps.py STEPSCOPE [LOOPS [FIRST]]     (default: 60)

Loops of twenty kinds, on the CPU, with numbers of steps, layers and sizes drawn at random (seeded): those that wait for
their results, now and then or never, with one jitted function or several, compiled ahead of time, with evaluation, logging,
random keys, micro-batches. The profiler runs around the loop alone; the number of steps is what the loop did.
"""

import glob
import json
import os
import subprocess
import sys
import tempfile
import time

os.environ["JAX_PLATFORMS"] = "cpu"

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402


def loss_fn(params, x, y):
    for weights in params[:-1]:
        x = jnp.tanh(x @ weights)
    return jnp.mean((x @ params[-1] - y) ** 2)


def sgd(params, x, y):
    loss, gradients = jax.value_and_grad(loss_fn)(params, x, y)
    return jax.tree.map(lambda p, g: p - 0.01 * g, params, gradients), loss


def four_steps(params, x, y):
    return jax.lax.scan(lambda p, _: sgd(p, x, y), params, None, length=4)


train_step = jax.jit(sgd)
donating = jax.jit(sgd, donate_argnums=0)
scanned = jax.jit(four_steps)
gradients_of = jax.jit(jax.value_and_grad(loss_fn))


@jax.jit
def update(params, gradients):
    return jax.tree.map(lambda p, g: p - 0.01 * g, params, gradients)


@jax.jit
def add(left, right):
    return jax.tree.map(jnp.add, left, right)


@jax.jit
def evaluate(params, x, y):
    return loss_fn(params, x, y)


@jax.jit
def eval_step(params, x, y):
    return loss_fn(params, x, y)


class Data:
    def __init__(self, rng, batch, width):
        self.rng, self.batch, self.width = rng, batch, width

    def __call__(self):
        return (self.rng.normal(size=(self.batch, self.width)).astype("float32"),
                self.rng.normal(size=(self.batch, 1)).astype("float32"))


# One step each: they take the state and give it back.
def sync(at, params, data, batch):
    params, loss = train_step(params, *batch)
    loss.block_until_ready()
    return params


def nosync(at, params, data, batch):
    return train_step(params, *batch)[0]


def float_loss(at, params, data, batch):
    params, loss = train_step(params, *batch)
    float(loss)
    return params


def sync_every(at, params, data, batch):
    params, loss = train_step(params, *batch)
    if at % 4 == 3:
        loss.block_until_ready()
    return params


def two_jits(at, params, data, batch):
    params = update(params, gradients_of(params, *batch)[1])
    return jax.block_until_ready(params)


def two_jits_nosync(at, params, data, batch):
    return update(params, gradients_of(params, *batch)[1])


def donate(at, params, data, batch):
    params, loss = donating(params, *batch)
    loss.block_until_ready()
    return params


def donate_nosync(at, params, data, batch):
    return donating(params, *batch)[0]


def eager(at, params, data, batch):
    hidden = jnp.tanh(batch[0] @ params[0])
    float(jnp.mean(hidden * hidden))
    return [params[0] - 0.001 * hidden.mean(), *params[1:]]


def eval_every(at, params, data, batch):
    params, _ = train_step(params, *batch)
    if at % 5 == 4:
        float(evaluate(params, *batch))
    return params


def slow_input(at, params, data, batch):
    time.sleep(0.003)
    params, loss = train_step(params, *data())
    loss.block_until_ready()
    return params


def device_put_nosync(at, params, data, batch):
    return train_step(params, *jax.device_put(data()))[0]


def prefetch(at, params, data, batch):
    params, loss = train_step(params, *jax.device_put(data()))
    if at % 2:
        loss.block_until_ready()
    return params


def scan(at, params, data, batch):
    params, losses = scanned(params, *batch)
    losses.block_until_ready()
    return params


def log_every(at, params, data, batch):
    params, loss = train_step(params, *batch)
    if at % 7 == 0:
        float(jnp.sqrt(loss))
    return params


def keys(at, params, data, batch):
    key = jax.random.split(jax.random.key(at))[0]
    return train_step(params, batch[0] + jax.random.normal(key, batch[0].shape), batch[1])[0]


def epochs(at, params, data, batch):
    params, _ = train_step(params, *batch)
    if at % 6 == 5:
        losses = [eval_step(params, *batch) for _ in range(3)]
        float(losses[-1])
    return params


def micro_batches(at, params, data, batch):
    total = gradients_of(params, *batch)[1]
    for _ in range(3):
        total = add(total, gradients_of(params, *batch)[1])
    return update(params, total)


def ahead_of_time(at, params, data, batch):
    if at == 0:
        ahead_of_time.compiled = train_step.lower(params, *batch).compile()
    params, loss = ahead_of_time.compiled(params, *batch)
    loss.block_until_ready()
    return params


def wait_before(at, params, data, batch):
    jax.block_until_ready(params)
    return train_step(params, *batch)[0]


KINDS = (sync, nosync, float_loss, sync_every, two_jits, two_jits_nosync, donate, donate_nosync, eager, eval_every,
         slow_input, device_put_nosync, prefetch, scan, log_every, keys, epochs, micro_batches, ahead_of_time, wait_before)


def record(number, folder):
    draw = np.random.default_rng(1000 + number)
    kind = KINDS[number % len(KINDS)]
    steps, layers = int(draw.integers(6, 25)), int(draw.integers(1, 5))
    width, rows = int(draw.choice([32, 64, 128, 256])), int(draw.choice([16, 64, 256]))
    data = Data(draw, rows, width)
    batch = data() if number % 3 else jax.device_put(data())
    params = [jnp.asarray(0.05 * draw.normal(size=(width, width)).astype("float32")) for _ in range(layers)]
    params.append(jnp.zeros((width, 1)))
    options = jax.profiler.ProfileOptions()
    options.python_tracer_level = number % 2
    for at in range(7):
        params = kind(at, params, data, batch)
    jax.block_until_ready(params)
    jax.profiler.start_trace(folder, profiler_options=options)
    for at in range(1, steps + 1):
        params = kind(at, params, data, batch)
    jax.block_until_ready(params)
    jax.profiler.stop_trace()
    return kind.__name__, steps


def main():
    stepscope = sys.argv[1]
    loops = int(sys.argv[2]) if len(sys.argv) > 2 else 60
    first = int(sys.argv[3]) if len(sys.argv) > 3 else 0
    wrong = 0
    for number in range(first, first + loops):
        with tempfile.TemporaryDirectory() as folder:
            kind, steps = record(number, folder)
            path, = glob.glob(f"{folder}/plugins/profile/*/*.xplane.pb")
            done = subprocess.run([stepscope, "report", "--json", path], capture_output=True, check=True)
            found = json.loads(done.stdout)["steps"]
        if len(found["items"]) != steps:
            wrong += 1
            print(f"loop {number} ({kind}): {len(found['items'])} steps of {steps}, source {found['source']}")
    print(f"jax_steps: the steps of {loops - wrong} of {loops} loops are found")
    return 1 if wrong else 0


sys.exit(main())
