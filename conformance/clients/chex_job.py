"""chex: dataclasses as pytrees, assertions inside and outside of jit, variants, fake devices left alone."""

import chex
import jax
import jax.numpy as jnp
from reporting import show


@chex.dataclass(frozen=True)
class State:
    position: chex.Array
    velocity: chex.Array


@chex.dataclass
class Mutable:
    value: chex.Array


@jax.jit
def step(state):
    chex.assert_rank(state.position, 1)
    chex.assert_equal_shape([state.position, state.velocity])
    return state.replace(
        position=state.position + 0.1 * state.velocity, velocity=0.9 * state.velocity
    )


state = State(position=jnp.zeros(3), velocity=jnp.arange(3.0))
for _ in range(5):
    state = step(state)
show("state", state)
show("leaves", jax.tree_util.tree_map(lambda x: 2 * x, Mutable(value=jnp.ones(2))))

caught = []
for check in (
    lambda: chex.assert_shape(jnp.ones((2, 3)), (3, 2)),
    lambda: chex.assert_type(jnp.ones(2), int),
    lambda: chex.assert_trees_all_close({"a": jnp.ones(2)}, {"a": jnp.zeros(2)}),
    lambda: chex.assert_tree_all_finite({"a": jnp.array([1.0, jnp.nan])}),
    lambda: chex.assert_scalar_in(3, 0, 1),
):
    try:
        check()
        caught.append(0)
    except AssertionError:
        caught.append(1)
show("refused", jnp.array(caught))
chex.assert_trees_all_equal({"a": jnp.ones(2)}, {"a": jnp.ones(2)})
chex.assert_trees_all_equal_shapes_and_dtypes(state, state)


@jax.jit
@chex.assert_max_traces(n=1)
def once(x):
    return x + 1


show("traced once", [once(jnp.ones(2)), once(jnp.zeros(2))])


@chex.chexify
@jax.jit
def positive(x):
    chex.assert_tree_all_finite(x)
    return jnp.log(x)


show("chexified", positive(jnp.array([1.0, 2.0])))
positive.wait_checks()


class Variants(chex.TestCase):
    @chex.variants(with_jit=True, without_jit=True)
    def test_sum(self):
        assert float(self.variant(jnp.sum)(jnp.ones(3))) == 3.0


import unittest  # noqa: E402

result = unittest.TextTestRunner(verbosity=0).run(
    unittest.defaultTestLoader.loadTestsFromTestCase(Variants)
)
show("variants", jnp.array([result.testsRun, len(result.errors) + len(result.failures)]))
