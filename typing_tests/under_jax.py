"""Programs that import jax, as checkers see them with treadle-jax installed: with treadle's types."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, assert_type

import jax
import jax.numpy as jnp
import jax.scipy.special
import numpy as np
from jax import Array, lax, random
from jax.experimental import checkify
from jax.experimental.shard_map import shard_map
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir
from jax.numpy.linalg import norm
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P
from jax.tree_util import tree_map
from jax.typing import ArrayLike

import treadle

Params = Sequence[tuple[Array, Array]]


def predict(params: Params, x: Array) -> Array:
    for weights, bias in params:
        x = jax.nn.relu(x @ weights + bias)
    return assert_type(x - jax.scipy.special.logsumexp(x, axis=-1, keepdims=True), Array)


@jax.jit
def loss(params: Params, x: Array, y: ArrayLike) -> Array:
    return jnp.mean((predict(params, x) - y) ** 2)


@partial(jax.jit, static_argnames="steps")
def repeated(x: Array, steps: int) -> Array:
    return lax.fori_loop(0, steps, lambda _, x: jnp.sin(x), x)


def names(x: Array, mesh: Mesh) -> None:
    assert_type(jnp.linalg.norm(x), Array)
    assert_type(norm(x), Array)
    assert_type(jnp.asarray(np.ones(3), dtype=jnp.bfloat16), Array)
    assert_type(random.normal(random.key(0), (3,)), Array)
    sharded: Array = jax.device_put(x, NamedSharding(mesh, P("x")))
    assert_type(sharded, Array)
    assert_type(jax.__version__, str)
    assert_type(jax.devices()[0].platform, str)
    assert_type(jax.tree.leaves((x, x)), list[Any])
    shard_map(lambda x: x, mesh=mesh, in_specs=P("x"), out_specs=P("x"))
    checkify.check(True, "never")
    tree_map(jnp.sin, {"a": x})


def rules(primitive: Primitive) -> None:
    ad.deflinear(primitive, lambda ct: [ct])
    batching.defvectorized(primitive)
    mlir.register_lowering(primitive, mlir.lower_fun(jnp.sin, multiple_results=False))


def same(x: Array) -> treadle.Array:
    """An array is an array by either name."""
    return treadle.numpy.sin(x)


def mistakes(x: Array) -> None:
    jnp.sinn(x)  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue]
    jax.jitt(loss)  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue]
    jnp.zeros(3, dtyp="int32")  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    random.normal()  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
