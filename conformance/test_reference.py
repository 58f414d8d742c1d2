"""The reference agrees with the truth, which `truth.py` tells another way, within so many units in the last place.

What is allowed of each operation:

* integers, booleans and what moves elements: nothing;
* arithmetic that IEEE 754 rounds correctly: 1/2;
* functions: what `FUNCTIONS` says in f32, f64 and complex types;
* sums: 1/2 for each term, at the size of the sum of the terms' absolute values (N. Higham, Accuracy and Stability of
  Numerical Algorithms, 2nd edition, 3.1 and 4.2); products: 1/2 for each factor; of complex numbers four times that;
* floats narrower than 32 bits: what is allowed in f32, and 1/2 for rounding once, at the end.

Hypothesis tries each operation with other shapes, element types, attributes and values than its examples have, NaN,
infinities, zeros of both signs, subnormal and extreme numbers among them.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pytest
from hypothesis import given, strategies as st

from conformance.cases import examples, program_text
from conformance.precision import distance, relative_epsilon
from conformance.strategies import anything, drawings, examples_of, families, operands_of
from conformance.test_completeness import RECORDED
from conformance.truth import TRUTH, true_results, widened
from conformance.variants import variant_keys, variants
from treadle_ir import ArrayType, Primitive, bind
from treadle_ir.core import LinearAlgebra, dtypes
from treadle_ir.core.dtypes import BY_NAME
from treadle_ir.formulas import PRIMITIVES
from treadle_ir.primitives import (
    call,
    compare,
    composite,
    contract,
    control,
    cumulative,
    custom_vmap,
    elementwise as e,
    fourier,
    implicit,
    indexing,
    linear_call,
    metadata,
    partitioned,
    reduce,
    window,
)
from treadle_ir.testing.examples import Example

pytestmark = pytest.mark.programs

# Units in the last place of f32, of f64, and of complex types (by the modulus). For f64 NumPy takes the C library's
# functions where the processor has no AVX-512: cbrt of glibc is up to 3.67 units off, acosh and tanh up to 2.25
# (V. Innocente and P. Zimmermann, Accuracy of Mathematical Functions in Single, Double, ... Precision).
FUNCTIONS: Final[dict[type[Primitive], tuple[float, float, float]]] = {
    e.Abs: (0, 0, 1.5),
    e.Acos: (2, 1, 2),
    e.Acosh: (2, 2.5, 2),
    e.Asin: (3, 1, 3),
    e.Asinh: (2, 2, 3),
    e.Atan: (2, 1, 2),
    e.Atan2: (4, 1, 0),
    e.Atanh: (2, 2, 3),
    e.Cbrt: (2, 4, 0),
    e.Cosh: (2, 2, 3),
    e.Cosine: (2, 1, 3),
    e.Digamma: (1, 32, 0),
    e.Divide: (0.5, 0.5, 4),
    e.Erf: (1, 2, 0),
    e.ErfInv: (1, 4, 0),
    e.Erfc: (1, 4, 0),
    e.Exponential: (2, 1, 2),
    e.Exponential2: (2, 1, 32),  # of e ** (x log 2), rounded: angles up to 20
    e.ExponentialMinusOne: (2, 1, 3),
    e.Lgamma: (1, 16, 0),
    e.Log: (2, 1, 2),
    e.LogPlusOne: (2, 1, 2),
    e.Logistic: (4, 2, 4),
    e.Multiply: (0.5, 0.5, 2),
    e.Power: (2, 1, 1024),  # of e ** (y log x), rounded: |y log x| up to 1,200
    e.Rsqrt: (2, 2, 4),
    e.Sign: (0, 0, 2),
    e.Sine: (2, 1, 3),
    e.Sinh: (2, 2, 3),
    e.Sqrt: (0.5, 0.5, 2),
    e.Square: (0.5, 0.5, 2),
    e.Tan: (4, 1, 3),
    e.Tanh: (2, 2.5, 3),
    cumulative.CumulativeLogsumexp: (8, 8, 0),
    fourier.Fft: (4, 4, 4),  # of the greatest sum
}
_ROUNDED: Final = (0.5, 0.5, 0.5)

# Compositions are as exact as their parts, at the size of what goes in; operands are drawn from -2 to 2.
PROGRAMS: Final = (
    call.Call,
    call.Checkpoint,
    call.CustomJvpStaged,
    call.CustomVjpStaged,
    composite.Composite,
    control.Case,
    control.Scan,
    control.While,
    custom_vmap.CustomVmapStaged,
    implicit.LinearSolve,
    implicit.Root,
    linear_call.LinearCall,
    metadata.XlaMetadata,
    partitioned.CustomPartitioning,
)
_OF_A_PROGRAM: Final = (512.0, 512.0, 512.0)
_OF_A_NARROW_PROGRAM: Final = 32.0

SUMS: Final = (
    contract.Convolution,
    contract.DotGeneral,
    cumulative.CumulativeAdd,
    indexing.ScatterAdd,
    reduce.ReduceAdd,
    window.ReduceWindowAdd,
    window.SelectAndScatterAdd,
)
PRODUCTS: Final = (
    cumulative.CumulativeMultiply,
    e.IntegerPower,
    indexing.ScatterMultiply,
    reduce.ReduceMultiply,
)
# Sums and products of numbers from everywhere overflow on the way to a result that does not.
MODERATE: Final = (*SUMS, *PRODUCTS, *PROGRAMS, fourier.Fft)

# Of two zeros that are equal, either may come out.
SIGNLESS: Final = (
    cumulative.CumulativeLogsumexp,
    cumulative.CumulativeMaximum,
    cumulative.CumulativeMinimum,
    e.Maximum,
    e.Minimum,
    compare.Clamp,
    indexing.ScatterMaximum,
    indexing.ScatterMinimum,
    reduce.ReduceMaximum,
    reduce.ReduceMinimum,
    window.ReduceWindowMaximum,
    window.ReduceWindowMinimum,
    *MODERATE,
)

LINEAR_ALGEBRA: Final = [cls.name for cls in RECORDED if issubclass(cls, LinearAlgebra)]
_OF_FORMULAS: Final = "compared with mpmath, region by region, in packages/ir/tests/formulas"
WITHOUT_TRUTH: Final = {
    **{primitive.name: _OF_FORMULAS for primitive in PRIMITIVES},
    **dict.fromkeys(
        (
            *("all_gather", "all_reduce", "all_to_all", "axis_index"),
            *("permute", "reduce_scatter", "vary"),
        ),
        "means something only under the transformation that maps its axis",
    ),
    "buffer_callback": "calls a Python function, which is its own truth",
    "ffi_call": "calls a native function, which is its own truth",
    "shard_map": "a program over several devices; conformance/sharding compares it with vmap",
    "sharding_constraint": "changes no value; conformance/sharding has its laws",
    "inspect_sharding": "has no result; conformance/sharding asks what it tells",
    "custom_vjp_linear": "stands in tapes only, to be transposed",
    "debug_callback": "calls a Python function, which is its own truth",
    "io_callback": "calls a Python function, which is its own truth",
    "pure_callback": "calls a Python function, which is its own truth",
    **dict.fromkeys(LINEAR_ALGEBRA, "its results have to solve equations: test_linear_algebra.py"),
}


def allowed(example: Example, result: ArrayType) -> float:
    """Return how many units in the last place a result may be off."""
    cls = type(example.primitive)
    f32, f64, complex_ = FUNCTIONS.get(cls, _OF_A_PROGRAM if cls in PROGRAMS else _ROUNDED)
    terms = 0
    if cls in (*SUMS, *PRODUCTS):
        terms = sum(type.size for type in example.types)
        if isinstance(example.primitive, e.IntegerPower):
            terms = 2 * abs(example.primitive.exponent)
        f32, f64, complex_ = (max(1, terms) / 2,) * 2 + (2 * max(1, terms),)
    dtype = result.dtype
    if any(dtypes.is_complex(type.dtype) for type in (result, *example.types[:1])):
        return complex_
    if dtype == np.float64:
        return f64
    if dtype == np.float32:
        return f32
    if isinstance(example.primitive, (indexing.ScatterAdd, indexing.ScatterMultiply)):
        return f32  # rounded at each step
    if isinstance(example.primitive, PROGRAMS):
        return _OF_A_NARROW_PROGRAM
    return 0.5 + f32 * relative_epsilon(dtype, BY_NAME["f32"])


def greatest_size(truth: Any) -> float:
    """The size of the greatest finite element of a truth; 0 where there is none."""
    sizes = np.asarray(np.abs(np.asarray(truth)))
    if sizes.dtype.kind != "f":
        return 0.0
    return float(np.max(sizes, initial=0.0, where=np.isfinite(sizes)))


def check(example: Example, operands: list[Any]) -> None:
    """Compare the reference's results with the truth."""
    wide = [widened(x, type.dtype) for x, type in zip(operands, example.types, strict=True)]
    wide_results = true_results(example.primitive, example.types, wide)
    scales: list[Any] = [0.0] * len(wide_results)
    if isinstance(example.primitive, SUMS):
        sizes = [
            np.abs(x) if dtypes.is_inexact(type.dtype) else x
            for x, type in zip(wide, example.types, strict=True)
        ]
        if not isinstance(example.primitive, window.SelectAndScatterAdd):
            scales = list(true_results(example.primitive, example.types, sizes))
            scales = [np.abs(scale) if scale.dtype != object else 0 for scale in scales]
        else:  # which element is selected must not change
            scales = [max(1.0, float(np.sum(sizes[0])))] if wide[0].dtype != object else [0.0]
    if isinstance(
        example.primitive, fourier.Fft
    ):  # every element is as exact as the greatest can be
        (sums,) = true_results(example.primitive, example.types, [np.abs(wide[0])])
        scales = [greatest_size(sums)]
    if isinstance(example.primitive, PROGRAMS):
        # Results are made of each other: the sine of a carry of size 10,000 knows its last 13 bits no better.
        scales = [max([1.0, *map(greatest_size, wide_results)])] * len(wide_results)
    results = bind(example.primitive, *operands)
    types = example.primitive.infer(*example.types)
    for result, truth, type, scale in zip(results, wide_results, types, scales, strict=True):
        assert isinstance(type, ArrayType)
        compare_one(example, np.asarray(result), truth, type, scale)


def compare_one(
    example: Example, actual: np.ndarray[Any, Any], truth: Any, type: ArrayType, scale: Any
) -> None:
    """One result."""
    if not dtypes.is_inexact(type.dtype):
        found = widened(actual, type.dtype)
        assert np.array_equal(found, truth), f"{example.id}: {found}, in truth {truth}"
        return
    apart = distance(actual, truth, type.dtype, scale)
    most = allowed(example, type)
    assert np.all(apart <= most), (
        f"{example.id}: {np.max(apart):.4g} units in the last place apart, {most:.4g} allowed: {actual}, "
        f"in truth {truth}"
    )
    if dtypes.is_floating(type.dtype) and not isinstance(example.primitive, SIGNLESS):
        found = widened(actual, type.dtype)
        zeros = (found == 0) & (truth == 0)
        assert np.array_equal(np.signbit(found[zeros]), np.signbit(truth[zeros])), (
            f"{example.id}: a zero has the other sign: {actual}, in truth {truth}"
        )


def has_truth(example: Example) -> bool:
    return type(example.primitive) in TRUTH


@pytest.mark.parametrize("example", examples(has_truth))
def test_reference_agrees_with_the_truth(example: Example) -> None:
    check(example, example.operands())


@pytest.mark.parametrize(("cls", "name"), variant_keys(has_truth))
def test_reference_agrees_with_the_truth_in_every_element_type(
    cls: type[Primitive], name: str
) -> None:
    for example in variants()[cls, name]:
        check(example, example.operands())


@pytest.mark.parametrize(("cls", "count"), anything(25, has_truth))
def test_reference_agrees_with_the_truth_on_anything(cls: type[Primitive], count: int) -> None:
    """Other attributes, shapes, element types and values than the examples have."""

    @drawings(count)
    @given(st.data())
    def holds(data: st.DataObject) -> None:
        example = data.draw(examples_of(cls))
        operands = data.draw(operands_of(example, moderate=issubclass(cls, MODERATE)))
        try:
            check(example, operands)
        except AssertionError as error:
            error.add_note(program_text(example))
            raise

    holds()


@pytest.mark.parametrize("cls", RECORDED, ids=lambda cls: cls.name)
def test_every_operation_has_a_truth(cls: type[Primitive]) -> None:
    assert (cls in TRUTH) != (cls.name in WITHOUT_TRUTH)


def test_a_wrong_result_is_found() -> None:
    """The law can fail: one unit in the last place more than is allowed, and a zero of the other sign."""
    (example,) = [each for each in families()[e.Add] if each.id == "add(f32[2,3],f32[2,3])"]
    (type,) = example.primitive.infer(*example.types)
    assert isinstance(type, ArrayType)
    right = np.linspace(1, 2, 6, dtype=np.float32).reshape(2, 3)
    truth = widened(right, type.dtype)
    compare_one(example, right, truth, type, 0.0)
    wrong = right.copy()
    wrong[1, 1] = np.nextafter(wrong[1, 1], np.float32(9))
    with pytest.raises(AssertionError, match=r"1 units in the last place apart, 0\.5 allowed"):
        compare_one(example, wrong, truth, type, 0.0)
    zeros = np.zeros((2, 3), np.float32)
    with pytest.raises(AssertionError, match="other sign"):
        compare_one(example, -zeros, widened(zeros, type.dtype), type, 0.0)
