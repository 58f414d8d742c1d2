"""Kernels that are called without their rule give what the rule gives, to the last bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from treadle_ir import ArrayType, eval_rules
from treadle_ir.core import inferred
from treadle_ir.core.dtypes import BY_NAME, letter
from treadle_ir.primitives.compare import Select
from treadle_ir.primitives.contract import Convolution
from treadle_ir.primitives.elementwise import Divide, Erf, Erfc
from treadle_ir.primitives.indexing import Gather
from treadle_ir.testing.examples import all_examples
from treadle_runtime.evaluation.host import numpy_kernel
from treadle_runtime.evaluation.host.numpy_kernels import MANY_CHOICES

NUMPYS = {
    *("bool", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "f32", "f64"),
    *("c64", "c128"),
}


def test_the_same_as_the_rule() -> None:
    compared = set()
    for example in all_examples():
        primitive = example.primitive
        results, _ = inferred(primitive, example.types)
        if len(results) != 1 or not isinstance(results[0], ArrayType):
            continue
        kernel = numpy_kernel(primitive, example.types, results[0])
        if kernel is None:
            continue
        operands = [np.asarray(x) for x in example.operands()]
        with np.errstate(all="ignore"):
            found = np.asarray(kernel(*operands))
            (expected,) = eval_rules[primitive](primitive, *operands)
        assert (found.shape, found.dtype) == (results[0].shape, results[0].dtype), primitive
        expected = np.asarray(expected)
        if isinstance(primitive, (Erf, Erfc)) and found.dtype == np.float64:
            np.testing.assert_array_max_ulp(found, expected, 2)  # each is off by one at most
        else:
            np.testing.assert_array_equal(found, expected, err_msg=str(primitive))
        if found.dtype.kind == "f":
            np.testing.assert_array_equal(np.signbit(found), np.signbit(expected))
        compared.add(type(primitive))
    assert len(compared) > 50


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("n", "size"), [(1, 1), (5, 3), (40, 12), (7, 12), (300, 70), (9000, 40)])
def test_vectors_are_convolved_by_whichever_way_is_faster(dtype: type, n: int, size: int) -> None:
    rng = np.random.default_rng(n)
    drawn: list[Any] = [rng.standard_normal((1, 1, k)).astype(dtype) for k in (n, size)]
    x, kernel = drawn
    ones, order = (1,), (0, 1, 2)
    primitive = Convolution(ones, ((size - 1, size - 1),), ones, ones, order, order, order)
    types = [ArrayType(each.shape, each.dtype) for each in (x, kernel)]
    convolved = numpy_kernel(primitive, types, ArrayType((1, 1, n + size - 1), x.dtype))
    assert convolved is not None
    truth = np.convolve(x[0, 0].astype(float), kernel[0, 0, ::-1].astype(float))
    bound = 4 * size**0.5 * np.finfo(dtype).eps
    np.testing.assert_allclose(np.asarray(convolved(x, kernel))[0, 0], truth, atol=bound)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("n", "size"), [(5, 4), (12, 11), (40, 12), (7, 12)])
@pytest.mark.parametrize("number", [1.0, np.nan, np.inf])
def test_convolutions_of_vectors_are_those_of_the_rule(
    dtype: type, n: int, size: int, number: float
) -> None:
    """Up to the order of addition; what is not finite is so at the same places."""
    rng = np.random.default_rng(n)
    drawn: list[Any] = [rng.standard_normal((1, 1, k)).astype(dtype) for k in (n, size)]
    x, kernel = drawn
    kernel[0, 0, 1] = number
    ones, order = (1,), (0, 1, 2)
    primitive = Convolution(ones, ((size - 1, size - 1),), ones, ones, order, order, order)
    types = [ArrayType(each.shape, each.dtype) for each in (x, kernel)]
    convolved = numpy_kernel(primitive, types, ArrayType((1, 1, n + size - 1), x.dtype))
    assert convolved is not None
    with np.errstate(invalid="ignore"):
        found = convolved(x, kernel)
        (by_rule,) = eval_rules[primitive](primitive, x, kernel)
        truth = np.convolve(x[0, 0].astype(float), kernel[0, 0, ::-1].astype(float))
    bound = 4 * size**0.5 * float(np.finfo(dtype).eps)
    np.testing.assert_allclose(found, by_rule, rtol=0, atol=bound)
    np.testing.assert_array_equal(np.isfinite(found[0, 0]), np.isfinite(truth))


@pytest.mark.parametrize("dtype", ["?", "i1", "f2", "u4", "f4", "f8", "c8", "c16"])
def test_many_choices_are_made_by_bits(dtype: str) -> None:
    generator = np.random.default_rng(0)
    bits = generator.integers(0, 256, (2, MANY_CHOICES, 16), np.uint8).reshape(-1)
    x, y = bits.view(dtype)[: 2 * MANY_CHOICES].reshape(2, -1)
    if dtype == "?":
        x, y = (each.view(np.uint8) > 127 for each in (x, y))
    condition = generator.random(MANY_CHOICES) > 0.5
    result = ArrayType(x.shape, x.dtype)
    for one, other in (
        (x, y),
        (x, y[0]),
        (x[0], y),
        (np.asarray(x[0]), np.asarray(y[0])),
        (y[::-1], x),
    ):
        types = [ArrayType(each.shape, each.dtype) for each in (condition, one, other)]
        kernel = numpy_kernel(Select(), types, result)
        assert kernel is not None
        found, wanted = kernel(condition, one, other), np.where(condition, one, other)
        assert (found.dtype, found.tobytes()) == (wanted.dtype, wanted.tobytes())


def test_negative_indices_of_a_byte_are_out_of_range() -> None:
    """As unsigned bytes they would be within an axis of more than 128."""
    x = np.arange(200, dtype=np.float32)
    places = np.array([[-2], [127], [3]], np.int8)
    for size in (100, 128, 200):
        gather = Gather((), (0,), (0,), (1,))
        types = (ArrayType((size,), x.dtype), ArrayType((3, 1), places.dtype))
        kernel = numpy_kernel(gather, types, ArrayType((3,), x.dtype))
        rule = eval_rules[gather](gather, x[:size], places)[0]
        np.testing.assert_array_equal(rule, [np.nan, 127 if size > 127 else np.nan, 3])
        if size <= 128:
            assert kernel is not None
            np.testing.assert_array_equal(kernel(x[:size], places), rule)
        else:
            assert kernel is None


@pytest.mark.parametrize("name", sorted(BY_NAME.keys() - {"f0"}))
def test_a_letter_is_numpys_own(name: str) -> None:
    """Types of ml_dtypes have letters that are NumPy's: float8_e4m3b11fnuz has uint64's."""
    dtype = BY_NAME[name]
    assert letter(dtype) == (dtype.char if name in NUMPYS else "-")


def test_small_floats_are_not_divided_as_integers() -> None:
    type = ArrayType((2,), BY_NAME["f8e4m3b11fnuz"])
    assert numpy_kernel(Divide(), [type, type], type) is None
