from __future__ import annotations

import numpy as np
import pytest

from treadle_ir import ArgumentError, ArrayType, UnsupportedError
from treadle_ir.refs import new_ref
from treadle_runtime import (
    Format,
    Layout,
    ShapeDtypeStruct,
    device_put,
    devices,
    from_host,
    jit,
)
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


def test_what_stands_for_an_array_such_as_this() -> None:
    assert ShapeDtypeStruct.like(from_host(np.ones(2, "f4"))) == ShapeDtypeStruct((2,), "f4")
    assert ShapeDtypeStruct.like(np.ones(2)) == ShapeDtypeStruct((2,), "f4")
    assert ShapeDtypeStruct.like(2.0) == ShapeDtypeStruct((), "f4", weak_type=True)
    there = SingleDeviceSharding(devices()[1])
    struct = ShapeDtypeStruct((2,), "f4", sharding=there, is_ref=True)
    assert ShapeDtypeStruct.like(device_put(np.ones(2, "f4"), devices()[1])) == struct.update(
        is_ref=False
    )
    again = ShapeDtypeStruct.like(struct)
    assert again == struct
    assert again is not struct
    with pytest.raises(ArgumentError):
        ShapeDtypeStruct.like({"a": 1})


def test_what_stands_for_a_reference() -> None:
    struct = ShapeDtypeStruct((2,), "f4", is_ref=True)
    assert struct != ShapeDtypeStruct((2,), "f4")
    assert str(struct) == "ShapeDtypeStruct(shape=(2,), dtype=float32, is_ref=True)"
    assert ShapeDtypeStruct.like(new_ref(from_host(np.ones(2, "f4")))) == struct
    with pytest.raises(UnsupportedError, match=r"only be described .* of eval_shape"):
        jit(lambda x: x).trace(struct)
    with pytest.raises(ArgumentError, match="is_ref"):
        ShapeDtypeStruct((2,), "f4", is_ref="yes")  # type: ignore[arg-type]


def test_its_format() -> None:
    there = SingleDeviceSharding(devices()[1])
    assert ShapeDtypeStruct((2,), "f4").format == Format()
    assert ShapeDtypeStruct((2,), "f4", sharding=there).format == Format(None, there)
    ordered = ShapeDtypeStruct((2,), "f4", sharding=Format(Layout((0,)), there))
    assert ordered.sharding is there
    assert ordered.format == device_put(np.ones(2, "f4"), devices()[1]).format
    assert ordered.update(dtype="i4").format == ordered.format
    assert ordered != ordered.update(sharding=there)
    assert "format=Layout(major_to_minor=(0,)" in repr(ordered)


def test_weak_types_differ_from_others() -> None:
    weak, other = [ShapeDtypeStruct((2,), "f4", weak_type=each) for each in (True, False)]
    assert weak != other
    assert weak == ShapeDtypeStruct((2,), "f4", weak_type=True)
    assert hash(weak) == hash(ShapeDtypeStruct((2,), "f4", weak_type=True))
