"""jvp agrees with central differences in float64, and with the complex step where the function is analytic."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pytest

from conformance.cases import (
    Differentiated,
    direction,
    examples,
    inexact,
    is_differentiable,
    is_double,
    is_finite,
    result_types,
)
from conformance.variants import retyped, variant_keys, variants
from treadle_autodiff import (
    Zero,
    jvp_flat,
    jvp_rules,
    linearize,
    linearize_rules,
    materialise,
    vjp,
)
from treadle_ir import ArrayType, Operand, Primitive, bind, type_of
from treadle_ir.core import dtypes
from treadle_ir.core.dtypes import BY_NAME
from treadle_ir.primitives.elementwise import Unary
from treadle_ir.reference import eval_rules
from treadle_ir.testing.compare import assert_close, magnitude
from treadle_ir.testing.examples import Example
from treadle_ir.testing.numeric import central_difference, complex_step

# Functions of complex numbers that are not the analytic continuation of the real ones.
_NOT_ANALYTIC: Final = {"abs", "sign"}


def _has_rule(example: Example) -> bool:
    return jvp_rules.status(type(example.primitive)) in ("rule", "family")


def _linearizes(example: Example) -> bool:
    cls = type(example.primitive)
    status = linearize_rules.status(cls)
    return status in ("rule", "family") or (_has_rule(example) and status != "absent")


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


@pytest.mark.parametrize("example", examples(lambda e: is_differentiable(e) and _linearizes(e)))
def test_linearize_agrees_with_jvp(example: Example) -> None:
    """The program that linearize leaves maps each direction as jvp does, to the rounding of another order."""
    function = Differentiated(example)
    primals, directions = function.primals, function.directions(0)
    results, pushed = linearize(lambda *xs: list(function(*xs)), *primals)
    plain = function(*primals)
    for result, right in zip(results, plain, strict=True):
        assert np.asarray(result).tobytes() == np.asarray(right).tobytes()
    if not _has_rule(example):  # reverse mode only
        return
    tangents = pushed(*directions)
    _, expected = jvp_flat(function, primals, directions)
    for actual, dy in zip(tangents, expected, strict=True):
        wanted = _dense(dy)
        scale = max(magnitude(wanted), 1.0)
        assert_close(_dense(actual), wanted, ulps=16.0, scale=scale, what=example.id)


@pytest.mark.parametrize("example", examples(_differences))
def test_second_derivative_agrees_with_central_differences(example: Example) -> None:
    """Forward over forward, and forward over reverse: the derivative of a derivative, in a second direction."""
    function = Differentiated(example)
    primals = [np.asarray(x) for x in function.primals]
    first, second = function.directions(0), function.directions(10)
    weights = [direction(np.asarray(y), 20 + i) for i, y in enumerate(function(*primals))]

    def forward(*xs: Operand) -> list[Operand]:
        return [materialise(dy) for dy in jvp_flat(function, list(xs), first)[1]]

    def backward(*xs: Operand) -> list[Operand]:
        return list(vjp(lambda *ys: list(function(*ys)), *xs)[1](weights))

    for name, derivative in (("forward", forward), ("backward", backward)):
        if name == "backward" and not example.reversible:
            continue
        _, actual = jvp_flat(derivative, primals, second)
        expected = central_difference(
            lambda *xs, f=derivative: [np.asarray(x) for x in f(*xs)], primals, second
        )
        scale = max(magnitude(*expected), magnitude(*derivative(*primals)), 1.0)
        for dy, wanted in zip(actual, expected, strict=True):
            what = f"{name} second derivative of {example.id}"
            # 1e-8: the differences are off by the fifth derivative, which of second derivatives is greater.
            assert_close(_dense(dy), wanted, ulps=5e7, scale=scale, what=what)


@pytest.mark.parametrize(
    ("cls", "name"), variant_keys(lambda e: is_differentiable(e) and _has_rule(e))
)
def test_jvp_in_every_element_type_agrees_with_double(cls: type[Primitive], name: str) -> None:
    """A tangent in a narrower type equals the tangent in f64 or c128, up to the rounding of each step."""
    for example in variants()[cls, name]:
        inputs = {type.dtype for type in example.types if inexact(type)}
        if len(inputs) != 1 or not is_finite(example):
            continue
        (dtype,) = inputs
        double = BY_NAME["c128" if dtypes.is_complex(dtype) else "f64"]
        wide = retyped(example, dtype, double)
        if wide is None or dtype == double:
            continue
        function, other = Differentiated(example), Differentiated(wide)
        operands = [
            np.asarray(x).astype(double) if np.asarray(x).dtype == dtype else x
            for x in function.operands
        ]
        other.operands = operands
        directions = function.directions(0)
        _, actual = jvp_flat(function, function.primals, directions)
        _, expected = jvp_flat(
            other, other.primals, [np.asarray(dx).astype(double) for dx in directions]
        )
        for dy, wanted_dy in zip(actual, expected, strict=True):
            found, wanted = _dense(dy), _dense(wanted_dy)
            scale = max(magnitude(wanted), 1.0)
            assert_close(found, wanted.astype(found.dtype), ulps=16.0, scale=scale, what=example.id)


def _dense(tangent: object) -> np.ndarray[Any, np.dtype[Any]]:
    if isinstance(tangent, Zero):
        assert isinstance(tangent.type, ArrayType)
        return np.zeros(tangent.type.shape, tangent.type.dtype)
    return np.asarray(tangent)
