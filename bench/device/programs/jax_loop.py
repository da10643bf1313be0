import jax
import jax.numpy as jnp


@jax.jit
def train_step(weights, data):
    def loss(w):
        x = data
        for matrix in w:
            x = jnp.tanh(x @ matrix)
        return (x**2).mean()

    return [w - 0.01 * g for w, g in zip(weights, jax.grad(loss)(weights))]


key = jax.random.PRNGKey(0)
weights = [jax.random.normal(key, (2048, 2048)) * 0.02 for _ in range(8)]
data = jax.random.normal(key, (1024, 2048))
for _ in range(200):
    weights = train_step(weights, data)
jax.block_until_ready(weights)
