"""jax_tqdm: bars of progress in loops, which call back from compiled code."""

import jax
import jax.numpy as jnp
from jax_tqdm import loop_tqdm, scan_tqdm
from reporting import show


@scan_tqdm(20, print_rate=5)
def step(x, i):
    x = 0.9 * x + jnp.cos(1.0 * i)
    return x, x


show("scan", jax.jit(lambda x: jax.lax.scan(step, x, jnp.arange(20)))(1.0))
show("gradient", jax.grad(lambda x: jax.lax.scan(step, x, jnp.arange(20))[0] ** 2)(1.0))


@loop_tqdm(10)
def body(i, x):
    return x + 1.0 * i


show("loop", jax.jit(lambda x: jax.lax.fori_loop(0, 10, body, x))(0.0))
