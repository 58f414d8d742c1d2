"""References among the primals of `jvp`: values and tangents agree with a function that returns what it writes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from treadle_autodiff import jvp
from treadle_ir import ArgumentError, ops
from treadle_ir.errors import StructureError
from treadle_ir.refs import new_ref

X = np.linspace(0.5, 2.0, 4)
DX = np.linspace(-1.0, 1.0, 4)


def written(ref: Any, x: Any) -> Any:
    """Write to a reference, and read what was written."""
    ref[...] = ops.multiply(ops.sine(ref[...]), x)
    return ops.add(ref[...], x)


def pure(value: Any, x: Any) -> Any:
    """The same without a reference: the result, and what is written."""
    value = ops.multiply(ops.sine(value), x)
    return ops.add(value, x), value


def test_the_reference_and_its_tangent_are_written() -> None:
    ref, tangent = new_ref(X), new_ref(DX)
    out, out_tangent = jvp(written, (ref, X + 1), (tangent, 2 * DX))
    expected, expected_tangents = jvp(pure, (X, X + 1), (DX, 2 * DX))
    np.testing.assert_array_equal([out, ref[...]], expected)
    np.testing.assert_array_equal([out_tangent, tangent[...]], expected_tangents)


def test_a_view_is_written_where_it_shows() -> None:
    ref, tangent = new_ref(np.r_[X, 7.0]), new_ref(np.r_[DX, 8.0])
    jvp(written, (ref.at[:4], X), (tangent.at[:4], DX))
    _, value = pure(X, X)
    np.testing.assert_array_equal(ref[...], np.r_[value, 7.0])
    np.testing.assert_array_equal(tangent[...], np.r_[jvp(pure, (X, X), (DX, DX))[1][1], 8.0])


def test_references_in_trees_and_auxiliary_output() -> None:
    ref, tangent = new_ref(X), new_ref(DX)

    def function(tree: Any) -> Any:
        return written(tree["ref"], tree["x"]), "aux"

    out, out_tangent, aux = jvp(
        function, ({"ref": ref, "x": X},), ({"ref": tangent, "x": DX},), has_aux=True
    )
    expected, expected_tangents = jvp(pure, (X, X), (DX, DX))
    np.testing.assert_array_equal([out, out_tangent], [expected[0], expected_tangents[0]])
    assert aux == "aux"


def test_second_order() -> None:
    def first(x: Any) -> Any:
        ref, tangent = new_ref(x), new_ref(ops.multiply(x, x))
        jvp(written, (ref, x), (tangent, x))
        return tangent[...]

    def first_of_pure(x: Any) -> Any:
        return jvp(pure, (x, x), (ops.multiply(x, x), x))[1][1]

    np.testing.assert_array_equal(jvp(first, (X,), (DX,)), jvp(first_of_pure, (X,), (DX,)))


@pytest.mark.parametrize("swapped", [False, True])
def test_a_reference_has_a_reference_as_its_tangent(swapped: bool) -> None:
    pair = (new_ref(X), DX)
    primal, tangent = reversed(pair) if swapped else pair
    with pytest.raises(ArgumentError, match=r"is a reference, but .* is not") as caught:
        jvp(lambda ref: ref[...], (primal,), (tangent,))
    assert "new_ref(zeros_like(ref[...]))" in "".join(caught.value.__notes__)


def test_a_reference_is_given_once() -> None:
    ref = new_ref(X)
    with pytest.raises(ArgumentError, match=r"given as primals\[0\] and as tangents\[0\]"):
        jvp(lambda ref: ref[...], (ref,), (ref,))


def test_structures_are_compared() -> None:
    with pytest.raises(StructureError, match="tangents and primals"):
        jvp(lambda ref, x: ref[...], (new_ref(X), X), (new_ref(DX),))


def test_a_failing_function_writes_nothing() -> None:
    ref, tangent = new_ref(X), new_ref(DX)

    def failing(ref: Any) -> Any:
        ref[...] = ops.sine(ref[...])
        raise KeyError("no")

    with pytest.raises(KeyError):
        jvp(failing, (ref,), (tangent,))
    np.testing.assert_array_equal([ref[...], tangent[...]], [X, DX])
