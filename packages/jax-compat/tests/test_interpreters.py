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

SENDER = """
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax._src.effects import control_flow_allowed_effects, ordered_effects
from jax.extend.core import Effect, Primitive
from jax.extend.mlir import ir
from jax.extend.mlir.dialects import func, stablehlo as hlo
from jax.interpreters import mlir


class Sending(Effect):
    def __hash__(self):
        return hash("Sending")

    def __str__(self):
        return "Sending"


sending = Sending()
for effects in (mlir.lowerable_effects, ordered_effects, control_flow_allowed_effects):
    effects.add_type(Sending)
closed = jax.make_jaxpr(lambda x: jnp.sin(x) * np.arange(3.0, dtype=np.float32))(np.ones(3, np.float32))


def lowering(ctx, x, *, jaxpr):
    inner = mlir.lower_jaxpr_to_fun(ctx.module_context, "inner", jaxpr, [], num_const_args=0, in_avals=jaxpr.in_avals)
    called = func.CallOp(inner, mlir.flatten_ir_values([x]))
    token = hlo.AfterAllOp([ctx.tokens_in.get(sending)]).result
    ctx.set_tokens_out(mlir.TokenSet({sending: token}))
    (added,), _ = mlir.jaxpr_subcomp(
        ctx.module_context, jaxpr.jaxpr, ctx.name_stack, mlir.TokenSet(), [mlir.ir_constant(c) for c in jaxpr.consts],
        called.result, dim_var_values=ctx.dim_var_values, const_lowering=ctx.const_lowering,
        outer_traceback=ctx.traceback,
    )
    assert isinstance(added, ir.Value)
    return [added]


sent_p = Primitive("sent")
sent_p.def_effectful_abstract_eval(lambda x, *, jaxpr: (x, {sending}))
mlir.register_lowering(sent_p, lowering)
sent = partial(sent_p.bind, jaxpr=closed)
x = np.linspace(-1, 1, 3, dtype=np.float32)
twice = lambda x: np.sin(np.sin(x) * np.arange(3.0)) * np.arange(3.0)
np.testing.assert_allclose(jax.jit(sent)(x), twice(x), rtol=1e-5)
looped = jax.jit(lambda x: jax.lax.fori_loop(0, 2, lambda _, x: sent(x), x))(x)
np.testing.assert_allclose(looped, twice(twice(x)), rtol=1e-5)
print("sent")
"""


def test_an_interpreter_of_jaxprs_inverts_a_function() -> None:
    done = subprocess.run([sys.executable, "-c", INVERTER], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "as long\n"), done.stderr


def test_a_rule_that_builds_with_tokens_and_nested_programs() -> None:
    """As mpi4jax writes them; the program is JAX's, too."""
    program = f"import treadle_jax\ntreadle_jax.install()\n{SENDER}"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "sent\n"), done.stderr


def test_modules_of_jaxlib_under_names_of_jax() -> None:
    program = """
import treadle_jax

treadle_jax.install()
import jax.extend.mlir.dialects.stablehlo as hlo
import jaxlib.mlir.ir
from jax.extend.mlir import ir, passmanager

assert ir.Module is jaxlib.mlir.ir.Module
assert hlo.AddOp.OPERATION_NAME == "stablehlo.add"
with ir.Context():
    passmanager.PassManager.parse("builtin.module(canonicalize)").run(ir.Module.parse("module {}").operation)
try:
    from jax.extend.mlir.dialects import nonsense
except ImportError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.startswith("treadle has no `jax.extend.mlir.dialects.nonsense`"), done.stderr
