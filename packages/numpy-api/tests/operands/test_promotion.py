"""Element types and weak marks of results, against a table recorded from JAX 0.10.2 (`promotion.json`)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import treadle_numpy as tnp
from treadle_ir import ArrayType, DTypeError, stage
from treadle_ir.core.dtypes import bfloat16

TABLE: dict[str, Any] = json.loads(Path(__file__).with_name("promotion.json").read_text())
SCALARS: dict[str, Any] = {"int*": 1, "float*": 1.0, "complex*": 1j, "bool scalar": True}


def split(case: str) -> tuple[str, str, str]:
    function, _, rest = case.partition(" ")
    for scalar in SCALARS:
        if rest.endswith(scalar) and rest != scalar:
            return function, rest[: -len(scalar) - 1], scalar
    left, _, right = rest.rpartition(" ")
    return function, left, right


def operands(names: tuple[str, str]) -> tuple[list[ArrayType], Any]:
    """Return the types of the arrays among two operands, and a function that adds the scalars."""
    types = [
        ArrayType((2,), bfloat16 if name == "bfloat16" else np.dtype(name))
        for name in names
        if name not in SCALARS
    ]

    def both(tracers: Iterator[Any]) -> list[Any]:
        return [SCALARS[name] if name in SCALARS else next(tracers) for name in names]

    return types, both


@pytest.mark.parametrize("case", TABLE)
def test_result_type(case: str) -> None:
    function, left, right = split(case)
    types, both = operands((left, right))

    def apply(*tracers: Any) -> list[Any]:
        return [getattr(tnp, function)(*both(iter(tracers)))]

    expected = TABLE[case]
    if expected is None:
        with pytest.raises((TypeError, ValueError)):
            stage(apply, *types)
        return
    type = stage(apply, *types).program.results[0].type
    assert isinstance(type, ArrayType)
    assert [str(type.dtype), type.weak and str(type.dtype) != "bool"] == expected


def test_reflected_operators_promote_alike() -> None:
    i32 = ArrayType((2,), np.dtype("i4"))
    for function in (lambda x: 2.5 * x, lambda x: x * 2.5, lambda x: x - 0.5):
        type = stage(lambda x, f=function: [f(x)], i32).program.results[0].type
        assert repr(type) == "f32[2]*"
    assert repr(stage(lambda x: [1 / x], i32).program.results[0].type) == "f32[2]"


def test_8_bit_floats_have_no_promotion() -> None:
    f8 = ArrayType((2,), tnp.float8_e5m2.dtype)
    with pytest.raises(DTypeError, match="no implicit promotion"):
        stage(lambda x, y: [x + y], f8, ArrayType((2,), np.dtype("f4")))
