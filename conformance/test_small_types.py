"""Element types of a byte and less: every operation compiled, every pair converted, every element printed and read."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from typing import Any, Final

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from conformance.test_lowering import ULPS
from conformance.variants import SMALL, variants
from treadle_compiler import lowering_rules
from treadle_ir import ArrayType, Elementwise, Literal, UnsupportedError, bind, stage
from treadle_ir.core import LinearAlgebra, dtypes
from treadle_ir.core.dtypes import BY_NAME, MINIFLOATS, NARROW_INTEGERS, NOT_COMPILED, DType
from treadle_ir.testing.compare import assert_close, magnitude
from treadle_ir.testing.examples import Example
from treadle_ir.text import parse_program, print_program

pytestmark = pytest.mark.installed

Array = np.ndarray[Any, np.dtype[Any]]


ALL: Final = tuple(BY_NAME[name] for name in (*NARROW_INTEGERS, *MINIFLOATS))
COMPILED: Final = tuple(dtype for dtype in SMALL if dtype not in NOT_COMPILED)
_TOGETHER: Final = 12  # operations in one program
_LOGARITHMIC: Final = BY_NAME["f8e8m0fnu"]


def elements(dtype: DType) -> Array:
    """All elements of a small type."""
    bits = dtypes.bit_width(dtype)
    if dtypes.is_floating(dtype):
        return np.arange(1 << bits, dtype=np.uint8).view(dtype)
    low = int(dtypes.least(dtype))
    return np.arange(low, low + (1 << bits)).astype(dtype)


def wide(x: Array) -> Array:
    """The same numbers in a type of NumPy's own, of which NaN equals NaN."""
    return x.astype(np.complex128)


# --- conversions ---------------------------------------------------------------------------------------


@cache
def _ladder(dtype: DType) -> tuple[Array, Array]:
    """The finite numbers of a floating type in ascending order, and whether the pattern of each is even."""
    patterns = np.arange(1 << dtypes.bit_width(dtype), dtype=np.uint8)
    numbers = patterns.view(dtype).astype(np.float64)
    order = np.argsort(np.where(np.isfinite(numbers), numbers, np.inf), kind="stable")
    order = order[: np.isfinite(numbers).sum()]
    return numbers[order], patterns[order] % 2 == 0


def nearest(x: float, dtype: DType) -> float:
    """The number of a small floating type next to x, of two the even one; infinity, NaN or the last one beyond all."""
    numbers, even = _ladder(dtype)
    has_nan = np.isnan(elements(dtype).astype(np.float64)).any()
    has_infinity = np.isinf(elements(dtype).astype(np.float64)).any()
    if math.isnan(x):
        return math.nan if has_nan else -0.0
    greatest = numbers[-1]
    below = numbers[numbers != greatest].max()
    limit = (
        greatest + (greatest - below) / 2
    )  # from here on a number would be rounded to the next power
    over = abs(x) > limit or (abs(x) == limit and not even[-1])
    if over:
        if has_infinity:
            return math.copysign(math.inf, x)
        return math.nan if has_nan else math.copysign(greatest, x)
    if dtype == _LOGARITHMIC:
        return _nearest_power(x)
    apart = np.abs(numbers - x)
    ties = np.flatnonzero(apart == apart.min())
    return float(numbers[max(ties, key=lambda i: even[i])])


def _nearest_power(x: float) -> float:
    """Of two powers of two as near as each other the greater; none is near 0 or a negative number."""
    if x <= 0:
        return math.nan
    mantissa, exponent = math.frexp(x)  # 0.5 <= mantissa < 1
    return math.ldexp(1.0, max(exponent - (mantissa < 0.75), -127))


FLOATS: Final = tuple(BY_NAME[name] for name in MINIFLOATS)


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_floats_round_to_the_nearest(dtype: DType) -> None:
    numbers, _ = _ladder(dtype)
    middles = (numbers[1:] + numbers[:-1]) / 2
    near = [
        np.nextafter(np.float32(each), np.float32(end)) for each in middles for end in (-9e9, 9e9)
    ]
    tried = np.concatenate([numbers, middles, near, [numbers[-1] * 1.02, 3e38, np.inf, np.nan]])
    if dtype != _LOGARITHMIC:
        tried = np.concatenate([tried, [-3e38, -np.inf]])
    x = tried.astype(np.float32)
    if (
        dtype == _LOGARITHMIC
    ):  # of ml_dtypes' halfway between its two least numbers, which f32 has as subnormal ones
        x = x[(x > 1e-38) | (x == x[0]) | np.isnan(x)]
    expected = [nearest(float(each), dtype) for each in x]
    found = np.asarray(tnp.asarray(x).astype(dtype)).astype(np.float64)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.xla
@pytest.mark.parametrize("source", ALL, ids=str)
def test_every_pair_converts_alike_with_and_without_jit(source: DType) -> None:
    x = elements(source)
    targets = [
        dtype
        for dtype in BY_NAME.values()
        if dtype.names is None and str(dtype)[-3:] not in ("t64", "128")
    ]
    eager = [np.asarray(tnp.asarray(x).astype(target)) for target in targets]
    assert [each.dtype for each in eager] == targets
    for target, found in zip(targets, eager, strict=True):
        if dtypes.is_floating(target) and target.itemsize >= (4 if source == _LOGARITHMIC else 2):
            np.testing.assert_array_equal(found.astype(np.float64), x.astype(np.float64))
    if source in NOT_COMPILED:
        return
    kept = [i for i, target in enumerate(targets) if target not in NOT_COMPILED]
    compiled = treadle.jit(lambda x: [x.astype(targets[i]) for i in kept])(x)
    for i, result in zip(kept, compiled, strict=True):
        found, expected = (wide(np.asarray(each)) for each in (result, eager[i]))
        if targets[i] == _LOGARITHMIC:  # XLA gives zeros and negative numbers an element, NumPy NaN
            sound = x.astype(np.float32) > 0
            np.testing.assert_array_equal(found[sound], expected[sound])
        else:
            np.testing.assert_array_equal(found, expected, str(targets[i]))


# --- operations ----------------------------------------------------------------------------------------


def _tried(dtype: DType) -> list[Example]:
    """An example for each operation that has a lowering and one answer."""
    name = dtypes.dtype_name(dtype)
    chosen = []
    for (cls, subject), members in variants((dtype, BY_NAME["f32"])).items():
        if subject != name or lowering_rules.status(cls) == "absent":
            continue
        if issubclass(cls, LinearAlgebra) or cls.name == "sharding_constraint":
            continue
        chosen.append(members[0])
    return chosen


def _check(dtype: DType, tried: Sequence[Example]) -> None:
    operands = [[np.asarray(x) for x in example.operands()] for example in tried]

    def every(groups: list[list[Any]]) -> list[list[Any]]:
        return [
            list(bind(example.primitive, *own)) for example, own in zip(tried, groups, strict=True)
        ]

    compiled = treadle.jit(every)(operands)
    for example, own, results in zip(tried, operands, compiled, strict=True):
        for result, expected in zip(results, bind(example.primitive, *own), strict=True):
            x, y = np.asarray(result), np.asarray(expected)
            assert x.dtype == y.dtype
            ulps = max(1.0, ULPS.get(example.primitive.name, 1.0) / 8)
            scale = 0.0 if isinstance(example.primitive, Elementwise) else magnitude(y)
            if dtype == _LOGARITHMIC and dtypes.is_floating(y.dtype):
                kept = ~np.isnan(y.astype(np.float32)) & (y.astype(np.float32) > 1e-3)
                x, y = x[kept], y[kept]
            assert_close(x, y, ulps=ulps, scale=scale, what=f"{example.id} of {own}")


@pytest.mark.xla
@pytest.mark.parametrize("dtype", COMPILED, ids=str)
def test_every_operation_compiled_agrees_with_the_reference(dtype: DType) -> None:
    tried = _tried(dtype)
    assert len(tried) > 60
    for start in range(0, len(tried), _TOGETHER):
        _check(dtype, tried[start : start + _TOGETHER])


@pytest.mark.xla
@pytest.mark.parametrize("dtype", [each for each in COMPILED if dtypes.is_floating(each)], ids=str)
def test_extremes_of_floats_alike_with_and_without_jit(dtype: DType) -> None:
    """Most of these types have no infinity: what is computed in them on the way overflows to NaN."""
    x = elements(dtype)
    if dtype == _LOGARITHMIC:
        x = x[1:]  # the least number is subnormal in f32, where compiled code takes it for 0
    numbers = x[~np.isnan(x.astype(np.float64))]
    places = np.random.default_rng(0).integers(0, numbers.size, (40, 3))
    for rows in (numbers[places], x[places], numbers[places.T]):
        for axis in (0, 1, None):
            for extreme, of_numpy in ((tnp.max, np.max), (tnp.min, np.min)):
                expected = of_numpy(wide(rows).real, axis)
                for function in (extreme, treadle.jit(extreme, static_argnums=1)):
                    found = np.asarray(function(tnp.asarray(rows), axis))
                    assert found.dtype == dtype
                    np.testing.assert_array_equal(wide(found).real, expected)


@pytest.mark.xla
@pytest.mark.parametrize("name", ["f16", "bf16", "f32", "f64"])
def test_nan_stays_where_no_bit_of_a_mantissa_is_left(name: str) -> None:
    dtype = BY_NAME[name]
    x = np.array([np.nan, -np.nan, 1.5, -np.inf], dtype)
    rounded = treadle.jit(lambda x: treadle.lax.reduce_precision(x, 5, 0))
    with treadle.enable_x64(True):
        found = np.asarray(rounded(x)).astype(np.float64)
    np.testing.assert_array_equal(found, [np.nan, np.nan, 2.0, -np.inf])


@pytest.mark.parametrize("dtype", sorted(NOT_COMPILED, key=str), ids=str)
def test_what_xla_has_not_is_computed_without_jit_and_refused_with_it(dtype: DType) -> None:
    x = tnp.asarray(elements(dtype))
    many = x
    while many.size < 1 << 20:  # a size that XLA computes of other types
        many = tnp.concatenate([many, many])
    doubled = np.asarray(many + many).astype(np.float32)[: x.size]
    wide = np.asarray(x).astype(np.float32) * 2
    if dtypes.is_floating(dtype):
        np.testing.assert_array_equal(doubled, [nearest(float(each), dtype) for each in wide])
    else:
        np.testing.assert_array_equal(doubled, 0)  # modulo 2
    assert str(treadle.device_put(x).dtype) == dtype.name
    with pytest.raises(UnsupportedError, match=dtype.name):
        treadle.jit(lambda x: x.astype("float32"))(x)


# --- text, printing, export ----------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ALL, ids=str)
def test_every_element_is_printed_and_read_back(dtype: DType) -> None:
    literals = [Literal(each, ArrayType((), dtype)) for each in elements(dtype)]
    program = stage(lambda x: [x, *literals], ArrayType((3,), dtype)).program
    again = parse_program(print_program(program))
    assert print_program(again) == print_program(program)
    for x, y in zip(program.results[1:], again.results[1:], strict=True):
        assert isinstance(x, Literal)
        assert isinstance(y, Literal)
        assert np.asarray(x.value).tobytes() == np.asarray(y.value).tobytes()


@pytest.mark.parametrize("dtype", ALL, ids=str)
def test_arrays_show_their_type(dtype: DType) -> None:
    assert repr(tnp.ones(2, dtype)).endswith(f"dtype={dtype.name})")


@pytest.mark.xla
@pytest.mark.parametrize("dtype", [d for d in ALL if d not in NOT_COMPILED], ids=str)
def test_exported_functions_take_them(dtype: DType) -> None:
    x = elements(dtype)
    exported = treadle.export.export(treadle.jit(lambda x: x + x))(x)
    again = treadle.export.deserialize(exported.serialize())
    found = np.asarray(again.call(x))
    assert found.dtype == dtype
    doubled = np.asarray(treadle.jit(lambda x: x + x)(x))
    np.testing.assert_array_equal(wide(found), wide(doubled))


def test_the_types_of_primitives_stay_apart() -> None:
    """Each small type is another: no operation takes two of them together."""
    for a in ALL:
        for b in ALL:
            if a != b:
                with pytest.raises(TypeError):
                    tnp.add(tnp.ones(1, a), tnp.ones(1, b))
