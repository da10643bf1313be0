"""The JAX recorder, on the CPU."""

import os
import subprocess
import sys

import pytest

os.environ.setdefault("JAX_PLATFORMS", "cpu")
jax = pytest.importorskip("jax", reason="SKIPPED LOUDLY: JAX is not installed; its recorder was not tested")

import stepscope  # noqa: E402
import stepscope.jax  # noqa: E402


def test_profile(tmp_path, capsys, has_page):
    import jax.numpy as jnp

    work = jax.jit(lambda x: (x @ x).sum())
    data = jnp.ones((256, 256))
    work(data).block_until_ready()
    with stepscope.jax.profile(tmp_path, html=has_page) as p:
        for number in range(5):
            with p.step(number):
                work(data).block_until_ready()
    assert list(tmp_path.glob("plugins/profile/*/*.xplane.pb"))
    assert "stepscope: " in capsys.readouterr().out
    assert p.report.steps.count == 5
    assert (tmp_path / "report.html").exists() == has_page


def test_keras_on_jax(tmp_path):
    """The Keras callback where Keras computes with JAX. A process of its own: the backend is chosen once a process."""
    pytest.importorskip("keras", reason="SKIPPED LOUDLY: Keras is not installed; its callback was not tested on JAX")
    program = """
import sys, numpy, keras, stepscope
assert keras.backend.backend() == "jax"
model = keras.Sequential([keras.Input((8,)), keras.layers.Dense(16, activation="relu"), keras.layers.Dense(1)])
model.compile("sgd", "mse")
callback = stepscope.tensorflow.ProfileCallback(sys.argv[1], profile_batch="10,19", html=False)
x, y = numpy.ones((240, 8), "float32"), numpy.ones((240, 1), "float32")
model.fit(x, y, batch_size=8, verbose=0, callbacks=[callback])
report = callback.profile.report()
print(report.profile.framework, report.steps.count, [step.number for step in report.steps.items])
"""
    environment = {**os.environ, "KERAS_BACKEND": "jax", "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", program, str(tmp_path)], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr[-2000:]
    assert list(tmp_path.glob("plugins/profile/*/*.xplane.pb"))
    verdict, facts = done.stdout.strip().splitlines()[0], done.stdout.strip().splitlines()[-1]
    assert verdict.startswith("stepscope: ")
    assert facts == f"JAX 10 {list(range(10, 20))}"
