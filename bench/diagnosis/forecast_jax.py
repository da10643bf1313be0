"""JAX programs that no rule had seen when they were first scored: the forecast. For an accelerator or a CPU; see harness.py."""
import jax
import jax.numpy as jnp
import numpy as np
from harness import CASES, case, healthy, main, two
from jax_programs import ON_CPU, SUFFIX, forward, layers, record, sync

CASES.clear()  # only the programs of this file
BATCH = 8 if ON_CPU else 256


def convolutions(width=32):
    keys = jax.random.split(jax.random.PRNGKey(1), 6)
    shapes = [(3, 3, 3, width)] + [(3, 3, width, width)] * 5
    return [jax.random.normal(key, shape, jnp.bfloat16) / 20 for key, shape in zip(keys, shapes)]


def features(weights, x):
    for weight in weights:
        x = jax.nn.relu(jax.lax.conv_general_dilated(x, weight, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")))
    return x.mean((1, 2))


def loss_of(weights, x):
    return jnp.square(features(weights, x).astype(jnp.float32)).mean()


@case(["input-bound-step", "python-in-input", "gpu-idle-gap-attribution", "inter-step-gap"], "forecast")
def jax_numpy_augmentation(bad):
    """Every batch is normalised and flipped with NumPy in the loop; mended: it was done before."""
    raw = np.random.randint(0, 255, (BATCH, 64, 64, 3), np.uint8)
    update = jax.jit(lambda w, x: [a - 0.01 * b for a, b in zip(w, jax.grad(loss_of)(w, x))])
    state = {"weights": convolutions()}

    def make_batch():
        part = (raw.astype(np.float32) / 255 - 0.45) / 0.22
        return part[:, :, ::-1].copy()

    ready = make_batch()

    def step(i):
        x = jnp.asarray(make_batch() if bad else ready, jnp.bfloat16)
        state["weights"] = update(state["weights"], x)

    return step


@case(["eager-execution-overhead", "kernel-launch-bound", "python-loop-of-ops"], "forecast")
def jax_optimizer_outside_jit(bad):
    """The gradient is compiled, Adam is written with arrays outside of it; mended: one compiled step."""
    weights = layers(30, 256)
    x = jnp.ones((256, 256), jnp.bfloat16)
    gradient = jax.jit(jax.grad(lambda w, x: forward(w, x).astype(jnp.float32).mean()))
    state = {"w": weights, "m": [jnp.zeros_like(w) for w in weights], "v": [jnp.zeros_like(w) for w in weights]}

    def adam(w, m, v, g):
        m = [0.9 * a + 0.1 * b for a, b in zip(m, g)]
        v = [0.99 * a + 0.01 * b * b for a, b in zip(v, g)]
        return [a - 0.001 * b / (jnp.sqrt(c) + 1e-6) for a, b, c in zip(w, m, v)], m, v

    compiled = jax.jit(lambda w, m, v, x: adam(w, m, v, gradient(w, x)))

    def step(i):
        if bad:
            state["w"], state["m"], state["v"] = adam(state["w"], state["m"], state["v"], gradient(state["w"], x))
        else:
            state["w"], state["m"], state["v"] = compiled(state["w"], state["m"], state["v"], x)
        jax.block_until_ready(state["w"])

    return step


@case(["buffers-not-donated", "xla-copies"], "forecast")
def jax_cache_not_donated(bad):
    """A decoding step writes one place of a large cache: without donation all of it is copied each time."""
    depth, length = (4, 256) if ON_CPU else (8, 4096)
    cache = jnp.zeros((depth, 16, length, 128), jnp.bfloat16)
    x = jnp.ones((depth, 16, 1, 128), jnp.bfloat16)

    def write(cache, x, at):
        cache = jax.lax.dynamic_update_slice(cache, x, (0, 0, at, 0))
        return cache, jnp.einsum("dhlk,dhqk->dhql", cache, x).max(-1)

    run = jax.jit(write, donate_argnums=() if bad else (0,))
    state = {"cache": cache}

    def step(i):
        for n in range(8):
            state["cache"], out = run(state["cache"], x, (8 * i + n) % length)
        out.block_until_ready()

    return step


@case(["host-callback-in-step", "pyfunc-in-step", "gpu-idle-gap-attribution"], "forecast")
def jax_debug_callback_every_layer(bad):
    """Each layer reports its largest value to Python in order; mended: it is returned with the result."""
    from jax.experimental import io_callback

    weights, x = layers(12, 512), jnp.ones((512, 512), jnp.bfloat16)
    seen = []

    def look(value):
        seen.append(float(np.asarray(value)))
        sum(k * k for k in range(8000))

    def run(weights, x):
        largest = []
        for weight in weights:
            x = jax.nn.gelu(x @ weight)
            top = x.astype(jnp.float32).max()
            if bad:
                io_callback(look, None, top, ordered=True)
            largest.append(top)
        return x, largest

    compiled = jax.jit(run)

    def step(i):
        jax.block_until_ready(compiled(weights, x))

    return step


@two(["input-bound-step", "python-in-input", "gpu-idle-gap-attribution", "inter-step-gap"], ["eager-execution-overhead", "kernel-launch-bound"], "forecast")
def jax_input_and_small_calls(first, second):
    weights = layers(60, 128)
    one = jax.jit(lambda w, x: jax.nn.gelu(x @ w))
    whole = jax.jit(forward)
    raw = np.random.randint(0, 255, (64, 128, 96), np.uint8)

    def make_batch():
        return (raw.astype(np.float32) / 255).mean(2) + np.sort(raw.reshape(-1)[:200000].astype(np.float32))[:1]

    ready = make_batch()

    def step(i):
        x = jnp.asarray(make_batch() if first else ready, jnp.bfloat16)
        if second:
            for weight in weights:
                x = one(weight, x)
        else:
            x = whole(weights, x)
        x.block_until_ready()

    return step


@healthy("forecast")
def healthy_jax_convolutions(bad):
    update = jax.jit(lambda w, x: [a - 0.01 * b for a, b in zip(w, jax.grad(loss_of)(w, x))], donate_argnums=0)
    state = {"weights": convolutions(128)}
    x = jnp.ones((BATCH, 64, 64, 3), jnp.bfloat16)

    def step(i):
        state["weights"] = update(state["weights"], x)

    return step


@healthy("forecast")
def healthy_jax_decode_scan(bad):
    """A whole answer in one compiled loop."""
    weights = jnp.stack(layers(8, 128 if ON_CPU else 1024))

    def token(x, _):
        return jax.lax.scan(lambda y, w: (jax.nn.gelu(y @ w), None), x, weights)[0], None

    run = jax.jit(lambda x: jax.lax.scan(token, x, None, length=32)[0])
    x = jnp.ones((32 if ON_CPU else 512, weights.shape[1]), jnp.bfloat16)

    def step(i):
        run(x).block_until_ready()

    return step


if __name__ == "__main__":
    main(sync, record, suffix=SUFFIX)
