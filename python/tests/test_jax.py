"""The JAX recorder, on the CPU."""

import os

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
