"""Arrays of objects that hand them out to NumPy: images, data frames, tensors of other libraries."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from treadle_ir import ArgumentError
from treadle_numpy import numpy as tnp

ELEMENTS = np.arange(6, dtype=np.uint8).reshape(2, 3)


def with_member(name: str, value: Any) -> object:
    """An object of a class with one property, or method."""
    return type("Image", (), {name: value})()


@pytest.mark.parametrize(
    "image",
    [
        with_member("__array__", lambda self, dtype=None, copy=None: ELEMENTS),
        with_member("__array_interface__", property(lambda self: ELEMENTS.__array_interface__)),
        with_member("__array_struct__", property(lambda self: ELEMENTS.__array_struct__)),
        memoryview(ELEMENTS.tobytes()).cast("B", (2, 3)),
    ],
)
def test_arrays_of_what_hands_one_out(image: object) -> None:
    for function in (tnp.array, tnp.asarray):
        made = function(image)
        assert made.dtype == np.uint8
        np.testing.assert_array_equal(made, ELEMENTS)
        assert function(image, np.float32).dtype == np.float32
    with pytest.raises(ArgumentError, match="sin requires ndarray or scalar arguments"):
        tnp.sin(image)  # type: ignore[arg-type]


def test_sequences_of_them() -> None:
    image = with_member("__array_interface__", property(lambda self: ELEMENTS.__array_interface__))
    assert tnp.array([image, image]).shape == (2, 2, 3)
    with pytest.raises(ArgumentError, match="requires ndarray or scalar arguments"):
        tnp.array([object()])
