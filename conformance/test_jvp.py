"""jvp agrees with central differences in float64, and with the complex step where the function is analytic."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pytest

from conformance.cases import (
    Differentiated,
    examples,
    inexact,
    is_differentiable,
    is_double,
    is_finite,
    result_types,
)
from treadle_autodiff import Zero, jvp_flat, jvp_rules
from treadle_ir import ArrayType, bind, dtypes, type_of
from treadle_ir.primitives.elementwise import Unary
from treadle_ir.reference import eval_rules
from treadle_ir.testing.compare import assert_close, magnitude
from treadle_ir.testing.examples import Example
from treadle_ir.testing.numeric import central_difference, complex_step

# Functions of complex numbers that are not the analytic continuation of the real ones.
_NOT_ANALYTIC: Final = {"abs", "sign"}


def _has_rule(example: Example) -> bool:
    return jvp_rules.status(type(example.primitive)) in ("rule", "family")


def _differences(example: Example) -> bool:
    return (
        example.differentiable
        and is_differentiable(example)
        and is_double(example)
        and _has_rule(example)
    )


def _several(example: Example) -> bool:
    return (
        len(example.types) > 1
        and is_differentiable(example)
        and is_finite(example)
        and _has_rule(example)
    )


def _analytic(example: Example) -> bool:
    primitive = example.primitive
    return (
        _differences(example)
        and isinstance(primitive, Unary)
        and {"f", "c"} <= set(primitive.kinds)
        and primitive.name not in _NOT_ANALYTIC
        and dtypes.is_floating(example.types[0].dtype)
    )


@pytest.mark.parametrize("example", examples(_differences))
@pytest.mark.parametrize("seed", [0, 1])
def test_jvp_agrees_with_central_differences(example: Example, seed: int) -> None:
    function = Differentiated(example, seed)
    primals, tangents = function.primals, function.directions(seed)
    _, actual = jvp_flat(function, primals, tangents)
    expected = central_difference(
        lambda *xs: [np.asarray(x) for x in function(*xs)],
        [np.asarray(x) for x in primals],
        tangents,
    )
    scale = max(magnitude(*expected), magnitude(*function(*primals)))
    for dy, wanted in zip(actual, expected, strict=True):
        dense = np.zeros_like(wanted) if isinstance(dy, Zero) else np.asarray(dy)
        # 1e-9 of the greatest value: the fourth power of the step, and rounding over the step.
        assert_close(dense, wanted, ulps=5e6, scale=scale, what=f"tangent of {example.id}")


@pytest.mark.parametrize("example", examples(_analytic))
def test_jvp_agrees_with_the_complex_step(example: Example) -> None:
    function = Differentiated(example)
    primals, tangents = [np.asarray(x) for x in function.primals], function.directions(0)
    _, (dy,) = jvp_flat(function, primals, tangents)
    kernel = eval_rules[example.primitive]
    with np.errstate(all="ignore"):
        (expected,) = complex_step(lambda *xs: kernel(example.primitive, *xs), primals, tangents)
    assert not isinstance(dy, Zero)
    assert_close(np.asarray(dy), expected, ulps=64.0, scale=magnitude(expected), what=example.id)


@pytest.mark.parametrize("example", examples(lambda e: is_differentiable(e) and _has_rule(e)))
def test_results_and_tangents_have_the_right_types(example: Example) -> None:
    function = Differentiated(example)
    results, tangents = jvp_flat(function, function.primals, function.directions(0))
    wanted = [type for type in result_types(example) if inexact(type)]
    undifferentiated = bind(example.primitive, *function.operands)
    for result, place in zip(results, function.kept, strict=True):
        assert np.asarray(result).tobytes() == np.asarray(undifferentiated[place]).tobytes()
    for tangent, type in zip(tangents, wanted, strict=True):
        found = tangent.type if isinstance(tangent, Zero) else type_of(tangent)
        assert isinstance(found, ArrayType)
        assert isinstance(type, ArrayType)
        assert (found.shape, found.dtype) == (type.shape, type.dtype)


@pytest.mark.parametrize("example", examples(_several))
def test_tangents_add_up_over_operands(example: Example) -> None:
    """The tangent of all operands together is the sum of the tangents of each alone, the others `Zero`."""
    function = Differentiated(example)
    primals, directions = function.primals, function.directions(0)
    _, together = jvp_flat(function, primals, directions)
    totals = [_dense(dy) for dy in together]
    sums = [np.zeros(total.shape, np.complex128) for total in totals]
    for place in range(len(primals)):
        alone = [dx if i == place else Zero(type_of(dx)) for i, dx in enumerate(directions)]
        _, parts = jvp_flat(function, primals, alone)
        sums = [
            total + _dense(part).astype(np.complex128)
            for total, part in zip(sums, parts, strict=True)
        ]
    for total, parts_sum in zip(totals, sums, strict=True):
        wanted = parts_sum if dtypes.is_complex(total.dtype) else parts_sum.real
        scale = max(magnitude(wanted), 1.0)
        assert_close(total, wanted.astype(total.dtype), ulps=16.0, scale=scale, what=example.id)


def _dense(tangent: object) -> np.ndarray[Any, np.dtype[Any]]:
    if isinstance(tangent, Zero):
        assert isinstance(tangent.type, ArrayType)
        return np.zeros(tangent.type.shape, tangent.type.dtype)
    return np.asarray(tangent)
