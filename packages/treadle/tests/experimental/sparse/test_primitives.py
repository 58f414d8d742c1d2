"""JAX's sparse primitives: `bind` with the parameters that JAX 0.10.2 shows, against dense NumPy."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from treadle.errors import ArgumentError
from treadle.experimental import sparse
from treadle.experimental.sparse import linalg, primitives
from treadle.experimental.sparse.coo import COOInfo
from treadle.experimental.sparse.util import SparseInfo

M = np.array([[1, 0, 2], [0, 3, 0]], np.float32)
N = np.array([[0, 4, 5], [6, 0, 0]], np.float32)
V = np.array([1, 2, 3], np.float32)
INFO = SparseInfo(shape=(2, 3), indices_sorted=True, unique_indices=True)
UNKNOWN = SparseInfo(shape=(2, 3), indices_sorted=False, unique_indices=False)
COO = COOInfo(shape=(2, 3), rows_sorted=True, cols_sorted=False)
ROWS_BY_COLUMNS = (((1,), (0,)), ((), ()))
COLUMNS = (((1,), (1,)), ((), ()))


def by_indices(found: Any, shape: Any = (2, 3)) -> Any:
    """The dense array of elements and their indices."""
    dense = np.zeros(shape, np.float32)
    np.add.at(dense, tuple(np.asarray(found[1]).T), np.asarray(found[0]))
    return dense


def by_rows(found: Any) -> Any:
    """The dense matrix of compressed rows."""
    data, indices, ends = map(np.asarray, found)
    rows = np.repeat(np.arange(2), np.diff(ends))
    return by_indices((data, np.stack([rows, indices], axis=1)))


B = [M[M != 0], np.argwhere(M).astype(np.int32)]
C = [B[0], B[1][:, 1], np.array([0, 2, 3], np.int32)]
D = [B[0], B[1][:, 0], B[1][:, 1]]
OTHER = [N[N != 0], np.argwhere(N).astype(np.int32)]
MADE = {"nse": 3, "n_batch": 0, "n_dense": 0, "index_dtype": tnp.int32}
PRODUCT = {"dimension_numbers": ROWS_BY_COLUMNS, "preferred_element_type": None}

CASES: dict[str, tuple[list[Any], dict[str, Any], Any]] = {
    "bcoo_fromdense": ([M], MADE, lambda found: (by_indices(found), M)),
    "bcoo_todense": (B, {"spinfo": INFO}, M),
    "bcoo_transpose": (
        B,
        {"permutation": (1, 0), "spinfo": INFO},
        lambda found: (by_indices(found, (3, 2)), M.T),
    ),
    "bcoo_sort_indices": (
        [each[::-1] for each in B],
        {"spinfo": UNKNOWN},
        lambda found: (found[1], B[1]),
    ),
    "bcoo_sum_duplicates": (
        [np.concatenate([each, each]) for each in B],
        {"spinfo": UNKNOWN, "nse": 3},
        lambda found: (by_indices(found), 2 * M),
    ),
    "bcoo_extract": ([B[1], N + 1], {"assume_unique": True}, (N + 1)[M != 0]),
    "bcoo_dot_general": ([*B, N.T], {**PRODUCT, "lhs_spinfo": INFO}, M @ N.T),
    "bcoo_spdot_general": (
        [*B, *OTHER],
        {
            "lhs_spinfo": INFO,
            "rhs_spinfo": INFO,
            "dimension_numbers": COLUMNS,
            "preferred_element_type": None,
        },
        lambda found: (by_indices([found[0], np.minimum(found[1], 1)], (2, 2)), M @ N.T),
    ),
    "bcoo_dot_general_sampled": (
        [M, N.T @ M, B[1]],
        {"dimension_numbers": ROWS_BY_COLUMNS},
        (M @ (N.T @ M))[M != 0],
    ),
    "bcsr_fromdense": ([M], MADE, lambda found: (by_rows(found), M)),
    "bcsr_todense": (C, {"spinfo": UNKNOWN}, M),
    "bcsr_extract": ([C[1], C[2], N + 1], {}, (N + 1)[M != 0]),
    "bcsr_dot_general": ([*C, N.T], {**PRODUCT, "lhs_spinfo": UNKNOWN}, M @ N.T),
    "coo_fromdense": (
        [M],
        {"nse": 3, "index_dtype": np.int32},
        lambda found: (by_indices([found[0], np.stack(found[1:], axis=1)]), M),
    ),
    "coo_todense": (D, {"spinfo": COO}, M),
    "coo_matvec": ([*D, V], {"spinfo": COO, "transpose": False}, M @ V),
    "coo_matmat": ([*D, N], {"spinfo": COO, "transpose": True}, M.T @ N),
    "csr_fromdense": (
        [M],
        {"nse": 3, "index_dtype": np.dtype(np.int32)},
        lambda found: (by_rows(found), M),
    ),
    "csr_todense": (C, {"shape": (2, 3)}, M),
    "csr_matvec": ([*C, V[:2]], {"shape": (2, 3), "transpose": True}, M.T @ V[:2]),
    "csr_matmat": ([*C, N.T], {"shape": (2, 3), "transpose": False}, M @ N.T),
    "csr_spsolve": (
        [V, np.array([2, 0, 1]), np.array([0, 1, 2, 3]), V],
        {"tol": 1e-6, "reorder": 1},
        np.array([1, 1, 1], np.float32),
    ),
    "todense": (
        B,
        {"tree": treadle.tree.structure(sparse.BCOO(tuple(B), shape=(2, 3)))},
        M,
    ),
}


def view(name: str) -> Any:
    return linalg.spsolve_p if name == "csr_spsolve" else getattr(sparse, f"{name}_p")


@pytest.mark.parametrize("name", CASES)
def test_bind_takes_what_jax_binds(name: str) -> None:
    operands, parameters, wanted = CASES[name]
    found = view(name).bind(*map(tnp.asarray, operands), **parameters)
    assert isinstance(found, list) == view(name).multiple_results
    found, expected = wanted(found) if callable(wanted) else (found, wanted)
    np.testing.assert_allclose(found, expected, rtol=1e-6)
    assert str(view(name)) == view(name).name == name


def test_each_is_there_and_in_the_module_where_jax_has_it() -> None:
    assert {f"{name}_p" for name in CASES if name != "csr_spsolve"} == {
        name for name in primitives.__all__ if name != "spsolve_p"
    }
    for name in primitives.__all__:
        module = {"todense": "api", "spsolve": "linalg"}.get(name[:-2], name.partition("_")[0])
        home = importlib.import_module(f"treadle.experimental.sparse.{module}")
        assert getattr(home, name) is getattr(primitives, name)


def test_they_are_transformed_as_the_functions_are() -> None:
    def loss(data: Any) -> Any:
        product = sparse.bcoo_dot_general_p.bind(data, B[1], N.T, **PRODUCT, lhs_spinfo=INFO)
        return (product**2).sum()

    gradient = treadle.jit(treadle.grad(loss))(tnp.asarray(B[0]))
    np.testing.assert_allclose(gradient, (2 * M @ N.T @ N)[M != 0])


def test_other_parameters_are_named() -> None:
    with pytest.raises(ArgumentError, match=r"bcoo_todense_p.bind: .*'spinfo'"):
        sparse.bcoo_todense_p.bind(*map(tnp.asarray, B), shape=(2, 3))


def test_elements_that_are_extracted_twice_count_once() -> None:
    twice = np.array([[0, 1], [1, 1], [0, 1]], np.int32)
    found = primitives.bcoo_extract_p.bind(twice, N + 1, assume_unique=False)
    np.testing.assert_array_equal(found, [5, 1, 0])
    assert primitives.bcoo_extract_p.bind(twice, N + 1, assume_unique=True).tolist() == [5, 1, 5]
