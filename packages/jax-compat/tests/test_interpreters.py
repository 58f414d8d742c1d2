"""Programs that walk jaxprs, written for JAX, under the hook."""

from __future__ import annotations

import subprocess
import sys

INVERTER = """
import treadle_jax

treadle_jax.install()

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax._src.util import safe_map, safe_zip
from jax.extend.core import Literal

INVERSES = {lax.exp_p: jnp.log, lax.tanh_p: jnp.arctanh, lax.neg_p: jnp.negative}


def inverse(function):
    def inverted(result):
        closed = jax.make_jaxpr(function)(result)
        known = dict(safe_zip(closed.jaxpr.outvars, [result]))
        known.update(safe_zip(closed.jaxpr.constvars, closed.consts))
        for equation in reversed(closed.jaxpr.eqns):
            values = safe_map(lambda v: v.val if isinstance(v, Literal) else known[v], equation.outvars)
            known[equation.invars[0]] = INVERSES[equation.primitive](*values)
        return known[closed.jaxpr.invars[0]]

    return inverted


forward = lambda x: jnp.exp(-jnp.tanh(x))
back = inverse(forward)
x = jnp.linspace(-1.0, 1.0, 5)
np.testing.assert_allclose(back(forward(x)), x, atol=1e-6)
np.testing.assert_allclose(jax.jit(jax.vmap(back))(forward(x)), x, atol=1e-6)
np.testing.assert_allclose(
    jax.vmap(jax.grad(back))(forward(x)), 1 / jax.vmap(jax.grad(forward))(x), rtol=1e-4
)
try:
    safe_map(max, [1, 2], [1])
except ValueError:
    print("as long")
"""


def test_an_interpreter_of_jaxprs_inverts_a_function() -> None:
    done = subprocess.run([sys.executable, "-c", INVERTER], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "as long\n"), done.stderr
