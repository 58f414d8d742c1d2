"""Views of instructions: what they bind, what they match, and what they say where there is nothing to bind."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from treadle_ir import ArgumentError, ArrayType, UnsupportedError, ops, stage
from treadle_ir.core.registry import find_primitive
from treadle_numpy import lax
from treadle_numpy.lax.linalg.primitives import TABLE as LINALG
from treadle_numpy.lax.other_primitives import OTHERS
from treadle_numpy.lax.primitives import TABLE
from treadle_numpy.lax.views import PrimitiveView

VIEWS = {**TABLE, **LINALG, **OTHERS}
X = np.arange(1, 7, dtype=np.float32).reshape(2, 3)
WINDOW: dict[str, Any] = {
    "window_dimensions": (1, 2),
    "window_strides": (1, 1),
    "padding": ((0, 0), (0, 0)),
}

# One call for each way in which operands and parameters reach a function.
BOUND: dict[str, tuple[tuple[Any, ...], dict[str, Any], Any]] = {
    "add_p": ((X, X), {}, X + X),
    "exp_p": ((X,), {"accuracy": None}, np.exp(X)),
    "integer_pow_p": ((X,), {"y": 3}, X**3),
    "reduce_sum_p": ((X,), {"axes": (0,), "out_sharding": None}, X.sum(0)),
    "argmax_p": ((X,), {"axes": (1,), "index_dtype": np.int32}, X.argmax(1)),
    "argmin_p": ((X,), {"axes": (0,), "index_dtype": np.int32}, X.argmin(0)),
    "concatenate_p": ((X, X), {"dimension": 1}, np.concatenate([X, X], 1)),
    "stack_p": ((X, X), {"axis": 0}, np.stack([X, X])),
    "dynamic_slice_p": ((X, 1, 0), {"slice_sizes": (1, 2)}, X[1:, :2]),
    "dynamic_update_slice_p": ((X, X[:1], 1, 0), {}, X[[0, 0]]),
    "select_n_p": ((X > 2, X, -X), {}, np.where(X > 2, -X, X)),
    "convert_element_type_p": (
        (X,),
        {"new_dtype": np.int32, "weak_type": False, "sharding": None},
        X.astype(int),
    ),
    "broadcast_in_dim_p": (
        (X,),
        {"shape": (1, 2, 3), "broadcast_dimensions": (1, 2), "sharding": None},
        X[None],
    ),
    "transpose_p": ((X,), {"permutation": (1, 0)}, X.T),
    "reshape_p": ((X,), {"new_sizes": (6,), "dimensions": None, "sharding": None}, X.ravel()),
    "slice_p": (
        (X,),
        {"start_indices": (0, 1), "limit_indices": (1, 3), "strides": None},
        X[:1, 1:],
    ),
    "iota_p": (
        (),
        {"dtype": np.int32, "shape": (3,), "dimension": 0, "sharding": None},
        np.arange(3),
    ),
    "dot_general_p": (
        (X, X),
        {
            "dimension_numbers": (((1,), (1,)), ((), ())),
            "precision": None,
            "preferred_element_type": np.float32,
            "out_sharding": None,
        },
        X @ X.T,
    ),
    "reduce_window_sum_p": ((X,), WINDOW, X[:, 1:] + X[:, :-1]),
    "reduce_window_max_p": ((X,), WINDOW, X[:, 1:]),
    "select_and_gather_add_p": ((-X, X), {"select_prim": lax.ge_p, **WINDOW}, -X[:, 1:]),
    "select_and_scatter_add_p": (
        (X[:, :2], X),
        {"select_prim": lax.le_p, **WINDOW},
        np.pad(X[:, :2], ((0, 0), (0, 1))),
    ),
    "copy_p": ((X,), {}, X),
    "conj_p": ((X + 1j,), {"input_dtype": np.float32}, X - 1j),
    "add_jaxvals_p": ((X, X), {}, 2 * X),
    "empty2_p": ((), {"shape": (2,), "dtype": np.float32}, np.zeros(2)),
    "name_p": ((X,), {"name": "kept"}, X),
    "not_p": ((np.array([True]),), {}, np.array([False])),
    "eq_p": ((X, X), {}, X == X),
}
SEVERAL: dict[str, tuple[tuple[Any, ...], dict[str, Any], list[Any]]] = {
    "sort_p": ((-X,), {"dimension": 1, "is_stable": True, "num_keys": 1}, [-X[:, ::-1]]),
    "top_k_p": ((X,), {"k": 1, "axis": 1}, [X[:, 2:], np.full((2, 1), 2)]),
    "split_p": ((X,), {"sizes": (1, 2), "axis": 1}, [X[:, :1], X[:, 1:]]),
    "unstack_p": ((X,), {"axis": 0}, [X[0], X[1]]),
    "approx_top_k_p": (
        (X,),
        {"k": 1, "reduction_dimension": -1, "is_max_k": False},
        [X[:, :1], np.zeros((2, 1))],
    ),
    "threefry2x32_p": (
        tuple(np.zeros(1, np.uint32) for _ in range(4)),
        {},
        [np.array([0x6B200159], np.uint32), np.array([0x99BA4EFE], np.uint32)],
    ),
}


@pytest.mark.parametrize("name", BOUND)
def test_one_result(name: str) -> None:
    operands, parameters, expected = BOUND[name]
    found = VIEWS[name].bind(*operands, **parameters)
    assert not VIEWS[name].multiple_results
    np.testing.assert_allclose(np.asarray(found), expected, rtol=1e-6)


@pytest.mark.parametrize("name", SEVERAL)
def test_several_results(name: str) -> None:
    operands, parameters, expected = SEVERAL[name]
    found = VIEWS[name].bind(*operands, **parameters)
    assert VIEWS[name].multiple_results
    assert isinstance(found, list)
    for own, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(own, other)


@pytest.mark.parametrize("name", VIEWS)
def test_every_view_binds_a_function_or_says_why_not(name: str) -> None:
    """Without operands: an argument is missing, or the whole instruction; nothing else is wrong."""
    view = VIEWS[name]
    assert repr(view) == view.name
    with pytest.raises(ArgumentError) as caught:
        view.bind(not_a_parameter=1)
    assert str(caught.value).startswith(f"{view.name}_p.bind: ")
    if isinstance(caught.value, UnsupportedError):
        assert str(caught.value).endswith("treadle has no such instruction to be bound")
        assert caught.value.__notes__


@pytest.mark.parametrize("name", VIEWS)
def test_every_mnemonic_exists(name: str) -> None:
    mnemonics = VIEWS[name]._matched.split(" ")[0]
    for mnemonic in filter(None, mnemonics.split("|")):
        assert find_primitive(mnemonic) is not None


def test_names_are_one_object() -> None:
    assert lax.add_p is TABLE["add_p"]
    assert isinstance(lax.scatter_add_p, PrimitiveView)
    assert lax.scatter_add_p.name == "scatter-add"


def test_matches() -> None:
    type = ArrayType((2, 3), np.dtype(np.float32))
    program = stage(
        lambda x: [ops.reduce_add(x, axes=(0,)), ops.compare(x, x, direction="lt")], type
    ).program
    total, less = program.equations
    assert lax.reduce_sum_p.matches(total)
    assert not lax.reduce_max_p.matches(total)
    assert lax.lt_p.matches(less.primitive)
    assert not lax.le_p.matches(less)
    assert not lax.after_all_p.matches(less)
    with pytest.raises(ArgumentError, match="must be a primitive or an equation"):
        lax.lt_p.matches("lt")  # type: ignore[arg-type]


def test_errors() -> None:
    with pytest.raises(UnsupportedError, match=r"cond_p\.bind: treadle has no such") as caught:
        lax.cond_p.bind(X)
    assert "call treadle.lax.cond" in "".join(caught.value.__notes__)
    with pytest.raises(
        ArgumentError, match=r"reduce_sum_p.bind: missing a required argument: 'axes'"
    ):
        lax.reduce_sum_p.bind(X)
    with pytest.raises(ArgumentError, match=r"argmax_p\.bind: axes is"):
        lax.argmax_p.bind(X, axes=(0, 1), index_dtype=np.int32)
    with pytest.raises(ArgumentError, match="select_prim must be ge_p or le_p"):
        lax.select_and_gather_add_p.bind(X, X, select_prim=lax.lt_p, **WINDOW)
    with pytest.raises(AttributeError, match="no attribute 'nothing_p'"):
        _ = lax.nothing_p  # type: ignore[attr-defined]


def test_a_view_of_a_function_of_any_module() -> None:
    of_module = PrimitiveView("root", "treadle_numpy.numpy:sqrt")
    np.testing.assert_allclose(of_module.bind(X), np.sqrt(X))
    with pytest.raises(UnsupportedError, match="root_p"):
        PrimitiveView("root", "treadle_numpy.no_such_module:sqrt").bind(X)
