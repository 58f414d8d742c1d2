"""The two operations under transformations; over several processes, `conformance/distributed`."""

from __future__ import annotations

from typing import Any

import numpy as np

import treadle
import treadle.numpy as tnp
from treadle.experimental import multihost_utils as utils
from treadle.interpreters.batching import AxisData
from treadle.sharding import PartitionSpec as P

MESH = treadle.make_mesh((1,), ("x",))
X = np.arange(6, dtype=np.float32).reshape(2, 3)


def there(x: Any) -> Any:
    return utils.host_local_array_to_global_array(x, MESH, P("x"))


def back(x: Any) -> Any:
    return utils.global_array_to_host_local_array(x, MESH, P("x"))


def test_they_are_equations_with_the_parameters_of_jax() -> None:
    (equation,) = treadle.make_jaxpr(there)(X).eqns
    assert equation.primitive is utils.host_local_array_to_global_array_p
    assert str(equation.primitive) == "host_local_array_to_global_array"
    assert equation.params == {"global_mesh": MESH, "pspec": P("x")}
    (equation,) = treadle.make_jaxpr(back)(X).eqns
    assert equation.primitive is utils.global_array_to_host_local_array_p
    aval = treadle.typeof(X)
    for rule in (utils.ltg_abstract_eval, utils.gtl_abstract_eval):
        assert rule(aval, global_mesh=MESH, pspec=P("x")) == aval


def test_each_is_the_transpose_of_the_other() -> None:
    program = treadle.make_jaxpr(treadle.linear_transpose(there, X))(X)
    assert [each.primitive for each in program.eqns] == [utils.global_array_to_host_local_array_p]
    program = treadle.make_jaxpr(treadle.linear_transpose(back, X))(X)
    assert [each.primitive for each in program.eqns] == [utils.host_local_array_to_global_array_p]
    for function in (there, back, treadle.jit(there), lambda x: back(there(x))):
        gradient = treadle.grad(lambda x, f=function: (f(x) ** 3).sum())(X)
        np.testing.assert_allclose(gradient, 3 * X**2)


def test_batches_are_in_every_process() -> None:
    """The axis that is mapped is divided among no devices."""
    for axis in (0, 1):
        mapped = treadle.vmap(there, in_axes=axis, out_axes=axis)
        np.testing.assert_array_equal(mapped(X), X)
        (equation,) = treadle.make_jaxpr(mapped)(X).eqns
        assert equation.params["pspec"] == (P(None, "x"), P("x", None))[axis]
    data = AxisData(None, 2)
    whole, dim = utils.ltg_batcher(
        False, data, [tnp.asarray(X)], [0], global_mesh=MESH, pspec=P("x")
    )
    np.testing.assert_array_equal(whole, X)
    assert (dim, whole.sharding.spec) == (0, P(None, "x"))
