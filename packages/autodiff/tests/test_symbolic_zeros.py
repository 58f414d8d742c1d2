from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from treadle_autodiff import (
    CustomVJPPrimal,
    SymbolicZero,
    custom_jvp,
    custom_vjp,
    custom_vjp_primal_tree_values,
    grad,
    jvp,
    vjp,
    zero_from_primal,
)
from treadle_autodiff.symbolic_zeros import shown_zeros
from treadle_ir import ArgumentError, ArrayType, ShapeError, interpret, ops, stage
from treadle_ir.calling import as_array
from treadle_ir.core import float0

TWO, THREE = np.float64(2.0), np.float64(3.0)
F64 = ArrayType((), np.dtype("f8"))


def test_what_a_symbolic_zero_is() -> None:
    zero = SymbolicZero(ArrayType((2,), np.dtype("f4")))
    assert (zero.shape, zero.dtype, zero.ndim, zero.size) == ((2,), np.dtype("f4"), 1, 2)
    assert repr(zero) == "SymbolicZero"
    assert SymbolicZero.from_primal_value(np.ones(3, np.int32)).dtype == float0
    with pytest.raises(ArgumentError):
        SymbolicZero("f4")


def test_zero_from_primal() -> None:
    np.testing.assert_array_equal(zero_from_primal(np.ones(3)), np.zeros(3))
    assert zero_from_primal(np.int32(3)).dtype == float0
    assert isinstance(zero_from_primal(np.float64(3), symbolic_zeros=True), SymbolicZero)
    with pytest.raises(ArgumentError, match="symbolic_zeros"):
        zero_from_primal(3.0, symbolic_zeros="yes")  # type: ignore[arg-type]


def product_that_tells(seen: list[Any]) -> Any:
    @custom_jvp
    def product(x: Any, y: Any) -> Any:
        return ops.multiply(x, y), x

    def rule(primals: Any, tangents: Any) -> Any:
        seen.append([isinstance(t, SymbolicZero) for t in tangents])
        (x, y), (dx, dy) = primals, tangents
        results = product(x, y)
        if isinstance(dx, SymbolicZero):
            return results, (ops.multiply(x, dy), dx)
        return results, (ops.multiply(dx, y), dx)

    product.defjvp(rule, symbolic_zeros=True)
    return product


def test_custom_jvp_is_told_of_zeros() -> None:
    seen: list[Any] = []
    product = product_that_tells(seen)
    staged = stage(product, F64, F64).program
    for function in (product, lambda x, y: interpret(staged, x, y)):
        for place, derivative in ((0, 3.0), (1, 2.0)):
            seen.clear()
            assert grad(lambda x, y, f=function: f(x, y)[0], place)(TWO, THREE) == derivative
            assert seen == [[place == 1, place == 0]]
    # A result may have a symbolic zero for its tangent.
    tangents = jvp(lambda y: product(TWO, y), (THREE,), (TWO,))[1]
    assert tangents == (4.0, 0.0)


def test_custom_vjp_is_told_of_zeros() -> None:
    seen: list[Any] = []

    @custom_vjp
    def both(x: Any, d: Any) -> Any:
        return ops.multiply(x, d["y"]), x

    def fwd(x: Any, d: Any) -> Any:
        seen.append((x.perturbed, d["y"].perturbed))
        plain = custom_vjp_primal_tree_values((x, d))
        return both(*plain), plain

    def bwd(kept: Any, cts: Any) -> Any:
        seen.append(tuple(isinstance(ct, SymbolicZero) for ct in cts))
        x, d = kept
        first = None if isinstance(cts[0], SymbolicZero) else ops.multiply(cts[0], d["y"])
        return first, {"y": SymbolicZero.from_primal_value(x)}

    both.defvjp(fwd, bwd, symbolic_zeros=True)
    assert grad(lambda x: both(x, {"y": THREE})[0])(TWO) == 3.0
    assert seen == [(True, False), (False, True)]
    seen.clear()
    assert grad(lambda y: both(TWO, {"y": y})[1])(THREE) == 0.0
    assert seen == [(False, True), (True, False)]
    staged = stage(lambda x, y: both(x, {"y": y}), F64, F64).program
    seen.clear()
    assert vjp(lambda x: interpret(staged, x, THREE)[0], TWO)[1](TWO) == (6.0,)
    assert seen == [(True, False), (False, True)]


def test_a_symbolic_zero_of_another_shape_is_refused() -> None:
    function = custom_vjp(lambda x: x)
    zero = SymbolicZero(ArrayType((2,), np.dtype("f8")))
    function.defvjp(lambda x: (x, None), lambda _, ct: (zero,))
    with pytest.raises(ShapeError, match=r"symbolic zero of shape \(2,\)"):
        grad(function)(TWO)


def test_tree_values_are_of_primals_only() -> None:
    assert custom_vjp_primal_tree_values({"a": CustomVJPPrimal(1, True)}) == {"a": 1}
    with pytest.raises(ArgumentError, match="not a CustomVJPPrimal"):
        custom_vjp_primal_tree_values((1.0,))


def test_zeros_are_arrays_also_where_they_are_scalars() -> None:
    number = ArrayType((), np.dtype(np.float32))
    (zero,) = shown_zeros([None], [number], symbolic=False)
    assert type(zero) is type(as_array(np.float32(1.0)))
    assert float(zero) == 0.0  # type: ignore[arg-type]
