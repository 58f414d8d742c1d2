"""Rules of libraries for sparse arrays, and what they get."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from treadle import lax
from treadle.errors import ArgumentError, UnsupportedError
from treadle.experimental import sparse
from treadle.experimental.sparse import coo, transform
from treadle.experimental.sparse.transform import (
    SparsifyEnv,
    SparsifyValue,
    arrays_to_spvalues,
    eval_sparse,
    sparse_rules_bcoo,
    sparsify_raw,
    spvalues_to_arrays,
    spvalues_to_avals,
)
from treadle.extend.core import Primitive

DENSE = np.array([[0.0, 1.0, 0.0], [2.0, 0.0, 3.0]], np.float32)


@pytest.fixture(autouse=True)
def _no_rules_left() -> Iterator[None]:
    yield
    sparse_rules_bcoo.clear()


def matrix() -> sparse.BCOO:
    return sparse.BCOO.fromdense(tnp.array(DENSE))


def test_values_name_arrays() -> None:
    env = SparsifyEnv()
    values = arrays_to_spvalues(env, {"m": matrix(), "v": np.ones(3, np.float32)})
    assert values["m"] == SparsifyValue((2, 3), 0, 1, None, True, True)
    assert values["v"] == SparsifyValue((3,), 2)
    assert (values["m"].is_sparse(), values["m"].is_bcoo(), values["m"].is_bcsr()) == (
        True,
        True,
        False,
    )
    assert (values["v"].is_dense(), values["v"].ndim) == (True, 1)
    back = spvalues_to_arrays(env, values)
    np.testing.assert_array_equal(back["m"].todense(), DENSE)
    assert back["m"].indices_sorted
    np.testing.assert_array_equal(back["v"], np.ones(3))
    avals = spvalues_to_avals(env, values)
    assert (avals["m"].shape, avals["m"].dtype) == ((2, 3), np.float32)


def test_compressed_rows() -> None:
    env = SparsifyEnv()
    value = arrays_to_spvalues(env, sparse.BCSR.fromdense(tnp.array(DENSE)))
    assert value.is_bcsr()
    assert env.indptr(value).tolist() == [0, 1, 3]
    back = spvalues_to_arrays(env, value)
    assert isinstance(back, sparse.BCSR)
    np.testing.assert_array_equal(back.todense(), DENSE)


def test_values_share_arrays() -> None:
    env = SparsifyEnv()
    x = arrays_to_spvalues(env, matrix())
    y = env.sparse(x.shape, 2 * env.data(x), indices_ref=x.indices_ref)
    assert y.indices_ref == x.indices_ref
    np.testing.assert_array_equal(spvalues_to_arrays(env, y).todense(), 2 * DENSE)


def twice() -> Primitive:
    operation = Primitive("twice")
    operation.def_impl(lambda x, *, plus: 2 * x + plus)
    operation.def_abstract_eval(lambda x, *, plus: x)
    return operation


def twice_sparse(env: SparsifyEnv, x: SparsifyValue, *, plus: float) -> list[SparsifyValue]:
    data = 2 * env.data(x) + plus
    return [env.sparse(x.shape, data, indices_ref=x.indices_ref, unique_indices=True)]


def test_an_operation_of_a_library() -> None:
    twice_p = twice()

    @sparse.sparsify
    def f(m: Any, v: Any) -> Any:
        return treadle.jit(lambda m: twice_p.bind(m, plus=1.0))(m) @ v

    v = tnp.array([1.0, 2.0, 3.0])
    with pytest.raises(UnsupportedError, match="sparsify: `twice` of a sparse array has no rule"):
        f(matrix(), v)
    sparse_rules_bcoo[twice_p] = twice_sparse
    expected = np.where(DENSE == 0, 0, 2 * DENSE + 1) @ np.array([1, 2, 3])
    np.testing.assert_allclose(f(matrix(), v), expected)
    np.testing.assert_allclose(treadle.jit(f)(matrix(), v), expected)
    np.testing.assert_allclose(f(sparse.BCSR.fromdense(tnp.array(DENSE)), v), expected)


def test_a_rule_may_have_a_dense_result() -> None:
    twice_p = twice()
    sparse_rules_bcoo[twice_p] = lambda env, x, *, plus: [
        env.dense(2 * spvalues_to_arrays(env, x).todense() + plus)
    ]
    np.testing.assert_allclose(
        sparse.sparsify(lambda m: twice_p.bind(m, plus=1.0))(matrix()), 2 * DENSE + 1
    )


def test_a_rule_in_the_place_of_treadles() -> None:
    cosine = sparse.sparsify(tnp.cos)
    with pytest.raises(UnsupportedError):
        cosine(matrix())
    sparse_rules_bcoo[lax.cos_p] = lambda env, x, **_: [
        env.dense(tnp.cos(spvalues_to_arrays(env, x).todense()))
    ]
    np.testing.assert_allclose(cosine(matrix()), np.cos(DENSE), rtol=1e-6)


def test_programs_and_functions_of_values() -> None:
    env = SparsifyEnv()
    values = arrays_to_spvalues(env, [matrix(), tnp.ones(3)])
    program = treadle.make_jaxpr(lambda m, v: (m @ v, 2 * m))(DENSE, np.ones(3, np.float32))
    product, doubled = eval_sparse(program.jaxpr, program.consts, values, env)
    np.testing.assert_allclose(env.data(product), DENSE @ np.ones(3))
    assert doubled.is_bcoo()
    (result,), tree = sparsify_raw(lambda m, *, by: {"y": by * m})(env, values[0], by=3.0)
    assert tree == treadle.tree.structure({"y": 0})
    np.testing.assert_allclose(spvalues_to_arrays(env, result).todense(), 3 * DENSE)


def test_what_is_known_of_coordinates() -> None:
    assert sparse.COO.fromdense(tnp.eye(3))._info == coo.COOInfo((3, 3), rows_sorted=True)


def test_messages() -> None:
    env = SparsifyEnv()
    dense = env.dense(tnp.ones(3))
    with pytest.raises(ArgumentError, match="the value has no indices"):
        env.indices(dense)
    with pytest.raises(ArgumentError, match="there is neither indices nor indices_ref"):
        env.sparse((3,), tnp.ones(1))
    with pytest.raises(ArgumentError, match="data and data_ref are both given"):
        env.sparse((3,), tnp.ones(1), data_ref=0, indices_ref=0)
    with pytest.raises(ArgumentError, match="sparse_rules_bcoo: the key must be a Primitive"):
        sparse_rules_bcoo["sin"] = twice_sparse  # type: ignore[index]
    program = treadle.make_jaxpr(lambda x, y: x)(1.0, 2.0)
    with pytest.raises(ArgumentError, match="eval_sparse: 1 constants and values are given, but"):
        eval_sparse(program.jaxpr, program.consts, [dense], env)
    sparse_rules_bcoo[lax.sin_p] = lambda env, x, **_: 3  # type: ignore[assignment, return-value]
    with pytest.raises(ArgumentError, match="the rule of sin: the result must be a list"):
        transform.sparsify(tnp.sin)(matrix())
