"""Values between pixels agree with a loop over the neighbours, in the image that each mode continues."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest
import scipy.ndimage
from hypothesis import given, settings, strategies as st

from treadle_ir import ArgumentError, ShapeError, UnsupportedError
from treadle_numpy.scipy.ndimage import map_coordinates

MODES: Final = {"constant": "constant", "nearest": "edge", "wrap": "wrap", "mirror": "reflect"}
FAR: Final = 12  # how far images are continued


def looped(image: Any, coordinates: Any, order: int, mode: str, cval: float) -> Any:
    how: Any = {**MODES, "reflect": "symmetric"}[mode]
    more: dict[str, Any] = {"constant_values": cval} if how == "constant" else {}
    wide = np.pad(image, FAR, how, **more)
    result = np.zeros(coordinates.shape[1:])
    for at in np.ndindex(result.shape):
        point = coordinates[(slice(None), *at)] + FAR
        if order == 0:
            own = coordinates[(slice(None), *at)]
            nearest = [int(math.copysign(math.floor(abs(x) + 0.5), x)) for x in own]
            result[at] = wide[tuple(x + FAR for x in nearest)]
            continue
        for corner in itertools.product((0, 1), repeat=len(point)):
            place = [math.floor(x) + side for x, side in zip(point, corner, strict=True)]
            weights = [1 - abs(x - p) for x, p in zip(point, place, strict=True)]
            result[at] += math.prod(weights) * wide[tuple(place)]
    return result


@pytest.mark.usefixtures("wide")
@pytest.mark.parametrize("mode", [*MODES, "reflect"])
@given(
    st.sampled_from([(4,), (2, 3), (1, 3), (3, 2, 2)]),
    st.sampled_from([(), (5,), (2, 3)]),
    st.integers(0, 1),
    st.integers(0, 50),
)
@settings(max_examples=25, deadline=None)
def test_a_loop_gives_the_same(
    mode: str, shape: tuple[int, ...], at: tuple[int, ...], order: int, seed: int
) -> None:
    random = np.random.default_rng(seed)
    image = random.normal(size=shape)
    coordinates = random.uniform(-6, 8, size=(len(shape), *at))
    found = map_coordinates(image, coordinates, order, mode, 7.0)
    np.testing.assert_allclose(found, looped(image, coordinates, order, mode, 7.0), atol=1e-10)


def test_types_and_shapes(staged: Callable[..., Any]) -> None:
    image = np.arange(12, dtype=np.int32).reshape(3, 4)
    found = map_coordinates(image, [np.array([0.5, 1.2]), np.array([1.0, 2.7])], 1)
    assert found.dtype == np.int32
    np.testing.assert_array_equal(found, [3, 8])
    rows, columns = np.array([[0.0], [1.0]], np.float32), np.array([0.5, 1.5], np.float32)
    values = image.astype(np.float32)
    found = staged(lambda a, i, j: map_coordinates(a, [i, j], 1), values, rows, columns)
    np.testing.assert_array_equal(found, [[0.5, 1.5], [4.5, 5.5]])
    assert map_coordinates(image * 1j, [0.5, 1.5], 1, "nearest").dtype == np.complex64
    assert map_coordinates(image, np.zeros((2, 0)), 1).shape == (0,)


def test_refused() -> None:
    image, at = np.ones((2, 3)), np.zeros((2, 4))
    with pytest.raises(ShapeError, match="one array of coordinates for each axis"):
        map_coordinates(image, at[:1], 1)
    with pytest.raises(UnsupportedError, match="order 2"):
        map_coordinates(image, at, 2)
    with pytest.raises(UnsupportedError, match="'grid-wrap'"):
        map_coordinates(image, at, 1, "grid-wrap")
    with pytest.raises(ShapeError, match="no pixels"):
        map_coordinates(image[:0], at, 1)
    with pytest.raises(ArgumentError, match="real"):
        map_coordinates(image, at * 1j, 1)
    with pytest.raises(ArgumentError, match="cval"):
        map_coordinates(image, at, 1, cval=np.ones(2))


def test_halves_of_whole_images_round_away_from_zero() -> None:
    image, places = np.arange(-4, 5, dtype=np.int32), [np.array([0.5, 1.5, 2.5, 4.5, 5.5, 6.25])]
    expected = scipy.ndimage.map_coordinates(image, places, order=1)
    np.testing.assert_array_equal(map_coordinates(image, places, order=1), expected)


@pytest.mark.parametrize("mode", ["mirror", "reflect"])
def test_halves_left_of_the_image_are_scipys(mode: str) -> None:
    image, halves = np.array([3.0, 1.0, 4.0, 1.0, 5.0]), np.arange(-3.5, 4.5)
    found = map_coordinates(image, [halves], 0, mode=mode)
    expected = scipy.ndimage.map_coordinates(image, [halves], order=0, mode=mode)
    np.testing.assert_array_equal(found, expected)
