"""A tree of arrays as one vector: of which element type that is, and what is made of another one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from treadle.errors import DTypeError, ShapeError
from treadle.flatten_util import ravel_pytree

HALF = tnp.bfloat16(1)
# A tree, and the types of its vector and of the leaves made of that.
TREES: dict[str, tuple[Any, str, list[str]]] = {
    "a number": (1.0, "~float32[1]", ["~float32[]"]),
    "an integer": (3, "~int32[1]", ["~int32[]"]),
    "numbers": ((1.0, 2.0), "~float32[2]", ["~float32[]"] * 2),
    "a number and an array": ((1.0, np.float32(1)), "float32[2]", ["float32[]"] * 2),
    "numbers of two types": ((1.0, 3), "float32[2]", ["float32[]", "int32[]"]),
    "a wider number": ((1.0, HALF), "float32[2]", ["float32[]", "bfloat16[]"]),
    "a truth": ((True, 2), "int32[2]", ["bool[]", "int32[]"]),
}


@pytest.mark.parametrize(("tree", "vector", "leaves"), TREES.values(), ids=TREES)
def test_types(tree: Any, vector: str, leaves: list[str]) -> None:
    flat, unravel = ravel_pytree(tree)
    assert str(treadle.typeof(flat)) == vector
    again = unravel(flat)
    assert [str(treadle.typeof(x)) for x in treadle.tree.leaves(again)] == leaves
    assert treadle.tree.structure(again) == treadle.tree.structure(tree)
    assert treadle.tree.map(float, again) == treadle.tree.map(float, tree)


def test_a_vector_of_another_type() -> None:
    _, unravel = ravel_pytree((1.0, 2.0))
    assert [x.dtype for x in unravel(tnp.arange(2))] == [np.int32, np.int32]
    _, unravel = ravel_pytree((1.0, 2))
    with pytest.raises(DTypeError, match="the vector is of int32, but the tree's is of float32"):
        unravel(tnp.arange(2))
    with pytest.raises(ShapeError, match="the tree has 2 elements"):
        unravel(tnp.zeros(3))


def test_derivatives_of_trees_of_several_types() -> None:
    flat, unravel = ravel_pytree({"x": np.array([1, 2], np.float32), "n": tnp.float16(3)})
    slope = treadle.grad(lambda v: (unravel(v)["x"] ** 2).sum() * unravel(v)["n"])(flat)
    np.testing.assert_array_equal(slope, [5, 6, 12])


def test_what_unravels_trees_alike_is_equal() -> None:
    """As in probdiffeq, whose trees hold it as auxiliary data: the structures of a loop's carry are compared."""

    def unravel(tree: Any) -> Any:
        return ravel_pytree(tree)[1]

    first = unravel({"a": np.ones(3, np.float32), "b": np.int32(1)})
    assert first == unravel({"a": np.zeros(3, np.float32), "b": np.int32(2)})
    assert hash(first) == hash(unravel({"a": np.zeros(3, np.float32), "b": np.int32(2)}))
    for other in (
        {"a": np.zeros(4, np.float32), "b": np.int32(2)},
        {"c": np.zeros(3, np.float32), "b": np.int32(2)},
        {"a": np.zeros(3, np.float32), "b": np.float32(2)},
    ):
        assert first != unravel(other)
    assert unravel({}) != first
