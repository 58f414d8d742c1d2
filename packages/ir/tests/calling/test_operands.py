from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from treadle_ir import ArgumentError, ArrayType
from treadle_ir.calling import type_like


def test_the_type_of_what_has_a_shape_and_an_element_type() -> None:
    assert type_like("f", np.zeros((2, 3))) is ArrayType((2, 3), np.dtype("f4"))
    assert type_like("f", SimpleNamespace(shape=[2], dtype="int64", weak_type=True)) is ArrayType(
        (2,), np.dtype("i4"), True
    )
    assert type_like("f", 1.5).weak


@pytest.mark.parametrize(
    "value",
    [
        np.int8,  # a class, whose shape is a descriptor
        "text",
        SimpleNamespace(shape="ab", dtype="f4"),
        SimpleNamespace(shape=(2,), dtype="no type"),
    ],
)
def test_of_nothing_else(value: object) -> None:
    with pytest.raises(ArgumentError):
        type_like("f", value)
