from __future__ import annotations

import numpy as np
import pytest

from treadle_ir import ArgumentError, ArrayType
from treadle_runtime import ShapeDtypeStruct, devices, from_host
from treadle_runtime.abstract import abstract_placed
from treadle_runtime.placement.sharding import SingleDeviceSharding


def test_the_type_of_what_has_no_elements() -> None:
    x = from_host(np.ones(2, "f4"))
    assert abstract_placed(x) is x.placed
    assert abstract_placed(np.ones(2)).type is ArrayType((2,), np.dtype("f4"))
    assert abstract_placed(2).type.weak
    assert abstract_placed(ShapeDtypeStruct((2,), "f4")) is x.placed
    with pytest.raises(ArgumentError):
        abstract_placed("text")


def test_the_place_of_what_has_no_elements() -> None:
    there = SingleDeviceSharding(devices()[1])
    placed = abstract_placed(ShapeDtypeStruct((2,), "f4", sharding=there))
    assert placed.placement.committed
    assert placed.placement.device is devices()[1]


def test_an_element_type_is_not_left_to_numpy() -> None:
    with pytest.raises(ArgumentError, match="dtype must be an element type, got None"):
        ShapeDtypeStruct((2,), None)
