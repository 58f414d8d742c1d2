"""Functions that are written out for XLA:CPU: how exact they are, and that programs with them still fuse."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from treadle_compiler import lower_program
from treadle_compiler.lowering import elementwise_cpu
from treadle_ir import Operand, ops, stage, type_of

pytestmark = pytest.mark.xla
SIZE: Final = elementwise_cpu.LEAST_SIZE
# The stated bounds in units in the last place, over all numbers unless stated otherwise.
UNARY: Final = {
    "sine": (np.sin, 1.0),
    "cosine": (np.cos, 1.0),
    "tan": (np.tan, 1.4),
    "atan": (np.arctan, 1.0),
    "cbrt": (np.cbrt, 1.0),
}
BINARY: Final = {"atan2": (np.arctan2, 1.0), "power": (np.power, 1.0)}
NEAR: Final = 2.0**60
FAR: Final = 2.0**97
SPECIAL: Final = np.array(
    [
        *(
            0.0,
            np.inf,
            np.nan,
            1.0,
            2.0,
            0.5,
            1e-45,
            1e-39,
            2.0**-126,
            3.4028235e38,
            np.pi,
            np.pi / 2,
        ),
        *(np.nextafter(np.float32(limit), np.float32(0)) for limit in (NEAR, FAR)),
        *(NEAR, FAR, 16367173 * 2.0**72),  # the last is the f32 next to a multiple of pi / 2
        *(
            2.1999385e10,
            2.3953714e27,
            -0.0078086047,
        ),  # the worst of all cosines, tangents and sines
    ],
    np.float32,
)


def apart(actual: Any, exact: Any) -> Any:
    """Units in the last place between f32 results and float64 truth; 0 where both are the same or NaN."""
    rounded = exact.astype(np.float32)
    unit = np.spacing(np.abs(rounded)).astype(np.float64)
    same = (actual == rounded) | (np.isnan(actual) & np.isnan(rounded))
    distance = np.abs(actual.astype(np.float64) - exact) / unit
    return np.where(np.isfinite(distance), distance, np.where(same, 0.0, np.inf))


def assert_exact(name: str, actual: Any, exact: Any, bound: float, *operands: Any) -> None:
    distance = apart(actual, exact)
    worst = int(np.argmax(distance))
    at = [x[worst] for x in operands]
    assert distance[worst] <= bound, f"{name} of {at}: {actual[worst]}, not {exact[worst]}"
    zero = exact == 0
    np.testing.assert_array_equal(np.signbit(actual[zero]), np.signbit(exact[zero]))


def filled(numbers: Any) -> Any:
    """Enough numbers for the written-out form, with those given first."""
    return np.resize(np.asarray(numbers, np.float32), SIZE)


@pytest.fixture(scope="module")
def unary(compiled: Any) -> dict[str, Callable[..., Any]]:
    x = np.zeros(SIZE, np.float32)
    return {name: compiled(lambda x, name=name: [getattr(ops, name)(x)], x) for name in UNARY}


def normal(x: Any) -> Any:
    """Without subnormal numbers, which XLA:CPU takes for zero when it widens."""
    return np.where(np.abs(x) < 2.0**-126, np.float32(1), x)


@np.errstate(all="ignore")
def check(unary: dict[str, Callable[..., Any]], name: str, x: Any) -> None:
    function, bound = UNARY[name]
    if name == "cbrt":
        x = normal(x)
    (actual,) = unary[name](x)
    assert_exact(name, actual, function(x.astype(np.float64)), bound, x)


@pytest.mark.parametrize("name", UNARY)
def test_special_numbers(unary: dict[str, Callable[..., Any]], name: str) -> None:
    check(unary, name, filled(np.concatenate([SPECIAL, -SPECIAL])))


@pytest.mark.parametrize("name", UNARY)
@pytest.mark.parametrize("start", range(0, 1 << 32, 1 << 29))
def test_numbers_of_every_size(unary: dict[str, Callable[..., Any]], name: str, start: int) -> None:
    steps = np.arange(SIZE, dtype=np.uint32) * np.uint32((1 << 29) // SIZE)
    check(unary, name, (np.uint32(start + 12345) + steps).view(np.float32))


@pytest.mark.parametrize("name", ["sine", "cosine", "tan"])
@pytest.mark.parametrize("scale", [1, 4097, 2**40 + 1, 2**61 + 2**40, 2**98 + 2**70])
def test_next_to_multiples_of_half_pi(
    unary: dict[str, Callable[..., Any]], name: str, scale: int
) -> None:
    check(unary, name, filled((np.arange(SIZE) - SIZE // 2) * (scale * np.pi / 2)))


@settings(max_examples=50)
@given(bits=st.lists(st.integers(0, 2**32 - 1), min_size=1, max_size=64))
def test_any_bits(unary: dict[str, Callable[..., Any]], bits: list[int]) -> None:
    x = filled(np.array(bits, np.uint32).view(np.float32))
    for name in UNARY:
        check(unary, name, x)


@pytest.fixture(scope="module")
def binary(compiled: Any) -> dict[str, Callable[..., Any]]:
    x = np.zeros(SIZE, np.float32)
    return {
        name: compiled(lambda x, y, name=name: [getattr(ops, name)(x, y)], x, x) for name in BINARY
    }


@np.errstate(all="ignore")
def check_pair(binary: dict[str, Callable[..., Any]], name: str, x: Any, y: Any) -> None:
    function, bound = BINARY[name]
    x, y = normal(x), normal(y)
    exact = function(x.astype(np.float64), y.astype(np.float64))
    (actual,) = binary[name](x, y)
    tiny = (exact != 0) & (np.abs(exact) < 2.0**-125)  # flushed to zero, perhaps
    assert not actual[tiny].any() or (np.abs(actual[tiny]) < 2.0**-124).all()
    exact, actual = np.where(tiny, 1, exact), np.where(tiny, np.float32(1), actual)
    assert_exact(name, actual, exact, bound, x, y)


@pytest.mark.parametrize("name", BINARY)
def test_special_pairs(binary: dict[str, Callable[..., Any]], name: str) -> None:
    numbers = np.concatenate([SPECIAL, -SPECIAL, np.array([3, -3, 2.5, -2.5], np.float32)])
    x, y = np.meshgrid(numbers, numbers)
    check_pair(binary, name, filled(x.reshape(-1)), filled(y.reshape(-1)))


@settings(max_examples=50)
@given(bits=st.lists(st.integers(0, 2**32 - 1), min_size=1, max_size=64), turn=st.integers(1, 63))
def test_any_pairs(binary: dict[str, Callable[..., Any]], bits: list[int], turn: int) -> None:
    x = np.array(bits, np.uint32).view(np.float32)
    for name in BINARY:
        check_pair(binary, name, filled(x), filled(np.roll(x, turn)))


def chain(function: Callable[[Operand], Operand], count: int) -> Callable[[Operand], list[Operand]]:
    def call(x: Operand) -> list[Operand]:
        for _ in range(count):
            x = ops.multiply(function(x), np.float32(1.01))
        return [x]

    return call


@pytest.mark.parametrize("name", UNARY)
def test_a_chain_is_fused(temporaries: Any, name: str) -> None:
    x = np.zeros((64, 1024), np.float32)
    assert temporaries(chain(getattr(ops, name), 5), x) < x.nbytes // 8


def test_a_result_that_is_spread_is_computed_once(temporaries: Any) -> None:
    def outer(x: Operand) -> list[Operand]:
        sine = ops.broadcast_in_dim(ops.sine(x), shape=(SIZE, 16), dimensions=(0,))
        return [ops.multiply(sine, np.float32(2))]

    x = np.zeros(SIZE, np.float32)
    assert temporaries(outer, x) >= x.nbytes  # the sines lie in memory


def test_a_module_has_a_limit_of_them() -> None:
    most = elementwise_cpu.MOST
    for count, left in ((most, 0), (most + 3, most + 3)):
        program = stage(chain(ops.sine, count), type_of(np.zeros(SIZE, np.float32))).program
        assert lower_program(program).text.count('"stablehlo.sine"') == left


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
@pytest.mark.parametrize("name", ["sine", "cosine", "sinh", "cosh"])
def test_small_parts_of_complex_numbers_are_not_lost(
    compiled: Any, name: str, dtype: type[np.complexfloating[Any, Any]]
) -> None:
    sizes = np.array([1e-30, 1e-10, 1e-5, 1e-3, 0.3, 1.0, 3.0])
    real, imag = (x.ravel() for x in np.meshgrid([*sizes, *-sizes], [*sizes, *-sizes]))
    z = (real + 1j * imag).astype(dtype)
    function = {"sine": np.sin, "cosine": np.cos, "sinh": np.sinh, "cosh": np.cosh}[name]
    (actual,) = compiled(lambda z: [getattr(ops, name)(z)], z)(z)
    exact, precision = function(z.astype(np.complex128)), 50 * np.finfo(dtype).eps
    for part in ("real", "imag"):
        expected = getattr(exact, part)
        normal = np.abs(expected) > 1e-37
        np.testing.assert_allclose(
            getattr(actual, part)[normal], expected[normal], rtol=precision, err_msg=part
        )


@pytest.mark.parametrize("name", ["sine", "cosine", "sinh", "cosh"])
def test_signs_of_zeros_and_what_is_not_finite(compiled: Any, name: str) -> None:
    parts = [0.0, -0.0, 0.5, -2.0]
    z = np.array([complex(x, y) for x in parts for y in parts], np.complex64)
    function = {"sine": np.sin, "cosine": np.cos, "sinh": np.sinh, "cosh": np.cosh}[name]
    run = compiled(lambda z: [getattr(ops, name)(z)], z)
    (actual,), exact = run(z), function(z.astype(np.complex128))
    part = "real" if name == "sinh" else "imag"  # that with a hyperbolic sine in it
    signs = np.signbit(getattr(actual, part)), np.signbit(getattr(exact, part))
    np.testing.assert_array_equal(*signs)
    (actual,) = run(
        np.resize(np.array([complex(np.nan, 0.5), complex(np.inf, np.inf)]), z.shape).astype(
            z.dtype
        )
    )
    assert np.isnan(actual.real).all() or np.isnan(actual.imag).all()


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_digamma_at_zero_is_minus_infinity(compiled: Any, dtype: type[np.floating[Any]]) -> None:
    """In every release of jaxlib; XLA before 0.12 has NaN."""
    x = np.array([0.0, -0.0, -1.0, np.inf], dtype)
    (actual,) = compiled(lambda x: [ops.digamma(x)], x)(x)
    np.testing.assert_array_equal(actual, [-np.inf, -np.inf, np.nan, np.inf])
