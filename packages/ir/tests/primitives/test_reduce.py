from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from treadle_ir import ArrayType, DTypeError, ShapeError, ops
from treadle_ir.primitives.reduce import Argmax, ReduceAdd

X = np.arange(6, dtype=np.float32).reshape(2, 3)
I8, I32 = np.dtype(np.int8), np.dtype(np.int32)


def test_c1_axes() -> None:
    with pytest.raises(ShapeError, match="axes has 2, but the operand"):
        ops.reduce_add(X, axes=(2,))
    with pytest.raises(ShapeError, match="must be in increasing order"):
        ops.reduce_add(X, axes=(1, 0))
    with pytest.raises(ShapeError, match="names an axis twice"):
        ops.reduce_add(X, axes=(1, 1))


def test_c2_sums_of_booleans_are_refused() -> None:
    with pytest.raises(DTypeError, match="reduce_add: operands are bool"):
        ops.reduce_add(X > 1, axes=(0,))
    with pytest.raises(DTypeError, match="reduce_and: operands are f32"):
        ops.reduce_and(X, axes=(0,))
    with pytest.raises(DTypeError, match="argmax: operands are c64"):
        ops.argmax(X.astype(np.complex64), axis=0, dtype=np.dtype(np.int32))


def test_narrow_floats_are_rounded_once() -> None:
    x = np.full(1000, 0.1, ml_dtypes.bfloat16)
    exact = x.astype(np.float64).sum()
    assert ops.reduce_add(x, axes=(0,)) == np.asarray(exact).astype(ml_dtypes.bfloat16)


def test_integer_sums_wrap_around() -> None:
    assert ops.reduce_add(np.array([200, 100], np.uint8), axes=(0,)) == np.uint8(44)


def test_complex_numbers_are_ordered_by_real_part_then_by_imaginary_part() -> None:
    x = np.array([1 + 2j, 3 - 1j, 1 - 5j, 3 - 2j], np.complex64)
    assert ops.reduce_maximum(x, axes=(0,)) == 3 - 1j
    assert ops.reduce_minimum(x, axes=(0,)) == 1 - 5j
    assert ops.reduce_maximum(x[:0], axes=(0,)) == complex(-np.inf, 0)
    lost = ops.reduce_minimum(np.append(x, np.complex64(complex(9, np.nan))), axes=(0,))
    assert np.isnan([np.real(lost), np.imag(lost)]).all()


def test_identities() -> None:
    empty = np.zeros((0,), np.float32)
    assert ops.reduce_add(empty, axes=(0,)) == 0
    assert ops.reduce_multiply(empty, axes=(0,)) == 1
    assert ops.reduce_maximum(empty, axes=(0,)) == -np.inf
    assert ops.reduce_minimum(empty.astype(np.int8), axes=(0,)) == 127
    assert ops.reduce_and(empty.astype(np.int8), axes=(0,)) == -1
    assert bool(ops.reduce_and(empty.astype(bool), axes=(0,))) is True
    assert bool(ops.reduce_or(empty.astype(bool), axes=(0,))) is False


def test_argmax_prefers_the_first_and_nan() -> None:
    assert ops.argmax(np.array([1, 3, 3], np.int32), axis=0, dtype=I32) == 1
    x = np.array([1, np.nan, 3, np.nan], np.float32)
    for dtype in (np.float32, np.float16, ml_dtypes.bfloat16):
        assert ops.argmax(x.astype(dtype), axis=0, dtype=I32) == 1
        assert ops.argmin(x.astype(dtype), axis=0, dtype=I32) == 1


def test_argmax_constraints() -> None:
    with pytest.raises(ShapeError, match="has no elements"):
        ops.argmax(X[:0], axis=0, dtype=I32)
    with pytest.raises(DTypeError, match="positions are integers"):
        ops.argmax(X, axis=0, dtype=X.dtype)
    with pytest.raises(DTypeError, match="i8 cannot hold every position"):
        Argmax(0, I8).infer(ArrayType((129,), X.dtype))
    Argmax(0, I8).infer(ArrayType((128,), X.dtype))


def test_weak_marks() -> None:
    weak = ArrayType((3,), X.dtype, weak=True)
    assert ReduceAdd((0,)).infer(weak) == (ArrayType((), X.dtype, weak=True),)
    assert Argmax(0, I32).infer(weak) == (ArrayType((), I32),)
