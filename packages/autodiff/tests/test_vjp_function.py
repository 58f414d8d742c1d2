"""The function that `vjp` returns: its residuals, arguments that are not saved, references for cotangents."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from treadle_autodiff import vjp
from treadle_autodiff.vjp_function import GradRef, NotNeeded, NotSaveable
from treadle_ir import ArgumentError, ShapeError, ops, stage, type_of
from treadle_ir.errors import StructureError
from treadle_ir.primitives.call import Call
from treadle_ir.refs import new_ref
from treadle_ir.tracing.trace import bind
from treadle_ir.tree import tree_leaves, tree_map, tree_structure

X = np.arange(3, dtype=np.float32) + 0.5
W = np.array([2, 3, 4], np.float32)
ONES = np.ones(3, np.float32)


def _layer(x: Any, w: Any) -> Any:
    return ops.multiply(ops.sine(x), w)


def _sum_of_products(d: dict[str, Any], z: Any) -> Any:
    return ops.add(ops.multiply(d["a"], d["b"]), z)


def test_what_is_kept() -> None:
    _, f_vjp = vjp(_layer, X, W)
    assert f_vjp.args_res[0] == NotNeeded()
    np.testing.assert_array_equal(f_vjp.args_res[1], W)
    assert len(f_vjp.opaque_residuals) == 2  # the cosine, and the sine for the cotangent of w
    assert f_vjp.in_tree == tree_structure((0, 0))
    assert f_vjp.out_tree == tree_structure(0)
    assert f_vjp.out_nzs is True
    assert len(tree_leaves(f_vjp)) == 3


def test_an_argument_is_put_back() -> None:
    _, f_vjp = vjp(_layer, X, W, saveable_args=(True, False))
    assert f_vjp.args_res == [NotNeeded(), NotSaveable()]
    assert len(tree_leaves(f_vjp)) == 2
    with pytest.raises(ArgumentError, match=r"not to be saved: args\[1\]"):
        f_vjp(ONES)
    f_vjp.args_res[1] = W
    for gradient, expected in zip(f_vjp(ONES), vjp(_layer, X, W)[1](ONES), strict=True):
        np.testing.assert_array_equal(gradient, expected)
    f_vjp.args_res = (NotNeeded(), 2 * W)
    np.testing.assert_allclose(f_vjp(ONES)[0], 2 * W * np.cos(X), rtol=1e-6)


def test_what_was_put_back_travels_with_the_tree() -> None:
    _, f_vjp = vjp(_layer, X, W, saveable_args=False)
    again = tree_map(lambda x: x, f_vjp)
    assert again.args_res == [NotNeeded(), NotSaveable()]
    again.args_res[1] = W
    np.testing.assert_allclose(tree_map(lambda x: x, again)(ONES)[0], W * np.cos(X), rtol=1e-6)


@pytest.mark.parametrize(
    ("saveable", "missing"),
    [
        (((True, False), False), [{"a": 0, "b": NotSaveable()}, NotNeeded()]),
        (({"a": False, "b": True}, True), [{"a": NotSaveable(), "b": 0}, NotNeeded()]),
        ([False, True], [{"a": NotSaveable(), "b": NotSaveable()}, NotNeeded()]),
    ],
)
def test_parts_of_an_argument(saveable: Any, missing: Any) -> None:
    _, f_vjp = vjp(_sum_of_products, {"a": X, "b": W}, X + 1, saveable_args=saveable)
    shown = tree_map(lambda _: 0, f_vjp.args_res)
    assert shown == missing
    f_vjp.args_res[0] = {"a": X, "b": W}
    gradients, last = f_vjp(ONES)
    np.testing.assert_array_equal(gradients["a"], W)
    np.testing.assert_array_equal(gradients["b"], X)
    np.testing.assert_array_equal(last, ONES)


def test_numbers_of_python_are_nobodys_arrays() -> None:
    value, f_vjp, aux = vjp(lambda x, y: (ops.multiply(x, y), x), 2.0, 3.0, has_aux=True)
    assert (float(value), float(aux)) == (6, 2)
    assert f_vjp.args_res == [NotNeeded(), NotNeeded()]
    _, f_vjp = vjp(ops.multiply, 2.0, 3.0, saveable_args=False)
    assert [float(x) for x in f_vjp(1.0)] == [3, 2]


def test_an_operand_of_a_call_is_a_residual_as_it_was_given() -> None:
    program = stage(lambda x, w: [_layer(x, w)], type_of(X), type_of(W)).program
    _, f_vjp = vjp(
        lambda x, w: bind(Call(program, "layer"), x, w)[0], X, W, saveable_args=(True, False)
    )
    assert f_vjp.args_res == [NotNeeded(), NotSaveable()]
    f_vjp.args_res[1] = W
    np.testing.assert_allclose(f_vjp(ONES)[0], W * np.cos(X), rtol=1e-6)


@pytest.mark.parametrize(
    ("saveable", "message"),
    [
        ((False, (True,)), "saveable_args has 1 parts where the arguments have 0"),
        ((False, True, True), "saveable_args has 3 parts where the arguments have 2"),
        (1, "saveable_args must be a tree of booleans, but holds 1"),
        (None, "saveable_args has 0 parts"),
    ],
)
def test_what_says_nothing_of_the_arguments(saveable: Any, message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        vjp(_layer, X, W, saveable_args=saveable)


def test_what_is_put_back_must_fit() -> None:
    _, f_vjp = vjp(_layer, X, W, saveable_args=False)
    f_vjp.args_res[1] = W[:2]
    with pytest.raises(
        ShapeError, match=r"args\[1\] was f32\[3\], but what was put back is f32\[2\]"
    ):
        f_vjp(ONES)
    f_vjp.args_res = [W]
    with pytest.raises(StructureError, match="args_res is not like the arguments"):
        f_vjp(ONES)


def test_cotangents_are_added_to_references() -> None:
    total = new_ref(ONES)
    _, f_vjp = vjp(_layer, X, W)
    for times in (1, 2):
        found = f_vjp.with_refs(total, True)(ONES)
        assert found[0] == GradRef()
        np.testing.assert_allclose(found[1], np.sin(X), rtol=1e-6)
        np.testing.assert_allclose(total[...], 1 + times * W * np.cos(X), rtol=1e-6)
    _, f_vjp = vjp(lambda x, n: ops.multiply(x, ops.convert(n, dtype=x.dtype)), X, np.int32(3))
    assert f_vjp.with_refs(total, True)(ONES)[1].dtype.itemsize == 0


def test_references_that_do_not_fit() -> None:
    _, f_vjp = vjp(_layer, X, W)
    with pytest.raises(StructureError, match="with_refs"):
        f_vjp.with_refs(new_ref(ONES))
    for wrong in (ONES[:2], ONES.astype(np.float16)):
        with pytest.raises(ShapeError, match=r"the reference for args\[1\] is"):
            f_vjp.with_refs(True, new_ref(wrong))


def test_how_it_is_shown() -> None:
    assert repr(vjp(ops.sine, X)[1]) == "VJP(in_tree=PyTreeDef((*,)), out_tree=PyTreeDef(*))"


def test_several_cotangents_are_one_tuple() -> None:
    _, backward = vjp(lambda x: (x, x), X)
    with pytest.raises(ArgumentError, match=r"takes one cotangent.*called with 2 arguments"):
        backward(X, X)
    assert type_of(backward((X, X))[0]).shape == (3,)
