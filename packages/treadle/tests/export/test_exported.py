from typing import Any

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from treadle import export
from treadle.errors import ArgumentError, DerivativeError, PlacementError
from treadle.export import DisabledSafetyCheck

pytestmark = pytest.mark.xla


def _exported(**options: Any) -> export.Exported:
    return export.export(treadle.jit(lambda x, y: {"r": x * y["a"]}), **options)(
        tnp.arange(3.0), {"a": 2.0}
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            (np.zeros(4, "f"), {"a": 1.0}),
            r"Shape mismatch for args\[0\]: expected \(3,\) and called with \(4,\)",
        ),
        (
            (np.zeros(3, "f"), {"a": 1}),
            r"Dtype mismatch for args\[1\]\['a'\]: expected float32 and called with int32",
        ),
        (
            (np.zeros(3, "f"), {"b": 1.0}),
            "must have the same pytree structure as when the function '<lambda>'",
        ),
        ((np.zeros(3, "f"),), "must have the same pytree structure"),
        (("x", {"a": 1.0}), "is not a valid treadle type"),
    ],
    ids=["shape", "dtype", "keys", "count", "kind"],
)
def test_arguments_that_do_not_fit(arguments: Any, message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        _exported().call(*arguments)


def test_platform_is_checked_where_it_is_known() -> None:
    arguments = tnp.arange(3.0), {"a": 2.0}
    with pytest.raises(PlacementError, match="was exported for tpu, cuda, but it is used on cpu"):
        _exported(platforms=["tpu", "cuda"]).call(*arguments)
    unchecked = _exported(platforms=["tpu"], disabled_checks=[DisabledSafetyCheck.platform()])
    again = export.deserialize(unchecked.serialize())
    assert again.disabled_safety_checks == (DisabledSafetyCheck.platform(),)
    assert again.call(*arguments)["r"].tolist() == [0, 2, 4]


def test_transformations_of_call() -> None:
    again = export.deserialize(_exported().serialize(vjp_order=1))
    function = lambda x: again.call(x, {"a": 3.0})["r"]  # noqa: E731
    assert treadle.jit(function)(tnp.ones(3)).tolist() == [3, 3, 3]
    assert treadle.vmap(function)(tnp.ones((2, 3))).shape == (2, 3)
    assert treadle.jacrev(function)(tnp.ones(3)).tolist() == [[3, 0, 0], [0, 3, 0], [0, 0, 3]]
    with pytest.raises(DerivativeError, match="backward rule only"):
        treadle.jacfwd(function)(tnp.ones(3))


def test_orders_of_derivatives() -> None:
    cube = export.export(treadle.jit(lambda x: x**3))(1.0)
    derivative: Any = cube.call
    for order in range(4):
        again = export.deserialize(cube.serialize(vjp_order=order))
        function: Any = again.call
        for expected in [8.0, 12.0, 12.0, 6.0][: order + 1]:
            assert float(function(2.0)) == expected
            function = treadle.grad(function)
        with pytest.raises(DerivativeError, match="No VJP is available"):
            function(2.0)
        derivative = treadle.grad(derivative) if order else derivative
    assert float(derivative(2.0)) == 6
    assert cube.has_vjp()
    assert not export.deserialize(cube.serialize()).has_vjp()
    with pytest.raises(ArgumentError, match="vjp_order is -1"):
        cube.serialize(vjp_order=-1)


def test_custom_rules_travel_as_derivatives() -> None:
    @treadle.custom_vjp
    def clipped(x: treadle.Array) -> treadle.Array:
        return x**2

    clipped.defvjp(lambda x: (x**2, x), lambda x, ct: (ct * 100,))
    exported = export.export(treadle.jit(clipped))(1.0)
    again = export.deserialize(exported.serialize(vjp_order=1))
    assert treadle.grad(again.call)(3.0) == treadle.grad(exported.call)(3.0) == 100


def test_vjp_of_integers() -> None:
    exported = export.export(treadle.jit(lambda x, n: (x * n, n + 1)))(tnp.ones(3), 2)
    derivative = export.deserialize(exported.serialize(vjp_order=1)).vjp()
    assert [repr(x.dtype) for x in derivative.in_avals][1:] == [
        "dtype('int32')",
        "dtype('float32')",
        repr(treadle.dtypes.float0),
    ]
    assert [x.shape for x in derivative.out_avals] == [(3,), ()]
    again = export.deserialize(exported.serialize(vjp_order=1))
    assert treadle.grad(lambda x: again.call(x, 5)[0].sum())(tnp.ones(3)).tolist() == [5, 5, 5]
