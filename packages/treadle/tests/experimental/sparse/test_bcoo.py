"""BCOO against dense arrays and scipy.sparse, with batch and dense axes."""

from __future__ import annotations

import itertools
import math
import re
from typing import Any

import numpy as np
import pytest
import scipy.sparse

import treadle
import treadle.numpy as tnp
from treadle import lax
from treadle.errors import ArgumentError, IndexingError, ShapeError, UnsupportedError
from treadle.experimental import sparse
from treadle.experimental.sparse import BCOO

DRAW = np.random.default_rng(0)
M = np.where(DRAW.random((4, 5)) < 0.4, DRAW.normal(size=(4, 5)), 0).astype(np.float32)
N = np.where(DRAW.random((4, 5)) < 0.4, DRAW.normal(size=(4, 5)), 0).astype(np.float32)
C = np.where(DRAW.random((3, 4, 5)) < 0.4, DRAW.normal(size=(3, 4, 5)), 0).astype(np.float32)
LAYOUTS = [(b, d) for b in range(4) for d in range(4) if b + d <= 3]
m, n = BCOO.fromdense(M), BCOO.fromdense(N)


def close(found: Any, expected: Any) -> None:
    dense = found.todense() if isinstance(found, sparse.JAXSparse) else found
    assert tuple(found.shape) == np.shape(expected)
    np.testing.assert_allclose(dense, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(("n_batch", "n_dense"), LAYOUTS)
@pytest.mark.parametrize("extra", [0, 2])
def test_every_layout_comes_back(n_batch: int, n_dense: int, extra: int) -> None:
    nse = BCOO.fromdense(C, n_batch=n_batch, n_dense=n_dense).nse + extra
    x = BCOO.fromdense(C, nse=nse, n_batch=n_batch, n_dense=n_dense)
    assert (x.n_batch, x.n_dense, x.n_sparse) == (n_batch, n_dense, 3 - n_batch - n_dense)
    close(x, C)
    close(x.update_layout(n_batch=0), C)
    close(x.update_layout(n_batch=0, n_dense=0), C)
    close(x.sort_indices(), C)
    close(x.sum_duplicates(), C)
    close(-x, -C)
    close(x * 2, C * 2)
    close(x * (C + 1), C * (C + 1))
    for axis in range(3):
        close(x.sum(axis), C.sum(axis))
    close(x.sum((0, 2)), C.sum((0, 2)))
    np.testing.assert_allclose(x.sum(), C.sum(), rtol=1e-5)
    close(x[1:3, ::2], C[1:3, ::2])
    close(x + x, C + C)
    close(sparse.bcoo_extract(x, C * 10), C * 10)


@pytest.mark.parametrize(
    "operation",
    [
        lambda x, y: x + y,
        lambda x, y: x - y,
        lambda x, y: x * y,
        lambda x, y: -x,
        lambda x, y: 2 * x,
        lambda x, y: x / 4,
        lambda x, y: abs(x) ** 2,
        lambda x, y: x.T,
        lambda x, y: x @ y.T,
        lambda x, y: x.reshape((2, 10)),
        lambda x, y: x.reshape((-1, 2)),
        lambda x, y: x[1],
        lambda x, y: x[:, -1],
        lambda x, y: x[..., 1:4:2],
        lambda x, y: x[:, None, 2:],
        lambda x, y: x.sum(0),
        lambda x, y: x.sum(-1),
        lambda x, y: x.sum(),
        lambda x, y: x.astype(np.int32),
        lambda x, y: x @ N[0],
        lambda x, y: N[:, 0] @ x,
        lambda x, y: x @ N.T,
        lambda x, y: N.T @ x,
        lambda x, y: x * N,
        lambda x, y: x * N[0],
        lambda x, y: N[:, :1] * x,
        lambda x, y: x / (2 + N[:1]),
        lambda x, y: x + N,
        lambda x, y: N - x,
        lambda x, y: tnp.asarray(N)[:, 0] @ x,
        lambda x, y: tnp.asarray(N).T @ x,
        lambda x, y: tnp.asarray(N[:, :1]) * x,
        lambda x, y: tnp.asarray(N) - x,
    ],
)
def test_operations_agree_with_dense_ones_eagerly_and_compiled(operation: Any) -> None:
    expected = operation(M, N)
    close(operation(m, n), expected)
    compiled = treadle.jit(operation)(m, n)
    close(compiled, expected)


def test_duplicates_are_added() -> None:
    rows = tnp.array([[2, 0], [0, 1], [2, 0], [9, 9], [0, 1]])
    x = BCOO((tnp.array([1.0, 2.0, 3.0, 100.0, -2.0]), rows), shape=(3, 2))
    dense = np.array([[0, 0], [0, 0], [4, 0]])
    close(x, dense)
    once = x.sum_duplicates(remove_zeros=False)
    assert (once.nse, once.indices_sorted, once.unique_indices) == (2, True, True)
    assert once.indices.tolist() == [[0, 1], [2, 0]]
    assert x.sum_duplicates().nse == 2  # zeros that sums make are stored
    kept = treadle.jit(lambda x: x.sum_duplicates())(x)
    assert kept.nse == 5
    close(kept, dense)
    assert x.sum_duplicates(nse=4).nse == 4
    close(x.sum_duplicates(nse=1), np.zeros((3, 2)))
    close(abs(-x), dense)
    close(x @ np.ones(2), dense.sum(1))
    close(sparse.bcoo_extract(x, tnp.arange(6.0).reshape(3, 2)), [[0, 1], [0, 0], [4, 0]])


def test_scipy_agrees() -> None:
    theirs = scipy.sparse.random(6, 7, 0.3, format="csr", dtype=np.float32, random_state=0)
    ours = BCOO.from_scipy_sparse(theirs)
    assert ours.nse == theirs.nnz
    dense = np.ones((7, 2), np.float32)
    close(ours, theirs.toarray())
    close(ours @ dense, theirs @ dense)
    close(ours @ ours.T, (theirs @ theirs.T).toarray())
    close(ours.sum(1), np.asarray(theirs.sum(1)).ravel())


@pytest.mark.parametrize("shape", [(5, 2), (7, 5, 2), (2, 7, 5, 2), (0, 5, 2), (3, 5, 2)])
def test_products_broadcast_the_axes_before_the_last_two(shape: tuple[int, ...]) -> None:
    dense = DRAW.normal(size=shape).astype(np.float32)
    close(m @ dense, M @ dense)
    close(tnp.asarray(dense.swapaxes(-1, -2)) @ m.T, dense.swapaxes(-1, -2) @ M.T)
    close(BCOO.fromdense(M[0]) @ dense, M[0] @ dense)
    close(treadle.jit(lambda x: m @ x)(dense), M @ dense)


@pytest.mark.parametrize("shape", [(3, 5, 2), (1, 5, 2), (2, 3, 5, 2), (2, 1, 5, 2)])
def test_products_of_batches_broadcast(shape: tuple[int, ...]) -> None:
    dense = DRAW.normal(size=shape).astype(np.float32)
    x = BCOO.fromdense(C, n_batch=1)
    close(x @ dense, C @ dense)
    y = BCOO.fromdense(C.swapaxes(-1, -2), n_batch=1)
    turned = dense.swapaxes(-1, -2)
    close(tnp.asarray(turned) @ y, turned @ C.swapaxes(-1, -2))
    close(tnp.ones(4) @ x, np.ones(4) @ C)
    close(tnp.ones((2, 4)) @ BCOO.fromdense(C), np.ones((2, 4)) @ C)


def test_a_matrix_times_sparse_matrices() -> None:
    close(m @ BCOO.fromdense(C.swapaxes(-1, -2)), M @ C.swapaxes(-1, -2))


@pytest.mark.parametrize("n_dense", [0, 1])
def test_vmap_takes_batch_axes_off_and_puts_them_on(n_dense: int) -> None:
    x = BCOO.fromdense(C, n_batch=1, n_dense=n_dense)
    v = np.arange(5, dtype=np.float32)
    close(treadle.vmap(lambda x: x @ v)(x), C @ v)
    made = treadle.vmap(lambda c: BCOO.fromdense(c, nse=4 if n_dense else 20, n_dense=n_dense))(C)
    assert made.n_batch == 1
    close(made, C)
    close(treadle.vmap(lambda x: x.T if not n_dense else x)(x).sum(), C.sum())


def test_batches_are_broadcast() -> None:
    data = tnp.arange(6.0).reshape(3, 2)
    x = BCOO((data, tnp.array([[[1], [0]]])), shape=(3, 4))
    close(x, np.stack([data[:, 1], data[:, 0], np.zeros(3), np.zeros(3)], -1))
    close(x @ np.ones(4), data.sum(1))


def test_dot_general_with_batch_and_dense_axes() -> None:
    other = DRAW.normal(size=(3, 5, 2)).astype(np.float32)
    x = BCOO.fromdense(C, n_batch=1)
    numbers = (((2,), (1,)), ((0,), (0,)))
    expected = np.einsum("bij,bjk->bik", C, other)
    close(sparse.bcoo_dot_general(x, other, dimension_numbers=numbers), expected)
    swapped = (((1,), (2,)), ((0,), (0,)))
    found = sparse.bcoo_dot_general(other, x, dimension_numbers=swapped)
    close(found, np.einsum("bij,bjk->bki", C, other))
    y = BCOO.fromdense(C, n_dense=1)
    both = (((1, 2), (0, 1)), ((), ()))
    right = DRAW.normal(size=(4, 5, 2)).astype(np.float32)
    found = sparse.bcoo_dot_general(y, right, dimension_numbers=both)
    close(found, np.tensordot(C, right, 2))


def test_gradients_are_those_of_the_dense_function_where_elements_are() -> None:
    v = np.arange(5, dtype=np.float32)

    def f(x: Any, v: Any) -> Any:
        return tnp.sum(tnp.sin(x @ v))

    slope = sparse.grad(f)(m, v)
    dense = treadle.grad(f)(tnp.array(M), v)
    close(slope, np.where(M != 0, dense, 0))
    np.testing.assert_allclose(treadle.grad(f, 1)(m, v), treadle.grad(f, 1)(M, v), rtol=1e-5)


def test_trees_and_text() -> None:
    assert repr(BCOO.fromdense(C, n_batch=1, n_dense=1)).startswith("BCOO(float32[3, 4, 5], nse=")
    assert "n_batch=1, n_dense=1" in repr(BCOO.fromdense(C, n_batch=1, n_dense=1))
    assert repr(treadle.tree.map(lambda _: None, m)) == "BCOO(...)"
    leaves, structure = treadle.tree.flatten(m)
    close(treadle.tree.unflatten(structure, leaves), M)
    assert len(m) == 4
    assert [row.shape for row in m] == [(5,)] * 4
    m.block_until_ready()
    assert sparse.todense(m).shape == sparse.todense(M).shape == (4, 5)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: BCOO(3, shape=(2,)), ArgumentError, "a pair"),
        (lambda: BCOO(("a", [1]), shape=(2,)), ArgumentError, "data must be an array"),
        (
            lambda: BCOO((np.ones(2), np.ones((2, 1))), shape=(2,)),
            ArgumentError,
            "must be integers",
        ),
        (
            lambda: BCOO((np.ones(2), np.zeros((1, 2), int)), shape=(2, 2)),
            ShapeError,
            r"data of shape \(2,\)",
        ),
        (
            lambda: BCOO((np.ones(2), np.zeros((2, 1), int)), shape=(2, 2)),
            ShapeError,
            "do not form an array of",
        ),
        (lambda: BCOO.fromdense(M, n_batch=2, n_dense=1), ArgumentError, "too many"),
        (lambda: BCOO.fromdense(M, nse=-1), ArgumentError, "at least 0"),
        (lambda: treadle.jit(BCOO.fromdense)(M), TypeError, "not known while tracing"),
        (lambda: BCOO.from_scipy_sparse(M), ArgumentError, "a matrix of `scipy.sparse`"),
        (lambda: m + 1, UnsupportedError, "would be dense"),
        (lambda: m + m.T, ShapeError, "sum of sparse arrays of shapes"),
        (lambda: m * np.ones((2, 4, 5)), ShapeError, "must have the first"),
        (lambda: m @ m, ShapeError, "their sizes differ"),
        (lambda: m @ 3, ShapeError, "scalars"),
        (lambda: BCOO.fromdense(C, n_batch=1) @ np.ones((2, 5, 1)), ShapeError, "be broadcast"),
        (lambda: m == m, UnsupportedError, "=="),
        (lambda: m**-1, UnsupportedError, "not positive"),
        (lambda: m / m, UnsupportedError, "division"),
        (lambda: m[7], IndexingError, "index 7 is out of bounds"),
        (lambda: m[0, 0, 0], IndexingError, "too many indices"),
        (lambda: m[[0, 1]], TypeError, "list|sequence"),
        (lambda: m[1.5], TypeError, "integer"),
        (lambda: m.reshape((3, 3)), ShapeError, "different sizes"),
        (lambda: m.transpose((0, 0)), ArgumentError, "no permutation"),
        (lambda: m.update_layout(n_batch=1), sparse.SparseEfficiencyError, "store zeros"),
        (lambda: m.sum(2), ArgumentError, "axes are"),
        (
            lambda: tnp.sin(m),  # type: ignore[arg-type]  # sparse
            UnsupportedError,
            "a function of dense arrays",
        ),
        (lambda: np.asarray(m), UnsupportedError, "todense"),
        (lambda: sparse.bcoo_concatenate([], dimension=0), ArgumentError, "at least one"),
        (
            lambda: sparse.bcoo_concatenate([m, m.T], dimension=0),
            ShapeError,
            "differ along an axis other",
        ),
        (
            lambda: sparse.bcoo_todense(M),  # type: ignore[arg-type]  # dense
            ArgumentError,
            "a BCOO",
        ),
    ],
)
def test_errors_say_what_to_do(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()


@pytest.mark.parametrize("axis", range(3))
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("other", LAYOUTS)
def test_arrays_of_any_layouts_are_put_together(
    axis: int, layout: tuple[int, int], other: tuple[int, int]
) -> None:
    x, y = (BCOO.fromdense(a, n_batch=b, n_dense=d) for a, (b, d) in ((C, layout), (-C, other)))
    both = sparse.bcoo_concatenate([x, y, x], dimension=axis)
    close(both, np.concatenate([C, -C, C], axis))
    close(both.sum_duplicates(), np.concatenate([C, -C, C], axis))
    close(x * y, -C * C)
    close(x + y, np.zeros_like(C))


@pytest.mark.parametrize(("n_batch", "n_dense"), LAYOUTS)
def test_every_layout_is_indexed_moved_and_reshaped(n_batch: int, n_dense: int) -> None:
    x = BCOO.fromdense(C, n_batch=n_batch, n_dense=n_dense)
    i, j = tnp.array([2, 0, 2]), tnp.array([[1], [-1]])
    indices: Any = [
        *(0, (1, 2), (0, slice(None), -1), (None, 1), (slice(None), 2), (slice(None, None, -2), 1)),
        *(i, (slice(None), j), (..., i), (i, slice(1, 3), i), (j, i), (i, None, 2), tnp.int32(1)),
        C[:, 0, 0] > 0,
    ]
    for index in indices:
        close(x[index], C[np.asarray(index) if isinstance(index, treadle.Array) else index])
    close(tnp.stack([row.todense() for row in x]), C)
    for order in itertools.permutations(range(3)):
        close(x.transpose(order), C.transpose(order))
    for shape in ((12, 5), (3, 20), (60,), (3, 1, 4, 5), (1, 3, 2, 2, 5), (3, 4, 5, 1), (2, 30)):
        close(x.reshape(shape), C.reshape(shape))
        close(x.reshape(shape).reshape(C.shape) * C, C * C)
    close(treadle.jit(lambda x, i: x[i, :, 1])(x, i), C[[2, 0, 2], :, 1])


def test_a_batch_axis_stays_one_where_it_can() -> None:
    x = BCOO.fromdense(C, n_batch=1, n_dense=1)
    assert repr(x[:, None]).endswith("n_batch=1, n_dense=1)")
    assert repr(x[1]) == f"BCOO(float32[4, 5], nse={x.nse}, n_dense=1)"
    assert repr(x[tnp.array([0, 2])]).endswith("n_batch=1, n_dense=1)")
    assert repr(sparse.bcoo_concatenate([x, x], dimension=0)).endswith("n_batch=1, n_dense=1)")


def test_products_of_sparse_arrays_are_broadcast() -> None:
    rows = BCOO.fromdense(M[:, :1])
    assert (m * rows).nse <= m.nse * rows.nse
    close(m * rows, M * M[:, :1])
    close(rows * BCOO.fromdense(N[:1]), M[:, :1] * N[:1])
    close(BCOO.fromdense(C, n_batch=1) * BCOO.fromdense(C[:1], n_dense=1), C * C[:1])


@pytest.mark.parametrize(("n_batch", "n_dense"), LAYOUTS)
def test_any_axes_are_contracted_or_batch_axes(n_batch: int, n_dense: int) -> None:
    x = BCOO.fromdense(C, n_batch=n_batch, n_dense=n_dense)
    other = DRAW.normal(size=(3, 4, 5)).astype(np.float32)
    axes = range(3)
    for contracted in [*itertools.chain(*(itertools.combinations(axes, n) for n in axes))]:
        for batch in itertools.chain(*(itertools.permutations(axes, n) for n in axes)):
            if not set(batch) & set(contracted):
                numbers = ((contracted, contracted), (batch, batch))
                expected = lax.dot_general(C, other, numbers)
                close(sparse.bcoo_dot_general(x, other, dimension_numbers=numbers), expected)
                expected = lax.dot_general(other, C, numbers)
                close(sparse.bcoo_dot_general(other, x, dimension_numbers=numbers), expected)
                y = BCOO.fromdense(other, n_batch=n_dense)
                expected = lax.dot_general(C, other, numbers)
                close(sparse.bcoo_dot_general(x, y, dimension_numbers=numbers), expected)


TWICE = BCOO((tnp.array([0.6, 0.6, 3.0]), tnp.array([[1], [1], [0]])), shape=(3,))
NARROW = BCOO.fromdense(np.ones((100, 100), np.float32), index_dtype=np.int8)


@pytest.mark.parametrize(("dtype", "expected"), [(int, [3, 1, 0]), (bool, [True, True, False])])
def test_sums_of_equal_indices_are_converted_not_what_is_added(dtype: Any, expected: Any) -> None:
    assert TWICE.astype(dtype).todense().tolist() == expected
    assert sparse.sparsify(lambda x: x.astype(dtype))(TWICE).todense().tolist() == expected
    nothing = TWICE.made(tnp.array([1.0, -1.0, 3.0])).astype(dtype)
    assert nothing.todense().tolist() == np.array([3, 0, 0]).astype(dtype).tolist()


def test_booleans_of_equal_indices_are_one_number() -> None:
    x = BCOO((tnp.array([True, True]), tnp.array([[1], [1]])), shape=(3,))
    assert x.astype(np.float32).todense().tolist() == [0, 1, 0]
    assert x.sum().tolist() == 1


def test_sums_of_narrow_integers_are_as_wide_as_dense_ones() -> None:
    x = np.array([[100, 100], [0, 100]], np.int8)
    for axis in (None, 0, 1):
        found, expected = BCOO.fromdense(x).sum(axis), tnp.sum(x, axis)
        close(found, expected)
        assert found.dtype == expected.dtype


def test_quotients_are_those_of_the_elements() -> None:
    x, tiny = np.array([0, 1e-3, 2e-3], np.float16), np.full(3, 1e-5, np.float16)
    np.testing.assert_array_equal((BCOO.fromdense(x) / tiny).todense(), x / tiny)
    y = DRAW.normal(size=200).astype(np.float32)
    np.testing.assert_array_equal((BCOO.fromdense(y) / np.abs(y[::-1])).todense(), y / abs(y[::-1]))
    padded = BCOO.fromdense(tnp.array([0.0, 2.0]), nse=2)
    assert (padded / tnp.array([0.0, 4.0])).data.tolist() == [0.5, 0.0]
    slopes = treadle.grad(lambda v: (padded / v).todense().sum())(tnp.array([0.0, 4.0]))
    assert slopes.tolist() == [0.0, -0.125]


@pytest.mark.parametrize("exponent", [np.int64(2), np.float32(2.0)])
def test_powers_by_numbers_of_numpy(exponent: Any) -> None:
    close(m**exponent, M**2)
    with pytest.raises(UnsupportedError, match="not a positive number"):
        m ** (-exponent)


def test_products_in_the_type_that_is_wanted() -> None:
    x = np.array([[0, 100], [0, 100]], np.int8)
    numbers, exact = (((1,), (0,)), ((), ())), x.astype(np.int32) @ x.astype(np.int32)
    for a, b in ((BCOO.fromdense(x), x), (x, BCOO.fromdense(x)), (BCOO.fromdense(x),) * 2):
        wide = sparse.bcoo_dot_general(
            a, b, dimension_numbers=numbers, preferred_element_type=np.int32
        )
        assert wide.dtype == np.int32
        close(wide, exact)
        product = sparse.sparsify(
            lambda a, b: lax.dot_general(a, b, numbers, preferred_element_type=np.int32)
        )(a, b)
        assert product.dtype == np.int32
        close(product, exact)
    rows = sparse.BCSR.fromdense(x)
    close(
        sparse.bcsr_dot_general(
            rows, x, dimension_numbers=numbers, preferred_element_type=np.int32
        ),
        exact,
    )


@pytest.mark.parametrize(
    ("operation", "expected"),
    [
        (lambda x: x.reshape(10_000), np.ones(10_000)),
        (lambda x: x.reshape(20, 500), np.ones((20, 500))),
        (lambda x: sparse.bcoo_concatenate([x, x], dimension=0), np.ones((200, 100))),
        (lambda x: sparse.bcoo_concatenate([x, x], dimension=1), np.ones((100, 200))),
        (
            lambda x: sparse.bcoo_broadcast_in_dim(
                x[:, :1], shape=(100, 300), broadcast_dimensions=(0, 1)
            ),
            np.ones((100, 300)),
        ),
        (lambda x: x[:1] * BCOO.fromdense(np.ones((200, 100))), np.ones((200, 100))),
        (lambda x: x @ BCOO.fromdense(np.ones((100, 2))), np.full((100, 2), 100)),
    ],
)
def test_narrow_indices_become_wider_where_sizes_do(operation: Any, expected: Any) -> None:
    close(operation(NARROW), expected)


def test_batch_axes_longer_than_narrow_indices() -> None:
    x = np.eye(300, 2, dtype=np.float32)
    batches = BCOO.fromdense(x, n_batch=1, index_dtype=np.int8)
    close(batches.update_layout(n_batch=0), x)
    rows = BCOO.fromdense(x.T, n_dense=1, index_dtype=np.int8)
    close(rows.update_layout(n_dense=0), x.T)


def test_indices_that_do_not_hold_the_sizes() -> None:
    with pytest.raises(ArgumentError, match="do not fit into indices of int8"):
        BCOO.fromdense(np.ones(200), index_dtype=np.int8)
    x = BCOO((tnp.ones(2), tnp.array([[100], [3]], np.int8)), shape=(200,))
    close(x.sum_duplicates(nse=3), x.todense())
    close(x[3:120], x.todense()[3:120])
    with pytest.raises(ArgumentError, match="nse must be a number that is not negative"):
        x.sum_duplicates(nse=-1)


def test_extract_takes_no_more_than_a_few_numbers_for_each_element() -> None:
    def most(count: int) -> int:
        x = BCOO((tnp.ones(count), tnp.zeros((count, 2), int)), shape=(4, 4))
        program = treadle.make_jaxpr(lambda d: sparse.bcoo_extract(x, d).data)(tnp.ones((4, 4)))
        shapes = re.findall(r"[a-z]+[0-9]+\[([0-9,]+)\]", str(program.jaxpr))
        return max(math.prod(map(int, shape.split(","))) for shape in shapes)

    assert most(1000) <= 2 * most(500)
    twice = BCOO((tnp.ones(4), tnp.array([[2, 1], [0, 0], [2, 1], [0, 0]])), shape=(3, 2))
    found = sparse.bcoo_extract(twice, tnp.arange(6.0).reshape(3, 2) + 1)
    assert found.data.tolist() == [6.0, 1.0, 0.0, 0.0]


def test_one_array_of_indices_for_arrays_of_two_shapes() -> None:
    at = tnp.array([[0]])
    flags = {"indices_sorted": True, "unique_indices": True}
    one = BCOO((tnp.array([2.0]), at), shape=(1,), **flags)
    five = BCOO((tnp.array([3.0]), at), shape=(5,), **flags)
    close(sparse.bcoo_multiply_sparse(one, five), np.array([6.0, 0, 0, 0, 0]))


@pytest.mark.parametrize(("n_batch", "n_dense"), [(0, 0), (1, 0), (0, 1), (1, 1), (0, 2)])
def test_no_elements_are_summed(n_batch: int, n_dense: int) -> None:
    x = BCOO.fromdense(np.zeros((3, 4), np.float32), n_batch=n_batch, n_dense=n_dense, nse=0)
    close(x.sum_duplicates(), np.zeros((3, 4)))
    close(treadle.jit(lambda x: x.sum_duplicates(nse=x.nse))(x), np.zeros((3, 4)))
