"""What JAX's `lax` refuses is refused here, and what it takes is taken."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import treadle_numpy.numpy as tnp
from treadle_ir import ArgumentError, DTypeError, ShapeError, UnsupportedError, stage, type_of
from treadle_ir.settings import named_axis
from treadle_numpy import lax
from treadle_numpy.scipy import special

BOOLS = np.array([True, False])


@pytest.mark.parametrize("function", [lax.add, lax.mul])
def test_sums_and_products_of_booleans(function: Callable[..., Any]) -> None:
    with pytest.raises(DTypeError, match="does not accept booleans"):
        function(BOOLS, BOOLS)
    np.testing.assert_array_equal(
        function(np.arange(3), 2), [2, 3, 4] if function is lax.add else [0, 2, 4]
    )


@pytest.mark.parametrize("dtype", ["u1", "u2", "u4"])
def test_sign_of_unsigned_integers(dtype: str) -> None:
    signs = lax.sign(np.array([0, 1, 200], dtype))
    assert signs.dtype == np.dtype(dtype)
    np.testing.assert_array_equal(signs, [0, 1, 1])


@pytest.mark.parametrize("x", [np.array([1, 2], np.uint8), BOOLS])
def test_absolute_values_of_what_has_no_sign(x: Any) -> None:
    with pytest.raises(DTypeError, match="abs: "):
        lax.abs(x)
    np.testing.assert_array_equal(tnp.abs(x), x)


@pytest.mark.parametrize(
    "function", [lax.cummax, lax.cummin, lax.cumsum, lax.cumprod, lax.cumlogsumexp]
)
def test_running_reductions_of_booleans(function: Callable[..., Any]) -> None:
    with pytest.raises(DTypeError, match=r"cum\w+: takes numbers, got bool"):
        function(BOOLS)


def test_an_axis_squeezed_twice() -> None:
    with pytest.raises(ShapeError, match="twice"):
        lax.squeeze(np.ones((1, 2)), (0, 0))
    with pytest.raises(ShapeError, match="twice"):
        lax.squeeze(np.ones((1, 2)), (0, -2))


@pytest.mark.parametrize("reps", [(2,), (2, 1, 1), ()])
def test_tile_has_a_number_for_each_axis(reps: tuple[int, ...]) -> None:
    x = np.arange(6).reshape(2, 3)
    with pytest.raises(ShapeError, match="reps has"):
        lax.tile(x, reps)
    np.testing.assert_array_equal(tnp.tile(x, reps), np.tile(x, reps))


@pytest.mark.parametrize(("axis", "tiled"), [(2, False), (-3, False), (1, True), (-2, True)])
def test_axis_of_all_gather(axis: int, tiled: bool) -> None:
    one = type_of(np.ones(3, np.float32))
    with named_axis("i", 4):
        with pytest.raises(ShapeError, match="out of bounds"):
            stage(lambda x: [lax.all_gather(x, "i", axis=axis, tiled=tiled)], one)
        program = stage(lambda x: [lax.all_gather(x, "i", axis=-1, tiled=tiled)], one).program
    assert str(program.results[0].type) == ("f32[12]" if tiled else "f32[3,4]")


@pytest.mark.parametrize(
    ("to", "groups", "error", "match"),
    [
        ("other", None, ArgumentError, "to must be"),
        ("reduced", None, UnsupportedError, "put off"),
        ("invarying", [[0, 1], [2, 3]], ArgumentError, "differs between"),
    ],
)
def test_what_all_gather_makes(to: Any, groups: Any, error: type[Exception], match: str) -> None:
    one = type_of(np.ones(3, np.float32))
    with named_axis("i", 4), pytest.raises(error, match=match):
        stage(lambda x: [lax.all_gather(x, "i", to=to, axis_index_groups=groups)], one)


@pytest.mark.parametrize(
    ("name", "count"),
    [("factorial", 1), ("entr", 1), ("ndtr", 1), ("log_ndtr", 1), ("kl_div", 2), ("betaln", 2)],
)
def test_complex_numbers_are_refused_under_the_name_of_the_function(name: str, count: int) -> None:
    with pytest.raises(DTypeError, match=f"^{name} does not support complex"):
        getattr(special, name)(*[np.ones(2, np.complex64)] * count)


def test_mulhi_of_two_types() -> None:
    with pytest.raises(DTypeError, match="int32 and float32"):
        lax.mulhi(np.int32(1), np.float32(1))


@pytest.mark.parametrize("count", [1, 2, 3])
def test_select_n_by_floats(count: int) -> None:
    with pytest.raises(DTypeError, match="`which` must be"):
        lax.select_n(np.zeros(2, np.float32), *[np.ones(2, np.float32)] * count)


def test_axes_are_broadcast_in_any_order() -> None:
    x = np.arange(6).reshape(3, 2)
    expected = np.broadcast_to(x.T[:, :, None], (2, 3, 4))
    np.testing.assert_array_equal(lax.broadcast_in_dim(x, (2, 3, 4), (1, 0)), expected)
    with pytest.raises(ShapeError, match="must increase"):
        lax.broadcast_in_dim(x, (2, 3, 4), (1, 1))
