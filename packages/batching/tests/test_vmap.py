import numpy as np
import pytest

from treadle_batching import vmap
from treadle_ir import ArgumentError, ShapeError, ops
from treadle_ir.errors import EscapedTracerError
from treadle_ir.tree import register_pytree_node

A = np.arange(6.0).reshape(2, 3)
B = np.arange(3.0)


def test_rows_of_both_arguments():
    np.testing.assert_array_equal(vmap(ops.add)(A, A), A + A)


def test_a_shared_argument():
    np.testing.assert_array_equal(vmap(ops.multiply, in_axes=(0, None))(A, B), A * B)


def test_another_axis_in_and_out():
    np.testing.assert_array_equal(vmap(ops.sine, in_axes=1, out_axes=1)(A), np.sin(A))
    np.testing.assert_array_equal(vmap(ops.sine, in_axes=-1, out_axes=0)(A), np.sin(A).T)


def test_trees_of_axes():
    result = vmap(lambda t, x: {"y": ops.multiply(t["w"], x)}, in_axes=({"w": None}, 0))(
        {"w": B}, A
    )
    np.testing.assert_array_equal(result["y"], A * B)


def test_nested_over_different_axes():
    outer = vmap(vmap(ops.multiply, in_axes=(None, 0)), in_axes=(0, None))(B, B)
    np.testing.assert_array_equal(outer, np.outer(B, B))


def test_results_that_do_not_depend_on_the_row_are_repeated():
    np.testing.assert_array_equal(vmap(lambda x: np.float64(7.0))(A), np.full(2, 7.0))
    assert vmap(lambda x: np.float64(7.0), out_axes=None)(A) == 7.0


def test_axis_size_without_a_mapped_argument():
    np.testing.assert_array_equal(vmap(lambda: np.float64(1.0), axis_size=3)(), np.ones(3))


def test_keyword_arguments_are_mapped_over_axis_0():
    np.testing.assert_array_equal(vmap(lambda x, *, y: ops.add(x, y))(A, y=A), A + A)


def test_named_axes_and_collectives():
    mean = vmap(
        lambda x: ops.subtract(x, ops.all_reduce(x, reduction="maximum", axis_name="i")),
        axis_name="i",
    )
    np.testing.assert_array_equal(mean(B), B - 2.0)
    np.testing.assert_array_equal(
        vmap(lambda x: ops.axis_index("i"), axis_name="i")(B), np.arange(3)
    )
    gathered = vmap(lambda x: ops.all_gather(x, axis_name="i"), axis_name="i")(A)
    np.testing.assert_array_equal(gathered, np.stack([A, A]))


def test_a_collective_over_an_outer_axis():
    def row(x):
        return vmap(lambda y: ops.all_reduce(y, reduction="add", axis_name="outer"))(x)

    np.testing.assert_array_equal(vmap(row, axis_name="outer")(A), np.tile(A.sum(0), (2, 1)))


def test_mistakes():
    with pytest.raises(ValueError, match=r"inconsistent sizes.*argument x has 2.*argument y has 3"):
        vmap(ops.add)(A, B)
    with pytest.raises(ShapeError, match=r"argument x\['a'\] has 2.*argument 1 has 3.*argument z"):
        vmap(lambda x, *others, z: x)({"a": A}, B, z=A)
    with pytest.raises(ValueError, match="in_axes must be an int, None, or a tuple"):
        vmap(ops.add, in_axes=(0,))(A, A)
    with pytest.raises(ShapeError, match="rank should be at least 1, but is only 0"):
        vmap(ops.sine)(np.float64(1.0))
    with pytest.raises(
        ShapeError, match=r"out_axes\[.a.\], got axis spec None .* batched on axis 0"
    ):
        vmap(lambda x: {"a": ops.sine(x), "b": x}, out_axes={"a": None, "b": 0})(A)
    with pytest.raises(ShapeError, match="out_axes is 5"):
        vmap(ops.sine, out_axes=5)(A)
    with pytest.raises(ShapeError, match="differs between batch elements"):
        vmap(ops.sine, out_axes=None)(A)
    with pytest.raises(ShapeError, match="no argument is mapped"):
        vmap(ops.sine, in_axes=None)(A)
    with pytest.raises(ArgumentError, match="must be a function"):
        vmap(A)
    with pytest.raises(NameError, match="unbound axis name: 'j'"):
        vmap(lambda x: ops.axis_index("j"), axis_name="i")(B)


def test_an_error_inside_says_what_was_batched():
    with pytest.raises(ShapeError) as raised:
        vmap(lambda x: ops.add(x, np.ones(4)))(A)
    assert any(
        "batching `<lambda>` over an axis of size 2" in note for note in raised.value.__notes__
    )


def test_a_row_that_is_kept_too_long():
    kept = []
    vmap(lambda x: kept.append(x) or x)(A)
    with pytest.raises(EscapedTracerError, match="vmap"):
        ops.sine(kept[0])


def test_results_that_look_at_their_parts_are_only_made_of_arrays():
    class Pair:
        def __init__(self, *parts):
            assert not any(type(part) is int for part in parts)
            self.parts = parts

    register_pytree_node(Pair, lambda pair: (pair.parts, None), lambda _, parts: Pair(*parts))
    found = vmap(lambda x: Pair(x, ops.add(x, x)))(np.arange(3.0, dtype=np.float32))
    np.testing.assert_array_equal(found.parts[1], [0, 2, 4])
