from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from treadle import lax
from treadle.errors import ArgumentError, UnsupportedError
from treadle.experimental import sparse
from treadle.experimental.sparse import BCOO, BCSR

DRAW = np.random.default_rng(0)
M = np.where(DRAW.random((3, 4)) < 0.5, DRAW.normal(size=(3, 4)), 0).astype(np.float32)
V = np.arange(4, dtype=np.float32)
m = BCOO.fromdense(M)

SPARSE: Any = [
    lambda x: 2 * x,
    lambda x: x * V,
    lambda x: x / (1 + V),
    lambda x: -x + x * x,
    lambda x: x - 3 * x.astype(np.float32),
    lambda x: tnp.sin(tnp.abs(x)) + tnp.tanh(x) + tnp.sign(x),
    lambda x: tnp.sqrt(x * x) + x**3,
    lambda x: x.T,
    lambda x: x.reshape(6, 2),
    lambda x: x[:, None, :],
    lambda x: x[1],
    lambda x: x[::2, 1:3],
    lambda x: x[::-1],
    lambda x: tnp.concatenate([x, 2 * x], 1),
    lambda x: x.sum(0),
    lambda x: x @ x.T,
    treadle.jit(lambda x: lax.stop_gradient(x) * 2),
    lambda x: x[tnp.array([0, 2, 2])],
    lambda x: x[:, tnp.array([[0, -1], [3, 1]])],
    lambda x: x[tnp.array([0, 2]), tnp.array([1, 3])],
    lambda x: x[np.array([True, False, True])],
    lambda x: x[-1, ::-1],
    lambda x: tnp.take(x, tnp.array([2, 0]), axis=1, mode="clip"),
    lambda x: lax.dynamic_slice(x, (tnp.int32(1), tnp.int32(9)), (2, 2)),
    lambda x: lax.dynamic_slice(x, (tnp.int32(-99), tnp.int32(0)), (2, 2)),
    lambda x: tnp.broadcast_to(x, (2, 3, 4)),
    lambda x: tnp.broadcast_to(x[:, :1], (3, 4)),
    lambda x: tnp.stack([x, 2 * x], 1),
    lambda x: tnp.flip(tnp.roll(x, 1, 0), 1),
    lambda x: tnp.kron(x, x),
    lambda x: tnp.outer(x[0], x[1]),
    lambda x: tnp.convolve(x[0], x[2]),
    lambda x: treadle.nn.relu(x) + tnp.minimum(0, x),
    lambda x: tnp.einsum("ij,ik->ijk", x, 2 * x),
    lambda x: tnp.einsum("ij,ik->ik", x, tnp.ones((3, 4))) * x,
    lambda x: lax.cond(V[1] > 0, lambda x: x * 2, lambda x: x * 3, x),
    lambda x: lax.switch(tnp.int32(5), [lambda x: x, lambda x: x * 2, lambda x: -x], x),
    lambda x: lax.fori_loop(0, 3, lambda i, y: y * 2, x),
    lambda x: lax.while_loop(lambda c: c[0] < 3, lambda c: (c[0] + 1, c[1] * V), (0, x))[1],
    lambda x: lax.scan(lambda c, row: (c + row.sum(), row * 2), 0.0, x)[1],
    lambda x: lax.scan(lambda c, row: (c, row * c), 2.0, x, reverse=True)[1],
]
DENSE: Any = [
    lambda x: x @ V,
    lambda x: tnp.sum(x * x),
    lambda x: x + tnp.ones((3, 4)),
    lambda x: tnp.einsum("ij,j->i", x, V) + tnp.exp(V[:3]),
    lambda x: V[:3] @ (2 * x),
    lambda x: tnp.dot(x.T, tnp.ones(3)),
    lambda x: lax.scan(lambda y, _: (x.T @ (x @ y), None), V, None, length=2)[0],
    lambda x: tnp.vdot(x, x),
    lambda x: lax.scan(lambda c, row: (c + row @ V, None), 0.0, x)[0],
    lambda x: tnp.einsum("ij,ij->i", x, tnp.ones((3, 4))),
    lambda x: tnp.einsum("ij,ij->j", tnp.ones((3, 4)), x),
]


@pytest.mark.parametrize("layout", [(0, 0), (1, 0), (0, 1), (1, 1), (2, 0), (0, 2)])
@pytest.mark.parametrize("f", [*SPARSE, *DENSE])
def test_functions_of_dense_arrays_take_sparse_ones(f: Any, layout: tuple[int, int]) -> None:
    found = sparse.sparsify(f)(BCOO.fromdense(M, n_batch=layout[0], n_dense=layout[1]))
    assert isinstance(found, BCOO) == (f in SPARSE)
    np.testing.assert_allclose(sparse.todense(found), f(tnp.array(M)), rtol=1e-5, atol=1e-6)


def test_it_is_compiled_and_differentiated() -> None:
    f = sparse.sparsify(lambda x, v: tnp.sum((2 * x) @ v))
    np.testing.assert_allclose(treadle.jit(f)(m, V), (2 * M @ V).sum(), rtol=1e-5)
    slope = sparse.grad(f)(m, V)
    np.testing.assert_allclose(slope.todense(), np.where(M != 0, 2 * V, 0), rtol=1e-5)


def test_trees_of_sparse_and_dense_arrays_go_in_and_out() -> None:
    f: Any = sparse.sparsify(lambda p, *, k: {"m": p["m"] * k, "v": p["v"], "n": 3})
    out = f({"m": BCSR.fromdense(M), "v": V}, k=2.0)
    np.testing.assert_allclose(out["m"].todense(), 2 * M)
    np.testing.assert_array_equal(out["v"], V)
    assert int(out["n"]) == 3
    assert f.__wrapped__ is not None


@pytest.mark.parametrize(
    ("f", "message"),
    [
        (tnp.exp, "`exponential` of a sparse array"),
        (lambda x: x + 1, "would be dense"),
        (lambda x: x.max(), "reduce_maximum"),
        (
            lambda x: lax.custom_linear_solve(lambda y: 2 * y, x, lambda _, b: b / 2),
            "linear_solve",
        ),
        (lambda x: 1 / x, "division by zeros"),
        (lambda x: x**0 + 0, "integer_power|would be dense"),
        (lambda x: tnp.maximum(x, 1), "with anything but zero"),
        (lambda x: tnp.take(x, tnp.array([7]), axis=0), 'say `mode="clip"`'),
        (lambda x: tnp.concatenate([x, tnp.ones((3, 4))]), "some of the arrays are dense"),
    ],
)
def test_what_would_be_dense_is_refused(f: Any, message: str) -> None:
    with pytest.raises(UnsupportedError, match=message):
        sparse.sparsify(f)(m)


def test_arguments_are_checked() -> None:
    with pytest.raises(ArgumentError, match="f"):
        sparse.sparsify(3)  # type: ignore[arg-type]  # no function
    with pytest.raises(ArgumentError, match="argument"):
        sparse.sparsify(lambda x: x)("text")


def test_quotients_of_integers_round_sums() -> None:
    x = BCOO((tnp.array([3, 3, 7]), tnp.array([[1], [1], [0]])), shape=(3,))
    found = sparse.sparsify(lambda x: lax.div(x, 2))(x)
    assert found.dtype == np.int32
    assert found.todense().tolist() == [3, 3, 0]
    by_element = sparse.sparsify(lax.div)(x, tnp.array([-2, 4, 1]))
    assert by_element.todense().tolist() == [-3, 1, 0]


def test_branches_that_promise_different_things() -> None:
    x = BCOO((tnp.array([-3.0, 1.0]), tnp.array([[1], [1]])), shape=(3,))
    both = sparse.sparsify(lambda p, x: lax.cond(p, lambda x: 2 * x, abs, x))
    assert both(True, x).todense().tolist() == [0, -4, 0]
    assert both(False, x).todense().tolist() == [0, 2, 0]


def test_a_scan_over_batches_that_share_indices() -> None:
    at = tnp.array([[[0], [2]]])
    x = BCOO((tnp.arange(6.0).reshape(3, 2), at), shape=(3, 3))
    found = sparse.sparsify(lambda x: lax.scan(lambda c, row: (c + row.sum(), row * 2), 0.0, x))(x)
    assert float(found[0]) == 15
    np.testing.assert_array_equal(found[1].todense(), 2 * x.todense())


def test_gathers_by_narrow_indices() -> None:
    x = np.arange(600, dtype=np.float32).reshape(300, 2)
    rows = np.array([3, 250, 200], np.uint8)
    found = sparse.sparsify(lambda x, i: x[i])(BCOO.fromdense(x), rows)
    np.testing.assert_array_equal(found.todense(), x[rows])


def test_functions_stay_sparse_where_they_are_zero_at_zero():
    zero = np.float32(0)
    for function in (
        tnp.cbrt,
        tnp.sin,
        tnp.sqrt,
        tnp.expm1,
        tnp.log1p,
        tnp.floor,
        lax.erf,
        lax.erf_inv,
    ):
        assert isinstance(sparse.sparsify(function)(m), BCOO), function
        assert function(zero) == 0
    for function in (
        tnp.cos,
        tnp.exp,
        tnp.exp2,
        tnp.cosh,
        tnp.arccos,
        lax.logistic,
        lax.erfc,
        lax.rsqrt,
    ):
        with pytest.raises(UnsupportedError, match="of a sparse array has no rule"):
            sparse.sparsify(function)(m)
        assert function(zero) != 0
